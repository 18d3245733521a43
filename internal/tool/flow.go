package tool

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// FlowStatus is the verdict on one flow.
type FlowStatus string

// The verdicts. Passed and Failed are the tool's own and nothing in its answer speaks against them.
const (
	FlowPassed      FlowStatus = "passed"
	FlowFailed      FlowStatus = "failed"
	FlowErrored     FlowStatus = "errored"     // it ended without a verdict, or its answer contradicts itself
	FlowUnavailable FlowStatus = "unavailable" // the tool is not there
)

const (
	keepFlows     = 14 * 24 * time.Hour // how long the directory of a run that did not pass is kept
	maxFlowFailed = 20                  // outcomes and steps of one run that are told
)

// Flow is what one run of a browser or terminal flow gave.
type Flow struct {
	Status     FlowStatus
	Reason     string        // why it is neither passed nor failed; of a failure, what the tool says about it
	Outcomes   int           // how many the tool judged
	NotPassed  int           // of these, how many did not pass
	Failed     []FlowFailure // the first of the outcomes and steps that did not pass
	RunID      string
	RunDir     string // what the run left behind; "" when nothing is there
	DurationMS int64  // as the tool says
}

// FlowFailure is an outcome or a step that did not pass.
type FlowFailure struct {
	What    string // "outcome" or "step"
	ID      string
	Status  string
	Message string
}

// flowAnswer is what both tools print about a run; each leaves some members out.
type flowAnswer struct {
	flowVersion
	RunID        string        `json:"runId"`
	RunDir       string        `json:"runDir"`
	SpecPath     string        `json:"specPath"`
	Spec         flowSpec      `json:"spec"`
	Backend      string        `json:"backend"`
	Status       string        `json:"status"`
	ErrorKind    string        `json:"errorKind"`
	Diagnostic   string        `json:"diagnostic"`
	ContractHash string        `json:"contractHash"`
	ExpectedHash string        `json:"expectedHash"`
	DurationMS   int64         `json:"durationMs"`
	ExitCode     *int          `json:"exitCode"`
	Failure      flowFailure   `json:"failure"`
	Outcomes     []flowOutcome `json:"outcomes"`
	Steps        []flowStep    `json:"steps"`
}

type flowSpec struct {
	Path string `json:"path"`
}

type flowFailure struct {
	Step    string `json:"step"`
	Message string `json:"message"`
}

type flowOutcome struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Message  string `json:"message"`
	Evidence string `json:"evidence"`
}

type flowStep struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Error  string `json:"error"`
}

// flowOf reads the answer to the run of a spec and judges it. It counts as passed only when status, exit status, every
// outcome and every step say so; what contradicts itself, or was not said whole, is errored.
func (r Runner) flowOf(a *Answer, spec string) Flow {
	if a.Class == Unavailable {
		return Flow{Status: FlowUnavailable, Reason: a.Cause}
	}
	if a.TimedOut || a.Truncated || a.Exit < 0 {
		return Flow{Status: FlowErrored, Reason: a.Cause}
	}
	if a.declined() {
		return Flow{Status: FlowErrored, Reason: a.Cause}
	}
	read, err := readFlow(a.Stdout)
	if err != nil {
		if a.Class == Authoritative {
			a.downgrade(Partial, "%v", err)
		}
		return Flow{Status: FlowErrored, Reason: a.Cause}
	}
	f := read.flow()
	if why := r.doubt(read, a.Exit, spec); why != "" {
		f.Status, f.Reason = FlowErrored, why
		a.downgrade(Partial, "%s", why)
		return f
	}
	a.Class, a.Cause = Authoritative, ""
	return f
}

// flow is the answer as it stands.
func (f flowAnswer) flow() Flow {
	out := Flow{
		Status: FlowStatus(f.Status), Outcomes: len(f.Outcomes), RunID: printable(f.RunID, 200), RunDir: f.RunDir, DurationMS: max(0, f.DurationMS),
		Reason: printable(cmp.Or(f.Failure.Message, f.Diagnostic), 500),
	}
	for _, o := range f.Outcomes {
		if o.Status != string(FlowPassed) {
			out.NotPassed++
			out.Failed = append(out.Failed, FlowFailure{"outcome", printable(o.ID, 200), printable(o.Status, 40), printable(o.Message, 500)})
		}
	}
	for _, s := range f.Steps {
		if s.Status != string(FlowPassed) && s.Error != "" {
			out.Failed = append(out.Failed, FlowFailure{"step", printable(cmp.Or(s.ID, s.Kind), 200), printable(s.Status, 40), printable(s.Error, 500)})
		}
	}
	out.Failed = out.Failed[:min(len(out.Failed), maxFlowFailed)]
	return out
}

