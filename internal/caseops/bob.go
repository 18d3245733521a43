package caseops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/redact"
	"cortex/internal/tool"
)

const (
	bobTime      = 30 * time.Second // for all calls of one verb
	bobNote      = "Bob boundary: "
	maxBobNotes  = 32
	bobDigestHex = 20
)

// contract is what bob says of a repository that it manages, ready to be recorded. The zero value says nothing.
type contract struct {
	evidence []casefile.Evidence
	notes    []string
	raws     []casestore.Raw
	audit    []casefile.CommandRecord
	warnings []string
}

// bobContract asks bob about the workspace, where the repository has a manifest and bob is installed.
func (s *Service) bobContract(ctx context.Context, r tool.Runner) contract {
	var out contract
	if !r.BobApplies() {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, bobTime)
	defer cancel()
	began := s.now()
	said, a := r.BobContext(ctx)
	out.heard(s, a, began)
	if a.Class != tool.Authoritative {
		return out
	}
	state := "is as the recipe has it"
	if said.Drifted {
		state = "has drifted from the recipe"
		out.warnings = append(out.warnings, "bob: the repository "+state+"; bob plan shows how")
	}
	out.fact("context", said.Digest, fmt.Sprintf("bob manages %d files of %s by the recipe %s; the repository %s",
		said.Managed, orWord(s.excerpt(said.Product), "this repository"), said.Recipe, state), nil)
	for _, statement := range said.Invariants {
		out.fact("context", said.Digest+statement, "bob holds the repository to: "+s.excerpt(statement), nil)
	}
	out.notes = append(out.notes, fmt.Sprintf("%s%d files are managed by the recipe %s", bobNote, said.Managed, said.Recipe))
	return out
}

// bobPaths asks bob who owns the files of a plan.
func (s *Service) bobPaths(ctx context.Context, r tool.Runner, files []string) contract {
	var out contract
	if !r.BobApplies() {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, bobTime)
	defer cancel()
	asked := 0
	for _, file := range files {
		file = filepath.ToSlash(filepath.Clean(file))
		if strings.Contains(file, "*") || !filepath.IsLocal(file) {
			continue
		}
		if asked == tool.MaxBobPaths {
			out.warnings = append(out.warnings, fmt.Sprintf("bob was asked about %d files of the plan, not about all of them", asked))
			break
		}
		asked++
		began := s.now()
		said, a := r.BobPath(ctx, file)
		out.heard(s, a, began)
		if a.Class != tool.Authoritative {
			break // a second call would say the same
		}
		claim := fmt.Sprintf("%s is %s for bob (%s): an edit by hand %s", said.Path, said.Classification, said.State, strings.ReplaceAll(said.Effect, "_", " "))
		out.fact("path", claim, claim, &casefile.Location{File: said.Path})
		out.notes = append(out.notes, bobNote+claim)
		if said.Effect == "will_conflict" {
			out.warnings = append(out.warnings, "bob: "+claim)
		}
	}
	return out
}

func (b *contract) heard(s *Service, a tool.Answer, began time.Time) {
	b.audit = append(b.audit, s.auditOf(a, casefile.ReadOnly, "", began))
	b.raws = append(b.raws, casestore.Raw{ID: s.IDs.New("raw"), Text: s.rawText(a)})
	if a.Class != tool.Authoritative {
		b.warnings = append(b.warnings, "bob: "+a.Cause)
		b.raws = b.raws[:len(b.raws)-1] // no record would refer to it
	}
}

// fact adds a record about the newest answer, whose id says what it is about: the same answer gives no second record.
func (b *contract) fact(about, text, claim string, at *casefile.Location) {
	digest := sha256.Sum256([]byte(text))
	sensitivity := casefile.SensitivityNormal
	if strings.Contains(claim, redact.Mask) {
		sensitivity = casefile.SensitivitySensitive
	}
	b.evidence = append(b.evidence, casefile.Evidence{
		ID: "ev_bob_" + about + "_" + hex.EncodeToString(digest[:])[:bobDigestHex], Kind: casefile.KindRepositoryContract,
		Source: casefile.Source{Tool: tool.Bob}, Claim: claim, Location: at, Confidence: casefile.ConfidenceHigh,
		Sensitivity: sensitivity, RawRef: b.raws[len(b.raws)-1].ID,
	})
}

// of completes the records for a case.
func (b *contract) of(c *casefile.Case, commit string, now time.Time) []casefile.Evidence {
	for i := range b.evidence {
		e := &b.evidence[i]
		e.Timestamp, e.Commit, e.RawRef = now, commit, "case://"+c.ID+"/raw/"+e.RawRef
	}
	for _, note := range b.notes {
		said := func(have string) bool { return strings.HasPrefix(have, bobNote) }
		if n := len(slices.DeleteFunc(slices.Clone(c.Notes), func(have string) bool { return !said(have) })); n < maxBobNotes && !slices.Contains(c.Notes, note) {
			c.Notes = append(c.Notes, note)
		}
	}
	return b.evidence
}

// record adds to a change what the case does not have yet.
func (b *contract) record(e *casestore.Edit, commit string, now time.Time) error {
	e.AddCommands(b.audit...)
	var fresh []casefile.Evidence
	for _, one := range b.of(e.Case(), commit, now) {
		have, err := e.HasEvidence(one.ID)
		if err != nil {
			return err
		}
		if !have {
			fresh = append(fresh, one)
		}
	}
	for _, raw := range b.raws {
		if slices.ContainsFunc(fresh, func(one casefile.Evidence) bool { return strings.HasSuffix(one.RawRef, "/"+raw.ID) }) {
			e.AddRaw(raw.ID, raw.Text)
		}
	}
	e.AddEvidence(fresh...)
	return nil
}
