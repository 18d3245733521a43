package caseops

import (
	"context"
	"fmt"
	"time"

	"cortex/internal/casefile"
)

// shortCommit is how many hex digits of a commit a case keeps: enough that git never finds it ambiguous.
const shortCommit = 12

// orientation is what a new case is told about the repository it starts in.
type orientation struct {
	claim    string // "" outside a repository
	commit   string
	warnings []string
	missing  []string // tools that observe the case's surfaces and are not installed
	bob      contract
}

// orient asks git where the work starts and writes that into c.
func (s *Service) orient(ctx context.Context, c *casefile.Case) (orientation, error) {
	seen := orientation{warnings: append([]string(nil), s.Warnings...)}
	if s.Repo == nil {
		seen.warnings = append(seen.warnings, s.Workspace+" is not inside a git repository: nothing can be bound to it, so nothing can be verified")
		return seen, nil
	}
	facts, err := s.Repo.Facts(ctx, "HEAD")
	if err != nil {
		return seen, err
	}
	c.Workspace.Repository, c.Workspace.Branch = s.Repo.Name, s.Redact.Text(facts.Branch)
	c.Workspace.CommitBefore = short(facts.Commit)
	seen.commit = facts.Commit
	seen.claim = fmt.Sprintf("workspace %s on branch %s at %s", c.Workspace.Repository, orWord(c.Workspace.Branch, "(detached)"), orWord(short(facts.Commit), "(no commit yet)"))
	if facts.Commit == "" {
		seen.warnings = append(seen.warnings, "the repository has no commit yet: everything in it counts as changed")
	} else if facts.Dirty {
		seen.warnings = append(seen.warnings, fmt.Sprintf("the worktree is dirty: %d path(s) differ from %s and will count as changes of this case", len(facts.Changed), short(facts.Commit)))
	}
	seen.warnings = append(seen.warnings, facts.Warnings...)
	return seen, nil
}

// orientByTools adds what does not come from git. Which tools are missing is seen on PATH; bob alone is started, where the
// repository is one of its own and, with resumes, no case would be resumed.
func (s *Service) orientByTools(ctx context.Context, c *casefile.Case, seen *orientation, resumes bool) error {
	r := s.tools(nil)
	seen.missing = untold(c, r, casefile.ToolsOf(c.Surfaces)...)
	if !r.BobApplies() {
		return nil
	}
	if resumes {
		if found, _, err := s.findOpened(ctx, c); err != nil || found != nil {
			return err
		}
	}
	seen.bob = s.bobContract(ctx, r)
	return nil
}

// evidence is the orientation as the first record of a case.
func (o orientation) evidence(taskID string, now time.Time) []casefile.Evidence {
	if o.claim == "" {
		return nil
	}
	const id = "ev_orientation_git"
	return []casefile.Evidence{{
		ID: id, Timestamp: now, Kind: casefile.KindCodeLocation, Source: casefile.Source{Tool: "git"}, Claim: o.claim,
		Confidence: casefile.ConfidenceHigh, Sensitivity: casefile.SensitivityNormal, RawRef: selfRef(taskID, id), Commit: o.commit,
	}}
}

func short(commit string) string { return commit[:min(len(commit), shortCommit)] }

func orWord(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// selfRef is the rawRef of a record that has no raw output: it points at the record.
func selfRef(taskID, evidenceID string) string {
	return "case://" + taskID + "/evidence/" + evidenceID
}
