package verifier

import (
	"fmt"
	"strings"
)

// unknownCounts is said wherever a verdict has no counts.
const unknownCounts = "counts: unknown (exit status only)"

// report is what a parser learned from one run.
type report struct {
	seen   bool   // there was something that the parser knows as a report
	runner string // whose report it is
	known  bool   // counts are complete; otherwise the runner printed too little to tell

	machine     bool   // it was written for machines
	begun       int    // how many runs announced themselves, where the runner does that
	runs        int    // how many runs it is about, where they are told apart
	counts      Counts // without Executed
	failedTests []string
	tests       []TestResult // by name, also the parents of subtests; the counts do not come from here
	testsCut    bool         // there were more than maxTests
	note        string       // what else a reader should know of the failures, as a phrase

	buildFailed bool
	buildFiles  []string

	broken  string // why the report cannot be trusted, as a phrase
	empty   string // why nothing was executed, as a phrase, when known
	blocked string // what is missing, as a phrase
	install string // what would bring it
}

// ending is how the process ended.
type ending struct {
	exit    int
	killed  string // why it did not end by itself, as a phrase; then exit means nothing
	program string // the recognised runner, empty for any other command
	install string // what would install it
}

type verdict struct {
	status  Status
	reason  string
	install string
}

// judge is the one rule by which a run becomes a verdict. The order of the cases is the rule.
func judge(e ending, r report) verdict {
	total := r.counts.Passed + r.counts.Failed
	switch {
	case e.killed != "":
		return verdict{Inconclusive, e.killed, ""}
	case r.blocked != "":
		return verdict{Blocked, r.blocked, r.install}
	case e.program != "" && !r.seen && e.exit == exitNotFound:
		return verdict{Blocked, fmt.Sprintf("%s was not found (exit status %d)", e.program, e.exit), e.install}
	case r.broken != "":
		return verdict{Inconclusive, r.broken, ""}
	case r.counts.Failed > 0:
		return verdict{Failed, failedReason(r, total), ""}
	case r.buildFailed:
		return verdict{Inconclusive, buildReason(r), ""}
	case !r.known:
		return judgeExit(e.exit)
	case total == 0:
		return verdict{NotRun, emptyReason(e, r), ""}
	case e.exit != 0:
		return verdict{Inconclusive, fmt.Sprintf("%s and none failed, but the exit status is %d",
			counted(total, "test ran", "tests ran"), e.exit), ""}
	}
	return verdict{Passed, counted(r.counts.Passed, "test passed", "tests passed") + skipped(r), ""}
}

// What a shell or env exits with when the program is not executable, or not there.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

func judgeExit(exit int) verdict {
	switch exit {
	case 0:
		return verdict{Passed, "exit status 0; " + unknownCounts, ""}
	case exitNotExecutable:
		return verdict{Inconclusive, "exit status 126: a program that the command calls could not be executed", ""}
	case exitNotFound:
		return verdict{Inconclusive, "exit status 127: a program that the command calls was not found", ""}
	}
	return verdict{Failed, fmt.Sprintf("exit status %d; %s", exit, unknownCounts), ""}
}

func failedReason(r report, total int) string {
	text := fmt.Sprintf("%d of %s failed", r.counts.Failed, counted(total, "test", "tests"))
	if !r.known {
		text = counted(r.counts.Failed, "test failed", "tests failed")
	}
	if len(r.failedTests) > 0 {
		text += ": " + listed(r.failedTests, 3)
	}
	if r.note != "" {
		text += "; " + r.note
	}
	if r.buildFailed {
		text += "; " + buildReason(r)
	}
	if !r.known {
		text += "; " + unknownCounts
	}
	return text
}

func buildReason(r report) string {
	if len(r.buildFiles) == 0 {
		return "something could not be built or loaded, so its tests did not run"
	}
	return "not built or not loaded, so tests did not run: " + listed(r.buildFiles, 3)
}

func emptyReason(e ending, r report) string {
	text := "no test was executed"
	if r.empty != "" {
		text += ": " + r.empty
	}
	return fmt.Sprintf("%s%s (exit status %d)", text, skipped(r), e.exit)
}

func skipped(r report) string {
	if r.counts.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", r.counts.Skipped)
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// listed names the first few and says how many more there are.
func listed(names []string, few int) string {
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
