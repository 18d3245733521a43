package op

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// crate is a result that can grow in every way.
type crate struct {
	Envelope
	Labels []label           `json:"labels,omitempty"`
	Lid    *label            `json:"lid,omitempty"`
	Marks  map[string]string `json:"marks,omitempty"`
}

// rack is a result that knows what to leave out.
type rack struct {
	Jars []string `json:"jars"`
	Next string   `json:"nextCursor,omitempty"`
}

func (r *rack) Shrink(excess int) {
	for excess > 0 && len(r.Jars) > 1 {
		last := len(r.Jars) - 1
		excess -= len(r.Jars[last]) + len(`"",`)
		r.Jars, r.Next = r.Jars[:last], r.Jars[last-1]
	}
}

func TestJSONWithinIsShortEnough(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("ä", n/2) }
	many := make([]label, 200)
	for i := range many {
		many[i] = label{"id", long(5000)}
	}
	jars := make([]string, 3000)
	for i := range jars {
		jars[i] = strings.Repeat("j", 50)
	}
	for name, v := range map[string]any{
		"one long text":   &crate{Envelope: Envelope{Summary: long(300000)}},
		"many texts":      &crate{Labels: many, Lid: &label{"id", long(9000)}},
		"quotes":          &crate{Envelope: Envelope{Summary: strings.Repeat(`"`, 90000)}},
		"list":            &rack{Jars: jars},
		"blanks only":     &rack{Jars: make([]string, 15000)},
		"nothing is long": &crate{Lid: &label{"id", "short"}},
	} {
		const limit = 100000
		raw, err := Call{}.JSONWithin(v, limit)
		if err != nil || len(raw) > limit || !utf8.Valid(raw) || !json.Valid(raw) {
			t.Errorf("%s: %d bytes, %v; want at most %d", name, len(raw), err, limit)
		}
		text := string(raw)
		if cut := strings.Contains(text, "…"); cut != strings.Contains(text, "are cut in this answer") {
			t.Errorf("%s: cut %t, and the warning does not agree: %.200s", name, cut, text)
		}
		if name == "list" && !strings.Contains(text, "nextCursor") {
			t.Errorf("%s: shortened without a cursor", name)
		}
	}
}

func TestCutTextsLeaveActionsWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	v := &crate{Envelope: Envelope{Summary: strings.Repeat(long, 40), Actions: []Action{{Command: long}}, NextActions: []string{long}}}
	if _, err := (Call{}).JSONWithin(v, 30000); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{long, long}, []string{v.Actions[0].Command, v.NextActions[0]}); diff != "" || len(v.Summary) > 16<<10 {
		t.Errorf("summary of %d bytes, actions (-want +got):\n%s", len(v.Summary), diff)
	}
}

func TestSecretsAreMaskedBeforeTheyAreCut(t *testing.T) {
	t.Parallel()
	mask := func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte("hunter2"), []byte("***")) }
	for shift := range len("hunter2") + 1 {
		v := &crate{Labels: []label{{"id", strings.Repeat("x", 16<<10-len("…")-shift) + "hunter2" + strings.Repeat("y", 99000)}}}
		raw, err := Call{Redact: mask}.JSONWithin(v, 30000)
		if err != nil || strings.Contains(string(raw), "xhu") {
			t.Errorf("cut inside the secret at %d: %v, %.60q…%.60q", shift, err, raw, raw[max(0, len(raw)-200):])
		}
	}
}

func TestMasksThatAreLongerThanTheirSecretsFit(t *testing.T) {
	t.Parallel()
	mask := func(raw []byte) []byte { return bytes.ReplaceAll(raw, []byte("s3"), []byte("[masked]")) }
	jars := make([]string, 900)
	for i := range jars {
		jars[i] = strings.Repeat("s3", 4) + strings.Repeat("j", 100)
	}
	const limit = 100000
	if raw, err := (Call{Redact: mask}).JSONWithin(&rack{Jars: jars}, limit); err != nil || len(raw) > limit || !strings.Contains(string(raw), "nextCursor") {
		t.Errorf("%d bytes, %v; want at most %d and a cursor", len(raw), err, limit)
	}
}

func TestCutEndsAtACharacter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, want string
		most       int
	}{
		{"short", "short", 5}, {"longer", "lo…", 5}, {"äöü", "ä…", 5}, {"☺☺☺", "☺…", 8}, {"☺☺", "…", 5}, {"", "", 3},
	} {
		if got := Cut(tt.text, tt.most); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}
