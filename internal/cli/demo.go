package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cortex/internal/durable"
	"cortex/internal/gitrepo"
	"cortex/internal/op"
	"cortex/internal/problem"
)

func demoCommand(a *App) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use: "demo", Short: "Take a small change from goal to proof, in a temporary directory", Args: noArguments,
		Long: "Makes a small Go repository with a failing test in a temporary directory, with a home and state of its own, and takes\n" +
			"its repair through the same verbs that everybody uses. It fails when anything but the expected happens. Needs go and git.",
		Example: "  cortex demo\n  cortex demo --keep",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a, keep) },
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the directory and say how to look around in it")
	return cmd
}

// demo is one run of the demonstration.
type demo struct {
	app     *App
	root    string // holds home, state and repository
	repo    string
	environ []string
	task    string // id of the case, once it is open
	say     func(format string, args ...any)
}

func runDemo(ctx context.Context, a *App, keep bool) error {
	root, err := os.MkdirTemp("", "cortex-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for the demonstration: %w", err)
	}
	d := &demo{app: a, root: root, repo: filepath.Join(root, "sum"), say: func(format string, args ...any) {
		_, _ = fmt.Fprintf(a.Out, "%s\n", op.Clean(fmt.Sprintf(format, args...))) // a demonstration nobody sees fails nobody
	}}
	if a.asJSON { // one JSON value goes to stdout
		d.say = func(string, ...any) {}
	}
	err = d.run(ctx)
	switch {
	case keep:
		d.say("\nkept in %s; look around with:\n  export HOME=%s; cd %s; cortex show", root, filepath.Join(root, "home"), d.repo)
	default:
		if clean := os.RemoveAll(root); err == nil && clean != nil {
			err = fmt.Errorf("remove the demonstration's directory: %w", clean)
		}
	}
	if err != nil {
		return problem.New(problem.ExpectationNotMet, "The demonstration failed: %v", err).Because(err).
			Without("the message says which step did not do what was expected")
	}
	d.say("\nEvery step did what was expected.")
	if a.asJSON {
		return a.Print(map[string]any{"ok": true})
	}
	return nil
}

// run prepares the repository and takes the steps.
func (d *demo) run(ctx context.Context) error {
	if err := d.prepare(ctx); err != nil {
		return err
	}
	for _, step := range demoSteps() {
		d.say("\n# %s", step.why)
		if step.file != "" {
			if err := durable.WriteFile(filepath.Join(d.repo, step.file), []byte(step.content), 0o644); err != nil {
				return fmt.Errorf("edit %s: %w", step.file, err)
			}
			d.say("  (edited %s)", step.file)
		}
		if err := d.take(step); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the repository, and an environment in which nothing of the user's is read or written but the caches of go.
func (d *demo) prepare(ctx context.Context) error {
	home := filepath.Join(d.root, "home")
	for _, dir := range []string{home, d.repo} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	d.environ = []string{
		"HOME=" + home, "USERPROFILE=" + home, "PATH=" + d.app.Env("PATH"), "TMPDIR=" + d.root, "NO_COLOR=1",
		"SYSTEMROOT=" + d.app.Env("SYSTEMROOT"), "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOWORK=off", "CGO_ENABLED=0",
	}
	if cache, err := os.UserCacheDir(); err == nil {
		d.environ = append(d.environ, "GOCACHE="+orDefault(d.app.Env("GOCACHE"), filepath.Join(cache, "go-build")))
	}
	for name, content := range demoFiles() {
		if err := durable.WriteFile(filepath.Join(d.repo, name), []byte(content), 0o644); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	if err := gitrepo.Create(ctx, d.repo, d.environ); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	d.say("A Go repository with a failing test was made in %s.", d.repo)
	return nil
}

// take runs one command line through the program and compares what it gave with what is expected.
func (d *demo) take(step demoStep) error {
	args := slices.Clone(step.args)
	if i := slices.Index(args, demoTask); i >= 0 {
		args[i] = d.task
	}
	d.say("  $ cortex %s", strings.Join(quoteWords(args), " "))
	env := func(name string) string {
		for _, entry := range d.environ {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
	var out, errs bytes.Buffer
	std := Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Env: env, Dir: d.repo}
	exit := New(d.app.Info, std, d.environ).Run(append([]string{"--json"}, args...), std)
	var answer map[string]any
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return fmt.Errorf("%s answered no JSON object: %w\n%s", step.args[0], err, errs.String())
	}
	if id, ok := answer["taskId"].(string); ok {
		d.task = id
	}
	d.show(answer)
	if exit != step.exit {
		return fmt.Errorf("%s ended with exit status %d, expected %d: %s", step.args[0], exit, step.exit, errs.String())
	}
	for field, want := range step.expect {
		if got := fmt.Sprint(answer[field]); got != want {
			return fmt.Errorf("%s: %s is %q, expected %q", step.args[0], field, got, want)
		}
	}
	if step.check != nil {
		return step.check(answer)
	}
	return nil
}

// show prints the part of an answer that tells the story.
func (d *demo) show(answer map[string]any) {
	if summary, ok := answer["summary"].(string); ok {
		verdict := "→"
		if answer["ok"] == false {
			verdict = "✗ refused:"
		}
		d.say("  %s %s", verdict, summary)
	}
	if stale, ok := answer["staleVerification"].([]any); ok {
		d.say("  → %d receipt(s) are stale: the worktree is not what was verified", len(stale))
	}
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

func quoteWords(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		if strings.ContainsAny(word, " \"'*$") {
			word = `"` + word + `"`
		}
		out[i] = word
	}
	return out
}

// errStillFresh is what the last step must not see.
var errStillFresh = errors.New("the edited worktree still counts as verified")
