package caseops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/gitrepo"
	"cortex/internal/op"
	"cortex/internal/tool"
)

// planChecks plans the batch. A tool is asked for its choice of specs only when nothing else refuses the call; what the plan
// stands for may rest on that choice.
func (s *Service) planChecks(ctx context.Context, b *batch, in casefile.VerifyInput, facts casefile.VerifyFacts) (casefile.VerificationPlan, error) {
	choosers := casefile.SelectFlows(b.k.c, b.k.receipts, in, facts)
	given := in
	given.FromPlan = in.FromPlan && len(choosers) == 0
	plan, err := s.planOf(b.k, given, facts)
	if len(choosers) == 0 {
		return plan, err
	}
	if err == nil {
		facts.Selected = s.selectFlows(ctx, b, in.Actor, choosers)
	}
	return s.planOf(b.k, in, facts)
}

func (s *Service) planOf(k *knowledge, in casefile.VerifyInput, facts casefile.VerifyFacts) (casefile.VerificationPlan, error) {
	plan, err := casefile.PlanVerification(k.c, k.receipts, in, facts)
	if err == nil {
		err = s.checkSpecs(k.c, in, plan)
	}
	return plan, err
}

// selectFlows asks tools which of their specs the change affects, and says why where they name none.
func (s *Service) selectFlows(ctx context.Context, b *batch, actor string, choosers []string) map[string]casefile.Selection {
	r := s.tools(b.k.c)
	out := map[string]casefile.Selection{}
	for _, name := range choosers {
		if !r.Installed(name) {
			out[name] = casefile.Selection{Why: howToInstall(name, tool.Binary(name)+" is not installed, or not on PATH")}
			continue
		}
		op.Progress(ctx, "asking %s which specs are affected", name)
		began := s.now()
		chosen, a := affectedSpecs(ctx, r, name, b.k.facts.Base)
		b.audit = append(b.audit, s.auditOf(a, casefile.ReadOnly, actor, began))
		out[name] = s.selection(b.k.c, name, chosen, a)
	}
	return out
}

// affectedSpecs asks one tool. Cairn lists all of its specs where it cannot ask codemap.
func affectedSpecs(ctx context.Context, r tool.Runner, name, base string) (tool.Selection, tool.Answer) {
	switch {
	case name == tool.Glyphrun:
		return r.AffectedTerminalSpecs(ctx, base)
	case r.Installed(tool.Codemap):
		return r.AffectedBrowserSpecs(ctx, base)
	}
	return r.AffectedBrowserSpecs(ctx, "")
}

func (s *Service) selection(c *casefile.Case, name string, chosen tool.Selection, a tool.Answer) casefile.Selection {
	var out casefile.Selection
	for _, spec := range chosen.Specs {
		if canonical, err := casefile.CheckToolContract(c, name, "", spec, s.Redact.Refuses); err == nil {
			out.Specs = append(out.Specs, canonical)
		} else {
			chosen.Dropped++
		}
	}
	switch {
	case len(out.Specs) > 0:
	case !a.OK() || a.Class == tool.Partial:
		out.Why = fmt.Sprintf("%s cannot tell which specs are affected: %s", tool.Binary(name), a.Cause)
	case chosen.Dropped > 0:
		out.Why = fmt.Sprintf("%s names %d specs, and none of them is in the workspace", tool.Binary(name), chosen.Dropped)
	default:
		out.Why = tool.Binary(name) + " holds no spec to be affected"
	}
	return out
}

// checkSpecs refuses a verification that names a spec which is no file of the workspace. One that a tool chose, or that an
// earlier call named, is left to its run.
func (s *Service) checkSpecs(c *casefile.Case, in casefile.VerifyInput, plan casefile.VerificationPlan) error {
	r := s.tools(c)
	for _, check := range plan.Tools {
		field := check.NamedBy(c, in)
		if !check.Flow() || field == "" {
			continue
		}
		if _, err := r.SpecDigest(check.Contract); err != nil {
			return casefile.RefuseSpec(c, in, check.Tool, field, check.Contract)
		}
	}
	return nil
}

// howToInstall says why a tool is not there, and what to do about it.
func howToInstall(name, cause string) string {
	return fmt.Sprintf("%s: install %s and verify again", cause, name)
}

// flowDigest identifies a flow as a check: the tool, and the path and the bytes of the spec. "" when there is no such spec.
func (s *Service) flowDigest(name, spec string) string {
	sum, err := s.tools(nil).SpecDigest(spec)
	if err != nil {
		return "" // is no digest of any receipt
	}
	return digestOf(name, "run", spec, sum)
}

// specStamp changes when a spec, or the link to it, is written or replaced, even when it holds its earlier bytes again. Of a
// spec that git does not ignore the state of the worktree says the same.
func (s *Service) specStamp(spec string) string {
	name := filepath.Join(s.Workspace, filepath.FromSlash(spec))
	link, err := os.Lstat(name)
	if err != nil {
		return ""
	}
	file, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return gitrepo.Stamp(link) + gitrepo.Stamp(file)
}

// flowLabel is a flow in the words of evidence and warnings.
func flowLabel(check casefile.ToolCheck) string {
	return strings.TrimSpace(check.Tool + " spec " + check.Contract)
}