// doubt says why the answer is no verdict, "" when it is one.
func (r Runner) doubt(f flowAnswer, exit int, spec string) string {
	said := cmp.Or(f.SpecPath, f.Spec.Path)
	switch {
	case !f.first():
		return "its answer has " + f.flowVersion.words() + ", which is not understood"
	case f.ExitCode != nil && *f.ExitCode != exit:
		return fmt.Sprintf("its answer speaks of exit status %d, and it ended with %d", *f.ExitCode, exit)
	case said != "" && !r.sameFile(said, spec):
		return fmt.Sprintf("its answer is about another spec: %s", printable(said, 200))
	case f.ContractHash != "" && f.ExpectedHash != "" && f.ContractHash != f.ExpectedHash:
		return "the contract of the spec is not the expected one"
	case !slices.Contains([]string{"", "playwright", "agent-browser"}, f.Backend):
		return fmt.Sprintf("the backend %s proves nothing", printable(f.Backend, 40))
	}
	switch FlowStatus(f.Status) {
	case FlowPassed:
		return f.doubtPassed(exit)
	case FlowFailed:
		return f.doubtFailed(exit)
	case FlowErrored:
		return "it ended without a verdict: " + printable(cmp.Or(strings.TrimSpace(f.ErrorKind+" "+cmp.Or(f.Diagnostic, f.Failure.Message)), "no reason given"), 500)
	case "":
		return "its answer has no status"
	}
	return fmt.Sprintf("its status %s is not known", printable(f.Status, 40))
}

func (f flowAnswer) doubtPassed(exit int) string {
	switch {
	case exit != 0:
		return fmt.Sprintf("it says passed and ended with exit status %d", exit)
	case f.ErrorKind != "":
		return "it says passed and names an error: " + printable(f.ErrorKind, 100)
	case f.Failure != flowFailure{}:
		return "it says passed and names a failure: " + printable(f.Failure.Step+" "+f.Failure.Message, 300)
	case len(f.Outcomes) == 0:
		return "it says passed and judged no outcome"
	}
	for _, o := range f.Outcomes {
		if o.Status != string(FlowPassed) {
			return fmt.Sprintf("it says passed, and of the outcome %s %s", printable(o.ID, 100), printable(cmp.Or(o.Status, "nothing"), 40))
		}
	}
	for _, s := range f.Steps {
		if s.Error != "" || s.Status != string(FlowPassed) && s.Status != "skipped" {
			return fmt.Sprintf("it says passed, and of the step %s %s", printable(cmp.Or(s.ID, s.Kind), 100), printable(cmp.Or(s.Error, s.Status, "nothing"), 200))
		}
	}
	return ""
}

// doubtFailed tells a flow that failed from one that was not really tried: a browser that does not start fails the first
// step, and every outcome is then called failed without anybody having looked.
func (f flowAnswer) doubtFailed(exit int) string {
	switch {
	case exit != 1:
		return fmt.Sprintf("it says failed and ended with exit status %d", exit)
	case !slices.Contains([]string{"", "step_failure", "timeout", "target_exited"}, f.ErrorKind):
		return "it ended without a verdict: " + printable(f.ErrorKind+" "+f.Diagnostic, 300)
	case len(f.Steps) > 0 && f.Steps[0].Status == string(FlowFailed) && (f.Steps[0].Error == notStarted || !slices.ContainsFunc(f.Outcomes, f.lookedAt)):
		return "the first step failed and nothing was looked at: " + printable(cmp.Or(f.Steps[0].Error, f.Failure.Message, "no reason given"), 300)
	}
	return ""
}

// notStarted is how cairn words that the program of its backend could not be run.
const notStarted = "exit -1"

