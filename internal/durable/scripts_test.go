package durable_test

// scripts are short, and each puts changes with a record before changes without one: what a record that comes back
// could undo.
func scripts() []script {
	verify := func(n int) op {
		return op{
			puts:    map[string]string{"case.json": record(n), "verification.json": record(n + 1), "raw/x.txt": record(n + 2)},
			appends: map[string]string{"evidence.jsonl": record(n+3) + record(n+4), "phases.jsonl": record(n + 5)},
			audit:   record(n + 6),
		}
	}
	note := func(n int) op { return op{appends: map[string]string{"evidence.jsonl": record(n)}} }
	save := func(n int) op { return op{puts: map[string]string{"case.json": record(n)}} }
	foreign := map[string]string{"case.json": record(1), "evidence.jsonl": record(2)}
	withRaw := map[string]string{"case.json": record(1), "evidence.jsonl": record(2), "raw/old.txt": record(3)}
	torn := map[string]string{"case.json": record(1), "evidence.jsonl": record(2) + record(3)[:40]}
	return append(afterDeaths(withRaw, note(10), verify(11)), []script{
		{name: "create then verify, note, save, verify", ops: []op{verify(10), note(20), save(21), verify(30), note(40)}},
		{name: "save back and forth after a record", ops: []op{save(2), verify(2), save(3), save(2), note(4)}},
		{name: "another program's directory, note first", start: foreign, ops: []op{note(10), verify(11), save(20)}},
		{name: "another program's directory, verify first", start: foreign, ops: []op{verify(11), note(10), save(20)}},
		{name: "torn tail", start: torn, ops: []op{
			{repairs: map[string]string{"evidence.jsonl": record(4)}, puts: map[string]string{"raw/torn.txt": "x"}},
			note(5), save(6),
		}},
		{name: "remove and bring back", ops: []op{
			{puts: map[string]string{"plan.json": record(2), "case.json": record(3)}},
			{removes: []string{"plan.json"}, puts: map[string]string{"case.json": record(4)}},
			{puts: map[string]string{"plan.json": record(5)}},
			{removes: []string{"plan.json"}},
			{appends: map[string]string{"late.jsonl": record(6)}},
			{removes: []string{"late.jsonl"}, appends: map[string]string{"evidence.jsonl": record(7)}},
			{appends: map[string]string{"late.jsonl": record(8)}},
			{appends: map[string]string{"late.jsonl": record(9)}},
		}},
		{name: "install", ops: []op{
			{installs: map[string]string{"raw/big1.txt": record(2) + record(3)}, puts: map[string]string{"case.json": record(4)}},
			verify(10),
			{installs: map[string]string{"raw/big2.txt": record(5)}, puts: map[string]string{"case.json": record(6)},
				appends: map[string]string{"evidence.jsonl": record(7)}},
			note(8),
		}},
		{name: "another program's directory, install first", start: withRaw, ops: []op{
			{installs: map[string]string{"raw/big.txt": record(2)}, puts: map[string]string{"case.json": record(3)},
				appends: map[string]string{"evidence.jsonl": record(4)}},
			save(5),
		}},
		{name: "another program's directory, install of a taken name", start: withRaw, ops: []op{
			{taken: "raw/old.txt", puts: map[string]string{"case.json": record(3)}, appends: map[string]string{"evidence.jsonl": record(4)}},
			save(5),
		}},
		{name: "a blob alone", start: withRaw, ops: []op{{puts: map[string]string{"raw/y.txt": record(4)}}, {removes: []string{"raw/old.txt"}}}},
		{name: "audit lines", ops: []op{
			{audit: record(2)}, verify(10), verify(20), {audit: record(3)}, verify(30),
			{audit: record(4) + record(5)}, note(6),
		}},
		{name: "lines alone and in groups", ops: []op{
			note(2), note(3),
			{appends: map[string]string{"evidence.jsonl": record(4) + record(5) + record(6)}},
			note(7), note(8),
		}},
	}...)
}

// afterDeaths are scripts behind a writer that died at its first steps.
func afterDeaths(start map[string]string, ops ...op) (all []script) {
	for i, name := range []string{"lock file", "slot", "mark"} {
		all = append(all, script{name: "after a writer that died at its new " + name, start: start, deadAfter: i + 1, ops: ops})
	}
	return all
}
