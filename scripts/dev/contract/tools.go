package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// fakeTools are programs that answer like the tools behind the recorded calls, each a shell script by its name. Every call
// is kept in the log that $LOG names.
func fakeTools() map[string]string {
	return map[string]string{
		"vecgrep": `case "$*" in
--version) echo "vecgrep 0.0.0" ;;
search*) echo '{"schema_version":1,"index":{"indexed":true,"fresh":true,"chunks":1},"hits":[{"chunk_id":1,"file_path":"calc.sh","relative_path":"calc.sh","content":"add() { echo; }","start_line":1,"end_line":1,"chunk_type":"function","symbol_name":"add","language":"sh","distance":0.2,"score":0.8}]}' ;;
status*) echo '{"index_fresh":true,"stats":{"chunks":1,"files":1},"pending_changes":{"total_pending":0}}' ;;
"memory recall"*) echo '[]' ;;
"memory remember"*) echo 'Memory stored (id 1)' ;;
*) exit 1 ;;
esac`,
		"codemap": `case "$*" in
--version) echo "codemap 0.0.0" ;;
status*) echo '{"project":"repo","registered":true,"nodes":1,"files":1,"stale":0}' ;;
"impact HandleCallback"*) echo '{"found":true,"locations":[],"direct_callers":[],"blast_radius":[],"tests":[],"call_graph":"resolved"}' ;;
impact*) echo '{"ok":false,"error":"no such symbol","code":"not_found"}'; exit 2 ;;
find*) echo '{"hits":[{"symbol":"add","kind":"function","file":"calc.sh","score":1}]}' ;;
review*) echo '{"schema_version":1,"project":"repo","mode":"working","depth":3,"is_repo":true,"indexed":true,"changed_files":[{"path":"calc.sh","status":"M","symbols":1}],"changed_symbols":[{"symbol":"add","kind":"function","file":"calc.sh","start_line":1}],"blast_radius":[],"covering_tests":[],"untested_symbols":[],"stale":false,"call_graph":"resolved"}' ;;
annotate*) echo '{"ok":true}' ;;
*) exit 1 ;;
esac`,
	}
}

// withTools puts the fake tools on the path of a run.
func (r *run) withTools() {
	bin := filepath.Join(filepath.Dir(r.repo), "bin")
	must(os.MkdirAll(bin, 0o755))
	r.log = filepath.Join(filepath.Dir(r.repo), "argv.log")
	all := fakeTools()
	maps.Copy(all, fakeVerifiers())
	maps.Copy(all, fakeHealth())
	for name, body := range all {
		script := fmt.Sprintf("#!/bin/sh\necho \"%s $*\" >>\"$LOG\"\n%s\n", name, body)
		must(os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	}
	r.environ = append(r.environ, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "LOG="+r.log)
}

// recordedArgv reads which tools each recorded call started: the lines before its name.
func recordedArgv(file string) map[string][]string {
	raw, err := os.ReadFile(file)
	must(err)
	out := map[string][]string{}
	var lines []string
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if name, found := strings.CutPrefix(line, "--- "); found {
			out[name], lines = lines, nil
			continue
		}
		lines = append(lines, line)
	}
	return out
}

// started compares which tools a call started with the recorded ones. Paths, ids and commits are other ones by nature.
func (r *run) started(name string) []string {
	raw, err := os.ReadFile(r.log)
	if err != nil && !os.IsNotExist(err) {
		must(err)
	}
	must(os.WriteFile(r.log, nil, 0o600))
	have, had := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		have[sameArgv(line)] = true
	}
	for _, line := range r.argv[name] {
		had[sameArgv(line)] = true
	}
	var differences []string
	for _, line := range slices.Sorted(maps.Keys(had)) {
		if !have[line] {
			differences = append(differences, "missing call of "+line)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(have)) {
		if !had[line] {
			differences = append(differences, "added call of "+line)
		}
	}
	return differences
}

func sameArgv(line string) string {
	for _, part := range []struct{ pattern, by string }{
		{`task_[0-9A-Z]{16}`, "TASK"}, {`\b[0-9a-f]{7,12}\b`, "COMMIT"}, {`/(srv|tmp)/[^ ]*`, "PATH"},
	} {
		line = regexp.MustCompile(part.pattern).ReplaceAllString(line, part.by)
	}
	return strings.TrimSpace(line)
}

// fakeCalls are the recorded calls with tools.
func fakeCalls() []call {
	return []call{
		{name: "90_open_fake", args: []string{"open", "with tools", "--risk", "low", "--actor", "agent-a", "--surface", "code", "--surface", "terminal", "--surface", "artifact", "--surface", "secret"}, save: map[string]string{"TASK": "taskId"}},
		{name: "91_inv_fake", args: []string{"investigate", "$TASK", "where is addition done"}, save: map[string]string{"EV": "facts.1.id"}},
	}
}

// codemapCalls are the conformance scenarios in which codemap answers.
func codemapCalls() []call {
	return []call{
		{args: []string{"open", "repair callback contract", "--risk", "low", "--actor", "agent-a", "--criterion", "callback=the callback adds"}, save: map[string]string{"TASK": "taskId"}},
		{name: "investigate", args: []string{"investigate", "$TASK", "HandleCallback"}},
		{name: "plan", args: plan("--hypothesis", "h :: d", "--file", "calc.sh", "--verify", "codemap_review", "--uncertainty", "u")},
		{name: "begin_change", args: []string{"begin-change", "$TASK", "--actor", "agent-a"}},
		{name: "verify", args: []string{"verify", "$TASK", "--claim-spec", "id=callback|surface=code|contract=codemap_review|the callback adds"}, edit: func(r *run) {
			r.write("calc.sh", "#!/bin/sh\n# add two numbers\necho $(($1 + $2))\n")
		}},
		{name: "status", args: []string{"status", "$TASK"}},
		{name: "handoff", args: []string{"handoff", "$TASK"}},
		{name: "remember", args: []string{"remember", "$TASK", "callback contract repaired"}},
	}
}

// toolDeviations are the differences that are meant where tools answer.
func toolDeviations() []deviation {
	return []deviation{
		{"9[01]_", `call of .* (--version|doctor --json)$`, "opening a case starts no program to ask for its version"},
		{"9[018]_", `call of veclite `, "earlier cases are recalled from their files, without another program"},
		{"91_", `^added facts`, "facts name what they were derived from"},
	}
}
