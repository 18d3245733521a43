package caseops

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
	"cortex/internal/problem"
)

var readArtifact = op.Define(op.Spec{
	Name: "read-artifact", Aliases: []string{"artifact", "raw"}, Tool: "cortex_read_artifact", Title: "Preview what a reference points to", Effect: op.Reads, Profiles: op.Agent, Idempotent: true, OpenWorld: true,
	Help: `Shows the first bytes, masked, of what a reference of the case points to: output, a record, or a file of a
fcheap://stash/ID that a record cites; without a path its files are listed and the first is shown.

Refuses references of other cases, and binary data unless asked for.`,
	Example: `cortex read-artifact task_… case://task_…/raw/raw_…
cortex read-artifact task_… fcheap://stash/… --path logs/run.txt`,
}, (*Service).ReadArtifact)

// ReadArtifactInput says what is to be read and how much of it.
type ReadArtifactInput struct {
	TaskID      string `json:"taskId,omitempty" op:"task" jsonschema:"default: the only active case"`
	Ref         string `json:"ref" op:"arg,required" jsonschema:"a rawRef or artifact of the case"`
	Path        string `json:"path,omitempty" jsonschema:"a file inside a stash"`
	MaxBytes    int    `json:"maxBytes,omitempty" op:"default=32768" jsonschema:"how much to show, at most 131072"`
	AllowBinary bool   `json:"allowBinary,omitempty" jsonschema:"show binary data in base64"`
}

// Artifact is the part of an artifact that a call shows.
type Artifact struct {
	Ref       string         `json:"ref"`
	StashID   string         `json:"stashId,omitempty"`
	Files     []ArtifactFile `json:"files,omitempty"`     // of a stash, at most 100, by path
	MoreFiles bool           `json:"moreFiles,omitempty"` // there may be files that are not listed
	Selected  string         `json:"selected,omitempty"`  // the file that Content is of
	casefile.Preview
}

// ArtifactFile is one file of a stash.
type ArtifactFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"` // bytes
}

// ReadArtifact reads what lies in the case itself or has fcheap restore a stash. It writes nothing to the case.
func (s *Service) ReadArtifact(ctx context.Context, in ReadArtifactInput) (Artifact, error) {
	ref, err := casefile.ParseReference(in.Ref)
	if err != nil {
		return Artifact{}, err
	}
	if in.MaxBytes, err = casefile.PreviewLimit(in.MaxBytes); err != nil {
		return Artifact{}, err
	}
	if in.Path != "" {
		if err := casefile.CheckArtifactPath(in.Path, ref); err != nil {
			return Artifact{}, err
		}
	}
	s, id, err := s.task(ctx, in.TaskID)
	if err != nil {
		return Artifact{}, err
	}
	in.TaskID = id
	if err := ref.OwnedBy(id); err != nil {
		return Artifact{}, err
	}
	switch ref.Kind {
	case casefile.RefStash:
		return s.readStash(ctx, in, ref)
	case casefile.RefExternal:
		return Artifact{}, s.notReadable(ctx, id, ref)
	}
	return s.readOwn(ctx, in, ref)
}

// readOwn shows what lies in the case.
func (s *Service) readOwn(ctx context.Context, in ReadArtifactInput, ref casefile.Reference) (Artifact, error) {
	out := Artifact{Ref: ref.Text}
	var data []byte
	sensitive := false
	err := s.Store.View(ctx, in.TaskID, func(r *casestore.Reader) error {
		var err error
		data, sensitive, err = s.own(r, ref)
		return err
	})
	if err == nil {
		out.Preview, err = s.preview(in, part{data: data})
	}
	out.Sensitive = out.Sensitive || sensitive
	return out, err
}

// own reads a blob, or a record as JSON.
func (s *Service) own(r *casestore.Reader, ref casefile.Reference) (data []byte, sensitive bool, err error) {
	switch ref.Kind {
	case casefile.RefEvidence:
		ev, err := r.EvidenceByID(ref.ID)
		return s.recordText(ev, err), ev.Sensitivity == casefile.SensitivitySensitive, err
	case casefile.RefReceipt:
		all, err := r.Receipts()
		for _, receipt := range all {
			if receipt.ID == ref.ID {
				return s.recordText(receipt, nil), receipt.Sensitive, nil
			}
		}
		return nil, false, noRecord(r, ref, err)
	case casefile.RefDecision:
		all, err := r.Decisions()
		for _, decision := range all {
			if decision.ID == ref.ID {
				return s.recordText(decision, nil), decision.Sensitive, nil
			}
		}
		return nil, false, noRecord(r, ref, err)
	}
	data, err = r.Raw(ref.ID)
	return data, false, err
}

func noRecord(r *casestore.Reader, ref casefile.Reference, err error) error {
	if err != nil {
		return err
	}
	id := r.Case().ID
	return problem.New(problem.ArtifactNotFound, "case %s has no record %s.", id, ref.Text).About(id, string(r.Case().Status)).
		With(problem.Step{Op: "show", Args: map[string]any{"taskId": id}, Why: "see the case's records"})
}

// recordText is a record as indented JSON; nothing after an error.
func (s *Service) recordText(record any, err error) []byte {
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(record); err != nil {
		panic("caseops: a record is always encodable: " + err.Error())
	}
	return s.Redact.JSON(b.Bytes())
}

// part is what was read of an artifact.
type part struct {
	path string // inside the artifact; empty when it is one file
	data []byte
	more bool // the artifact goes on behind data
}

// hiddenTail is how much before the end of a part is never shown when more follows: a secret there may be cut in two and
// so not be found. It is longer than any key.
const hiddenTail = 64 << 10

// preview masks, then cuts.
func (s *Service) preview(in ReadArtifactInput, p part) (casefile.Preview, error) {
	if p.more {
		p.data = casefile.WholeRunes(p.data)
	}
	if casefile.Binary(p.data) {
		if !in.AllowBinary {
			return casefile.Preview{}, casefile.BinaryRefused(in.TaskID, in.Ref, p.path)
		}
		return casefile.BinaryPreview(s.Redact.Bytes(p.data), in.MaxBytes, p.more), nil
	}
	masked := s.Redact.Text(string(p.data))
	if p.more {
		masked = masked[:max(0, len(masked)-hiddenTail)]
	}
	return casefile.TextPreview(masked, in.MaxBytes, p.more), nil
}

// Text is the preview for people.
func (a Artifact) Text(st op.Style) string {
	text := a.Content
	if a.Encoding == casefile.EncodingBase64 {
		text = fmt.Sprintf("%s\n%s\n", st.Warn("binary data in base64, not judged for secrets:"), a.Content)
	}
	if text != "" && text[len(text)-1] != '\n' {
		text += "\n"
	}
	if a.Truncated {
		text += st.Dim(fmt.Sprintf("… cut after %d bytes; --max-bytes shows up to %d", a.BytesReturned, casefile.MaxPreview)) + "\n"
	}
	if a.Selected != "" {
		text += st.Dim("file: "+a.Selected) + "\n"
	}
	for _, f := range a.Files {
		text += st.Dim(fmt.Sprintf("  %s (%d bytes)", f.Path, f.Size)) + "\n"
	}
	return text
}
