package caseops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cortex/internal/casefile"
	"cortex/internal/tool"
)

// maxStashBytes bounds what is hashed of a stash; a larger one is not looked at whole and proves nothing.
const maxStashBytes = 64 << 20

// stash looks whether an artifact is really there: its files are restored and hashed. That an id is known proves nothing.
func (o *observer) stash(ctx context.Context, run *casefile.CheckRun) {
	run.Kind, run.Artifact = casefile.KindArtifact, run.Contract
	id := strings.TrimPrefix(run.Contract, "fcheap://stash/")
	began := o.s.now()
	info, a := o.r.FcheapInfo(ctx, id)
	o.b.audit = append(o.b.audit, o.s.auditOf(a, casefile.ReadOnly, o.b.plan.Actor, began))
	run.Argv, run.Duration = a.Argv, a.Duration
	switch {
	case a.Class == tool.Unavailable:
		run.Status, run.Reason, run.Artifact = casefile.StatusBlocked, howToInstall(tool.Fcheap, a.Cause), ""
		return
	case a.Class != tool.Authoritative:
		run.Reason = "fcheap info: " + a.Cause
	case len(info.Files) == 0:
		run.Status, run.Reason = casefile.StatusFailed, "the stash holds no file"
	default:
		o.restore(ctx, run, info)
	}
	run.Version = o.version(ctx, tool.Fcheap)
	if run.Status != casefile.StatusPassed {
		o.b.warn("artifact %s is not proven: %s", run.Contract, run.Reason)
	}
	record := o.record(casefile.KindArtifact, tool.Fcheap, stashClaim(id, *run), casefile.ConfidenceHigh, o.raw(a))
	record.Source.URI = run.Contract
	if run.Status == casefile.StatusInconclusive {
		record.Confidence = casefile.ConfidenceMedium
	}
	o.b.evidence = append(o.b.evidence, record)
	run.Evidence = append([]string{record.ID}, run.Evidence...)
}

// restore has the files of a stash restored, hashes them and compares them with what fcheap says it holds.
func (o *observer) restore(ctx context.Context, run *casefile.CheckRun, info tool.StashInfo) {
	began := o.s.now()
	stash, a := o.r.FcheapRestore(ctx, info.ID)
	o.b.audit = append(o.b.audit, o.s.auditOf(a, casefile.ReadOnly, o.b.plan.Actor, began))
	run.Duration += a.Duration
	if stash == nil {
		run.Reason = "fcheap restore: " + a.Cause
		return
	}
	files, whole, err := stash.Digests(maxStashBytes)
	if closed := stash.Close(); err == nil {
		err = closed
	}
	if err != nil {
		run.Reason = "the restored files could not be read: " + err.Error()
		return
	}
	run.Status, run.Reason = stashVerdict(info, files, whole)
	var listing strings.Builder
	for _, f := range files {
		fmt.Fprintf(&listing, "%s  %d  %s\n", f.SHA256, f.Size, f.Path)
	}
	record := o.record(casefile.KindArtifact, tool.Fcheap, fmt.Sprintf("artifact stash %s was restored: %d file(s), %d bytes, each with its sha256 in the raw text", info.ID, len(files), total(files)),
		casefile.ConfidenceHigh, o.raw(tool.Answer{Argv: a.Argv, Exit: a.Exit, Class: a.Class, Stdout: []byte(listing.String())}))
	o.b.evidence = append(o.b.evidence, record)
	run.Evidence = append(run.Evidence, record.ID)
}

// stashVerdict compares what a stash is said to hold with what was restored of it.
func stashVerdict(info tool.StashInfo, files []tool.Digested, whole bool) (casefile.ReceiptStatus, string) {
	if !whole {
		return casefile.StatusInconclusive, fmt.Sprintf("the stash is too large to be looked at whole: %d files with %d bytes were read", len(files), total(files))
	}
	for _, want := range info.Files {
		i := slices.IndexFunc(files, func(f tool.Digested) bool { return f.Path == want.Path })
		switch {
		case i < 0:
			return casefile.StatusFailed, "a file of the stash was not restored: " + want.Path
		case files[i].Size != want.Size:
			return casefile.StatusFailed, fmt.Sprintf("%s has %d bytes, and fcheap says %d", want.Path, files[i].Size, want.Size)
		}
	}
	return casefile.StatusPassed, ""
}

func total(files []tool.Digested) int64 {
	var n int64
	for _, f := range files {
		n += f.Size
	}
	return n
}

func stashClaim(id string, run casefile.CheckRun) string {
	if run.Status == casefile.StatusPassed {
		return fmt.Sprintf("artifact stash %s exists, and its files were restored and hashed", id)
	}
	return fmt.Sprintf("artifact stash %s is not proven: %s", id, run.Reason)
}

// project looks whether the vault has a project of that name. No value is read.
func (o *observer) project(ctx context.Context, run *casefile.CheckRun) {
	run.Kind = casefile.KindCodeLocation // as published cases have it
	began := o.s.now()
	names, a := o.r.TvaultProjects(ctx)
	o.b.audit = append(o.b.audit, o.s.auditOf(a, casefile.ReadOnly, o.b.plan.Actor, began))
	run.Argv, run.Duration = a.Argv, a.Duration
	there := slices.Contains(names, run.Contract)
	switch {
	case a.Class == tool.Unavailable && !o.r.Installed(tool.Tvault):
		run.Status, run.Reason = casefile.StatusBlocked, howToInstall(tool.Tvault, a.Cause)
	case a.Class == tool.Unavailable || a.Class == tool.Blocked:
		run.Status, run.Reason = casefile.StatusBlocked, a.Cause
	case a.Class != tool.Authoritative:
		run.Reason = "tvault projects: " + a.Cause
	case there:
		run.Status = casefile.StatusPassed
	default:
		run.Status, run.Reason = casefile.StatusFailed, "the vault has no project of that name"
	}
	if run.Status == casefile.StatusBlocked || run.Status == casefile.StatusInconclusive {
		o.b.warn("secret project %s is not proven: %s", run.Contract, run.Reason)
		return
	}
	record := o.record(run.Kind, tool.Tvault, fmt.Sprintf("tvault project %q available: %t", run.Contract, there), casefile.ConfidenceHigh, o.raw(a))
	o.b.evidence = append(o.b.evidence, record)
	run.Evidence = []string{record.ID}
}
