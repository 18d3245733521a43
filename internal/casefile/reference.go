package casefile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"cortex/internal/problem"
)

// RefKind says what a reference points to.
type RefKind string

// The kinds of references. All but the last two lie in the case that the reference names.
const (
	RefRaw      RefKind = "raw"          // case://TASK/raw/ID, output of a tool
	RefEvidence RefKind = "evidence"     // case://TASK/evidence/ID, a record
	RefReceipt  RefKind = "verification" // case://TASK/verification/ID
	RefDecision RefKind = "decisions"    // case://TASK/decisions/ID
	RefStash    RefKind = "stash"        // fcheap://stash/ID, files that fcheap keeps
	RefExternal RefKind = "external"     // anything else with a scheme; nothing here reads it
)

// Reference is a text such as case://TASK/raw/ID, taken apart.
type Reference struct {
	Kind   RefKind
	Text   string
	TaskID string // of the case that it lies in; empty outside cases
	ID     string // empty for RefExternal
}

const (
	caseScheme  = "case"
	stashPrefix = "fcheap://stash/"
	refForms    = "case://TASK/raw/ID, case://TASK/evidence/ID or fcheap://stash/ID"
)

// ParseReference takes a reference apart. It refuses what no reference has the form of; an identifier in it is a plain
// name and never a path.
func ParseReference(text string) (Reference, error) {
	text, err := CheckText("ref", text, MaxArtifactRef)
	if err != nil {
		return Reference{}, err
	}
	scheme := Scheme(text)
	if id, ok := strings.CutPrefix(text, stashPrefix); ok && plainName(id, "-_.") {
		return Reference{Kind: RefStash, Text: text, ID: id}, nil
	}
	parts := strings.Split(strings.TrimPrefix(text, caseScheme+"://"), "/")
	inCase := []RefKind{RefRaw, RefEvidence, RefReceipt, RefDecision}
	switch {
	case scheme == caseScheme && len(parts) == 3 && CheckTaskID(parts[0]) == nil && plainName(parts[2], "-_") &&
		slices.Contains(inCase, RefKind(parts[1])):
		return Reference{Kind: RefKind(parts[1]), Text: text, TaskID: parts[0], ID: parts[2]}, nil
	case scheme != "" && scheme != caseScheme && !strings.HasPrefix(text, "fcheap:"):
		return Reference{Kind: RefExternal, Text: text}, nil
	}
	return Reference{}, invalid("ref", text, refForms, "%q is no reference of the form %s.", clip(text, MaxIdentifier), refForms)
}

// plainName reports whether id can be a file name or an argument of a program: it begins with a letter or digit.
func plainName(id, extra string) bool {
	return id != "" && len(id) <= MaxIdentifier && onlyOf(id, extra) && onlyOf(id[:1], "")
}

// OwnedBy refuses a reference that lies in another case than taskID.
func (r Reference) OwnedBy(taskID string) error {
	if r.TaskID == "" || r.TaskID == taskID {
		return nil
	}
	return problem.New(problem.ForeignReference, "%s lies in case %s; case %s can read only its own references.", r.Text, r.TaskID, taskID).
		About(taskID, "").On("ref", r.Text, "a reference of case "+taskID).
		With(problem.Step{Op: "read-artifact", Args: map[string]any{"taskId": r.TaskID, "ref": r.Text}, Why: "read it with its own case"})
}

// Scheme returns the scheme of "scheme://rest" in lower case; "" for text that is not of this form.
func Scheme(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	blank := strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f })
	if !ok || rest == "" || blank || !plainName(scheme, "+-.") {
		return ""
	}
	return strings.ToLower(scheme)
}

// external reports whether a reference points outside the cases.
func external(reference string) bool {
	scheme := Scheme(reference)
	return scheme != "" && scheme != caseScheme
}

// Cites lists what a record points to outside the cases.
func (e Evidence) Cites() []string { return externals(e.Source.URI, e.RawRef) }

// Cites lists what a receipt points to outside the cases.
func (r Receipt) Cites() []string { return externals(r.Artifact) }

func externals(references ...string) []string {
	var out []string
	for _, ref := range references {
		if external(ref) && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	return out
}

// Ref is refs/<id>.json: one thing outside the case that its records cite.
type Ref struct {
	SchemaVersion int       `json:"schemaVersion"`
	ID            string    `json:"id"` // RefID of Reference
	Reference     string    `json:"reference"`
	Kind          string    `json:"kind"`             // the scheme of the reference
	Digest        string    `json:"digest,omitempty"` // sha256:HEX of the content, when it was seen
	Size          int64     `json:"size,omitempty"`   // in bytes, when known
	Citing        []string  `json:"citing"`           // evidence and receipts, oldest first, at most MaxCiting
	CreatedAt     time.Time `json:"createdAt"`
}

// RefID is the identifier under which a reference is kept: the same text has the same one in every case.
func RefID(reference string) string {
	sum := sha256.Sum256([]byte(reference))
	return "ref_" + hex.EncodeToString(sum[:16])
}

// NewRef is the record of a reference that nothing cites yet.
func NewRef(reference string, now time.Time) Ref {
	return Ref{SchemaVersion: SchemaVersion, ID: RefID(reference), Reference: reference, Kind: Scheme(reference), CreatedAt: now.UTC()}
}

// CitedBy returns r with one more record that cites it; the oldest beyond MaxCiting are dropped. changed is false when
// it was listed.
func (r Ref) CitedBy(id string) (next Ref, changed bool) {
	if slices.Contains(r.Citing, id) {
		return r, false
	}
	all := append(slices.Clone(r.Citing), id)
	r.Citing = all[max(0, len(all)-MaxCiting):]
	return r, true
}
