package caseops

import (
	"context"
	"errors"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/problem"
	"cortex/internal/tool"
)

// readAhead is how much of a file is read behind what may be shown, so that masking sees whole secrets.
const readAhead = 1 << 20

// readStash has a recorded stash restored, and shows one of its files.
func (s *Service) readStash(ctx context.Context, in ReadArtifactInput, ref casefile.Reference) (Artifact, error) {
	if _, err := s.citing(ctx, in.TaskID, ref); err != nil {
		return Artifact{}, err
	}
	stash, err := s.tools(nil).RestoreStash(ctx, ref.ID)
	if err != nil {
		return Artifact{}, err
	}
	out, err := s.previewStash(in, ref, stash)
	return out, errors.Join(err, stash.Close())
}

func (s *Service) previewStash(in ReadArtifactInput, ref casefile.Reference, stash *tool.Stash) (Artifact, error) {
	out := Artifact{Ref: ref.Text, StashID: ref.ID, Selected: in.Path}
	files, more := stash.Files()
	out.MoreFiles = more
	for _, f := range files {
		out.Files = append(out.Files, ArtifactFile(f))
	}
	if out.Selected == "" {
		if len(files) == 0 {
			return out, noFile(in, "no regular file", files)
		}
		out.Selected = files[0].Path
	}
	data, goesOn, err := stash.Read(out.Selected, int64(in.MaxBytes+readAhead))
	if errors.Is(err, tool.ErrNoFile) {
		return out, noFile(in, "no regular file at "+out.Selected, files)
	}
	if err == nil {
		out.Preview, err = s.preview(in, part{path: out.Selected, data: data, more: goesOn})
	}
	return out, withPaths(err, files)
}

func noFile(in ReadArtifactInput, what string, files []tool.File) error {
	p := problem.New(problem.ArtifactNotFound, "%s holds %s that is reached without a link.", in.Ref, what).
		About(in.TaskID, "").On("path", in.Path, "the path of a file in the stash")
	if len(files) == 0 {
		return p.Without("there is nothing in it that can be shown")
	}
	p.With(problem.Step{Op: "read-artifact", Args: map[string]any{"taskId": in.TaskID, "ref": in.Ref}, Inputs: []string{"path"}, Why: "name one of its files"})
	return withPaths(p, files)
}

// withPaths offers the files of a stash where a refusal asks for a path, or could be evaded by another one.
func withPaths(err error, files []tool.File) error {
	var p *problem.Problem
	if !errors.As(err, &p) || len(p.Next) == 0 {
		return err
	}
	var paths []string
	for _, f := range files[:min(len(files), casefile.MaxCandidates)] {
		paths = append(paths, f.Path)
	}
	p.Next[0].Candidates = map[string][]string{"path": paths}
	return err
}

// citing lists the records by which the case knows a reference from outside.
func (s *Service) citing(ctx context.Context, id string, ref casefile.Reference) ([]string, error) {
	var citing []string
	err := s.Store.View(ctx, id, func(r *casestore.Reader) error {
		var err error
		citing, err = r.Citing(s.Redact.Text(ref.Text))
		return err
	})
	if err == nil && len(citing) == 0 {
		err = problem.New(problem.ArtifactNotFound, "case %s has not recorded %s; a reference from outside is read only after a record cites it.", id, ref.Text).
			About(id, "").On("ref", ref.Text, "a reference that the case cites").
			With(problem.Step{Op: "note", Args: map[string]any{"taskId": id, "uri": ref.Text}, Inputs: []string{"claim"}, Why: "record what it is, then read it"})
	}
	return citing, err
}

// notReadable says who cites a reference that nothing here can open.
func (s *Service) notReadable(ctx context.Context, id string, ref casefile.Reference) error {
	citing, err := s.citing(ctx, id, ref)
	if err != nil {
		return err
	}
	return problem.New(problem.InvalidInput, "%s is cited by %s; Cortex opens no %s:// references itself: open it where you are.",
		ref.Text, citing[0], casefile.Scheme(ref.Text)).About(id, "").On("ref", ref.Text, "a case:// or fcheap:// reference").
		With(problem.Step{Op: "show", Args: map[string]any{"taskId": id}, Why: fmt.Sprintf("see the %d record(s) that cite it", len(citing))})
}
