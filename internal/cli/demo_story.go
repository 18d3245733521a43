package cli

// demoTask stands for the id of the demonstration's case in a command line.
const demoTask = "TASK"

// demoStep is one command line of the demonstration, with what must come of it.
type demoStep struct {
	why     string
	file    string // edited before the command, "" for none
	content string
	args    []string
	exit    int
	expect  map[string]string // top-level fields of the answer
	check   func(answer map[string]any) error
}

// demoFiles is a repository whose one test fails.
func demoFiles() map[string]string {
	return map[string]string{
		"go.mod":      "module example.com/sum\n\ngo 1.21\n",
		"sum.go":      "// Package sum adds.\npackage sum\n\n// Sum adds two numbers.\nfunc Sum(a, b int) int { return a - b }\n",
		"sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif got := Sum(2, 3); got != 5 {\n\t\tt.Errorf(\"Sum(2, 3) = %d, want 5\", got)\n\t}\n}\n",
		"cortex.yaml": "verifiers:\n  unit:\n    argv: [\"go\", \"test\", \"./...\"]\n    kind: unit_test\n    timeout: 2m\n",
	}
}

func demoSteps() []demoStep {
	return append(demoOpening(), demoProof()...)
}

func demoOpening() []demoStep {
	return []demoStep{
		{
			why:  "A person approves the exact command line of the check.",
			args: []string{"setup", "--trust-commands", "--yes"},
		},
		{
			why:    "An agent opens a case with what must hold in the end.",
			args:   []string{"open", "Fix Sum so that it adds", "--criterion", "sum-adds=Sum(2, 3) is 5", "--risk", "low", "--actor", "agent-demo"},
			expect: map[string]string{"ok": "true", "phase": "investigating"},
		},
		{
			why:    "It asks the repository before it assumes.",
			args:   []string{"investigate", "where is Sum defined"},
			expect: map[string]string{"ok": "true", "phase": "investigating"},
		},
		{
			why: "It plans: a hypothesis that could be wrong, a boundary, the check that will prove the result.",
			args: []string{"plan", "--hypothesis", "Sum subtracts :: the unit test passes without a change", "--file", "sum.go",
				"--verify", "command:unit", "--uncertainty", "negative numbers"},
			expect: map[string]string{"ok": "true", "phase": "planned"},
		},
		{
			why:    "It takes the change lease before the first edit.",
			args:   []string{"begin-change", "--actor", "agent-demo"},
			expect: map[string]string{"ok": "true", "phase": "changing"},
		},
	}
}

func demoProof() []demoStep {
	const head = "// Package sum adds.\npackage sum\n\n// Sum adds two numbers.\n"
	return []demoStep{
		{
			why:  "Its first attempt is wrong, and the check says so.",
			file: "sum.go", content: head + "func Sum(a, b int) int { return a * b }\n",
			args: []string{"verify", "--from-plan"}, exit: 6,
			expect: map[string]string{"ok": "true", "verificationOutcome": "failed"},
		},
		{
			why:    "It says it is done all the same. Cortex refuses.",
			args:   []string{"remember", "Sum adds now"},
			exit:   5,
			expect: map[string]string{"ok": "false"},
		},
		{
			why:  "It repairs the change and verifies again.",
			file: "sum.go", content: head + "func Sum(a, b int) int { return a + b }\n",
			args:   []string{"verify", "--from-plan"},
			expect: map[string]string{"ok": "true", "verificationOutcome": "verified"},
		},
		{
			why:    "Now the case can be completed.",
			args:   []string{"remember", "Sum adds now; the unit test proves it"},
			expect: map[string]string{"ok": "true", "phase": "complete"},
		},
		{
			why:  "Somebody edits once more. The proof is about other bytes, and the status says so.",
			file: "sum.go", content: head + "func Sum(a, b int) int { return b + a }\n",
			args:   []string{"status", demoTask},
			expect: map[string]string{"ok": "true", "phase": "complete"},
			check: func(answer map[string]any) error {
				if stale, _ := answer["staleVerification"].([]any); len(stale) == 0 {
					return errStillFresh
				}
				return nil
			},
		},
	}
}
