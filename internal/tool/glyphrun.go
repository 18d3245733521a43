package tool

import "context"

// TerminalFlow has glyph run one spec, whose path is relative to the workspace. What it records goes to a directory of its
// own outside of the workspace, which is kept when the flow did not pass.
func (r Runner) TerminalFlow(ctx context.Context, spec string) (Flow, Answer) {
	c := call{tool: Glyphrun, operation: "run", flow: true, args: []string{"run", spec, "--format", "json", "--progress", "never"}}
	if !r.Installed(Glyphrun) {
		a := r.run(ctx, c)
		return r.flowOf(&a, spec), a
	}
	dir, err := r.flowDir(Glyphrun)
	if err != nil {
		a := Answer{Tool: c.tool, Operation: c.operation, Argv: append([]string{Binary(c.tool)}, c.args...), Exit: -1}
		a.downgrade(Failed, "%v", err)
		return Flow{Status: FlowErrored, Reason: a.Cause}, a
	}
	c.args = append(c.args, "--artifact-root", dir)
	a := r.run(ctx, c)
	f := r.flowOf(&a, spec)
	r.kept(&f, dir)
	return f, a
}

// AffectedTerminalSpecs asks glyph which specs a change since a commit affects. It asks codemap for that, and without it
// the answer is unavailable.
func (r Runner) AffectedTerminalSpecs(ctx context.Context, since string) (Selection, Answer) {
	args := []string{"affected-specs", "--format", "json"}
	if since != "" {
		args = append(args, "--since", since)
	}
	a := r.run(ctx, call{tool: Glyphrun, operation: "affected-specs", args: args, repeat: true})
	if a.Exit == 2 && len(a.Stdout) == 0 {
		a.Class = Unavailable
	}
	return r.selection(&a, "specs"), a
}
