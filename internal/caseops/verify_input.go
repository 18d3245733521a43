package caseops

import (
	"fmt"
	"slices"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/problem"
	"cortex/internal/verifier"
)

// ClaimSpec is a typed claim as an argument: an object on the wire, id=…|surface=…|verifier=…|contract=…|statement on a
// command line.
type ClaimSpec struct {
	ID        string           `json:"id,omitempty" jsonschema:"a criterion's id, or another"`
	Statement string           `json:"statement" op:"required" jsonschema:"what is claimed; a criterion's exact words"`
	Surface   casefile.Surface `json:"surface" op:"required" jsonschema:"where it shows"`
	Verifier  string           `json:"verifier,omitempty" jsonschema:"default: by surface; command:NAME for a command"`
	Contract  string           `json:"contract" op:"required" jsonschema:"NAME, NAME#TEST, spec, stash or project"`
}

// UnmarshalText reads the command line's form.
func (c *ClaimSpec) UnmarshalText(text []byte) error {
	var spec casefile.ClaimSpec
	if err := spec.UnmarshalText(text); err != nil {
		return err
	}
	*c = ClaimSpec(spec)
	return nil
}

// Attestation is somebody's word on a process criterion as an argument: an object on the wire, id=ev_…[,ev_…][|note] on a
// command line.
type Attestation struct {
	ID        string   `json:"id,omitempty" jsonschema:"id of a process criterion"`
	ClaimID   string   `json:"claimId,omitempty" op:"hide=mcp" jsonschema:"the same as id"`
	Statement string   `json:"statement,omitempty" jsonschema:"its exact words, or none"`
	Evidence  []string `json:"evidence,omitempty" jsonschema:"evidence ids"`
	Note      string   `json:"note,omitempty"`
}

// UnmarshalText reads the command line's form.
func (a *Attestation) UnmarshalText(text []byte) error {
	var read casefile.Attestation
	err := read.UnmarshalText(text)
	*a = Attestation{ID: read.ID, Evidence: read.Evidence, Note: read.Note}
	return err
}

// rules brings the forms in which claims can be given together.
func (in VerifyInput) rules() (casefile.VerifyInput, error) {
	out := casefile.VerifyInput{
		Actor: in.Actor, FromPlan: in.FromPlan, Only: in.Only, Stale: in.Stale, NoOp: in.NoOp, AckDrift: in.AckDrift,
		BrowserSpecs: in.Browser, TerminalSpecs: in.Terminal, NoAutoSpecs: in.NoAutoSpecs,
		ArtifactRef: in.ArtifactRef, SecretProject: in.Project, Hints: in.ChangedFiles,
	}
	for _, spec := range in.Specs {
		out.Claims = append(out.Claims, casefile.ClaimSpec(spec))
	}
	for _, a := range in.Attestations {
		out.Attest = append(out.Attest, casefile.Attestation{ID: orWord(a.ID, a.ClaimID), Statement: a.Statement, Evidence: a.Evidence, Note: a.Note})
	}
	typed := len(in.Surfaces) + len(in.Contracts) + len(in.IDs) + len(in.Verifiers)
	if typed == 0 {
		out.Legacy = in.Claims
		return out, nil
	}
	for name, list := range map[string][]string{"claim-id": in.IDs, "claim-surface": in.Surfaces, "claim-verifier": in.Verifiers, "claim-contract": in.Contracts} {
		mandatory := name == "claim-surface" || name == "claim-contract"
		if len(list) != len(in.Claims) && (mandatory || len(list) > 0) {
			return out, uneven(name, len(list), len(in.Claims))
		}
	}
	for i, statement := range in.Claims {
		spec := casefile.ClaimSpec{Statement: statement, Surface: casefile.Surface(in.Surfaces[i]), Contract: in.Contracts[i]}
		if len(in.IDs) > 0 {
			spec.ID = in.IDs[i]
		}
		if len(in.Verifiers) > 0 {
			spec.Verifier = in.Verifiers[i]
		}
		out.Claims = append(out.Claims, spec)
	}
	return out, nil
}

func uneven(flag string, got, want int) error {
	return problem.New(problem.InvalidInput, "typed verification claim needs an exact verifier contract: %d claim(s) need as many --%s, and %d were given.", want, flag, got).
		On("claimSpecs", got, fmt.Sprintf("%d", want)).
		With(problem.Step{Op: "verify", Inputs: []string{"claimSpecs"}, Why: "give each claim whole as one --claim-spec"})
}

// unreadableWorktree refuses a verification that nothing could be bound to.
func unreadableWorktree(k *knowledge) error {
	return problem.New(problem.GitFailed, "the worktree cannot be read, so nothing could be proven about it: %s.", strings.Join(k.warnings, "; ")).
		About(k.c.ID, string(k.c.Status)).
		Without("make git answer in this workspace and verify again")
}

// ignoreWritten says what to do about a check that writes into the worktree it proves. Its command tells which of the files
// are new, and can be ignored, and which are tracked.
func (s *Service) ignoreWritten(written []string) problem.Step {
	listed := written[:min(len(written), casefile.MaxWrittenPaths)]
	why := "a check wrote into the worktree, so it proved nothing: add these files to .gitignore or move the check's output outside the repository, and verify again"
	for _, v := range s.Config.Verifiers {
		if report, ok := strings.CutPrefix(v.Report, verifier.ReportJUnit); ok && slices.Contains(written, report) {
			why = fmt.Sprintf("the report of verifier %s lies in the worktree and git does not ignore it, so its run proved nothing: add /%s to .gitignore, and verify again", v.Name, report)
		}
	}
	return problem.Step{
		Command: verifier.CommandLine(append([]string{"git", "status", "--short", "--"}, listed...)), Why: why, BlockedBy: listed,
	}
}

// citedKinds are the kinds of the cited records that the case has.
func citedKinds(r *casestore.Reader, attestations []casefile.Attestation) (map[string]string, error) {
	kinds := map[string]string{}
	for _, a := range attestations {
		for _, id := range a.Evidence[:min(len(a.Evidence), casefile.MaxSupports)] {
			record, err := r.EvidenceByID(id)
			switch {
			case err == nil:
				kinds[id] = record.Kind
			case !problem.Is(err, problem.EvidenceNotFound):
				return nil, err
			}
		}
	}
	return kinds, nil
}