// lookedAt reports whether the evidence that an outcome names is there: cairn names it in any case.
func (f flowAnswer) lookedAt(o flowOutcome) bool {
	name := filepath.FromSlash(o.Evidence)
	if !filepath.IsAbs(name) {
		name = filepath.Join(f.RunDir, name)
	}
	info, err := os.Stat(name)
	return o.Evidence != "" && filepath.IsAbs(name) && err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// sameFile reports whether an answer speaks of the spec that was asked for, links resolved where they can be.
func (r Runner) sameFile(said, spec string) bool {
	resolve := func(name string) string {
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Workspace, filepath.FromSlash(name))
		}
		if real, err := filepath.EvalSymlinks(name); err == nil {
			return real
		}
		return filepath.Clean(name)
	}
	return resolve(said) == resolve(spec)
}

// flowDir makes an empty directory outside of the workspace for what a run leaves behind, and removes those of runs that
// are over for two weeks. Its own time is that of the file system.
func (r Runner) flowDir(name string) (string, error) {
	parent := r.Artifacts
	if parent == "" || within(r.Workspace, parent) {
		dir, err := os.MkdirTemp("", "cortex-"+name+"-")
		if err != nil {
			return "", fmt.Errorf("make a directory for the run: %w", err)
		}
		return dir, nil
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", fmt.Errorf("make a directory for the runs: %w", err)
	}
	dir, err := os.MkdirTemp(parent, name+"-")
	if err != nil {
		return "", fmt.Errorf("make a directory for the run: %w", err)
	}
	sweepFlows(parent, dir)
	return dir, nil
}

// sweepFlows removes the directories beside fresh that are two weeks older. What cannot be removed is tried again later.
func sweepFlows(parent, fresh string) {
	now, err := os.Stat(fresh)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.IsDir() && now.ModTime().Sub(info.ModTime()) > keepFlows {
			_ = discard(filepath.Join(parent, e.Name())) // the next flow tries again
		}
	}
}

// kept says what a run left behind: what its answer names when that is a directory of this run, else what is in dir, the
// directory that it was given. A run that passed leaves nothing.
func (r Runner) kept(f *Flow, dir string) {
	named := f.RunDir
	f.RunDir = ""
	if dir != "" {
		if entries, err := os.ReadDir(dir); f.Status == FlowPassed || err != nil || len(entries) == 0 {
			_ = discard(dir) // what stays is swept later
			dir = ""
		}
	}
	switch {
	case f.Status == FlowPassed:
	case named != "" && r.ofRun(named, f.RunID, dir):
		f.RunDir = filepath.Clean(named)
	default:
		f.RunDir = dir
	}
}

// ofRun reports whether a directory that an answer names can be what a run left behind, and is no place that holds
// something else: it is in dir, or bears the name of the run outside of the workspace and of hidden directories at home. Of
// a run without a name, as the published contract has it, the directory lies outside of home and not near the root.
func (r Runner) ofRun(named, runID, dir string) bool {
	info, err := os.Lstat(named)
	switch {
	case !filepath.IsAbs(named) || err != nil || !info.IsDir():
		return false
	case within(dir, named):
		return true
	case within(r.Workspace, named) || within(named, r.Workspace) || runID != "" && filepath.Base(named) != runID:
		return false
	case runID == "" && strings.Count(filepath.ToSlash(filepath.Clean(named)), "/") < minRunDepth:
		return false
	}
	for _, entry := range r.Environ {
		variable, home, _ := strings.Cut(entry, "=")
		if variable != "HOME" && variable != "USERPROFILE" || home == "" {
			continue
		}
		rest, err := filepath.Rel(home, named)
		first, _, _ := strings.Cut(filepath.ToSlash(rest), "/")
		if within(named, home) || runID == "" && within(home, named) || err == nil && filepath.IsLocal(rest) && strings.HasPrefix(first, ".") && first != ".cairntrace" {
			return false
		}
	}
	return true
}

// minRunDepth is how far below the root the directory of a run without a name lies at least.
const minRunDepth = 3

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && filepath.IsLocal(rel)
}

// printable is a tool's text on one line and cut to n bytes.
func printable(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	return clip(strings.Join(strings.Fields(text), " "), n)
}
