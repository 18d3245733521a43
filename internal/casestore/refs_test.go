package casestore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/casefile"
)

const stashRef = "fcheap://stash/fc_1"

func citing(id, uri string) casefile.Evidence {
	ev := anEvidence(id)
	ev.Source.URI = uri
	return ev
}

func refsOf(t *testing.T, s *Store) []casefile.Ref {
	t.Helper()
	var all []casefile.Ref
	view(t, s, testTask, func(r *Reader) error {
		var total int
		var err error
		all, total, err = r.Refs(100)
		if total != len(all) {
			t.Errorf("Refs: %d of %d", len(all), total)
		}
		return err
	})
	return all
}

func TestCitingTransactionKeepsTheReference(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase(), citing("ev_0", "https://example.com/a"), citing("ev_00", "https://example.com/a"))
	update(t, s, testTask, func(e *Edit) error {
		e.AddEvidence(citing("ev_1", stashRef), citing("ev_2", stashRef), citing("ev_3", "a.txt"))
		return e.PutReceipts([]casefile.Receipt{{ID: "vr_1", Artifact: stashRef}})
	})
	update(t, s, testTask, func(e *Edit) error {
		return e.PutReceipts([]casefile.Receipt{{ID: "vr_1", Artifact: stashRef}, {ID: "vr_2", Artifact: stashRef}})
	})
	got := map[string][]string{}
	for _, ref := range refsOf(t, s) {
		got[ref.Kind+" "+ref.Reference] = ref.Citing
	}
	want := map[string][]string{
		"https https://example.com/a": {"ev_0", "ev_00"}, "fcheap " + stashRef: {"ev_1", "ev_2", "vr_1", "vr_2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if found, err := s.Check(ctx); err != nil || len(found) != 0 {
		t.Errorf("Check = %+v, %v; want nothing", found, err)
	}
	for _, reference := range []string{stashRef, "fcheap://stash/other"} {
		view(t, s, testTask, func(r *Reader) error {
			ids, err := r.Citing(reference)
			if (len(ids) == 4) != (reference == stashRef) {
				t.Errorf("Citing(%s) = %v", reference, ids)
			}
			return err
		})
	}
}

func TestFailedTransactionLeavesNoReference(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	err := s.Update(ctx, testTask, func(e *Edit) error {
		e.AddEvidence(citing("ev_1", stashRef))
		return e.AddEvidence(citing("ev_1", stashRef))
	})
	if got := refsOf(t, s); err == nil || len(got) != 0 {
		t.Errorf("Update = %v, references %+v; want an error and none", err, got)
	}
}

func TestReferenceIsMaskedLikeTheRecordThatCitesIt(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	const secret = "https://user:plantedUrlSecret1@example.com/x"
	update(t, s, testTask, func(e *Edit) error { return e.AddEvidence(citing("ev_1", secret)) })
	masked := s.enc.mask.Text(secret)
	view(t, s, testTask, func(r *Reader) error {
		ids, err := r.Citing(masked)
		ev, evErr := r.EvidenceByID("ev_1")
		if err != nil || evErr != nil || len(ids) != 1 || ev.Source.URI != masked {
			t.Errorf("Citing(%s) = %v, %v; evidence has %q, %v", masked, ids, err, ev.Source.URI, evErr)
		}
		return nil
	})
	for path, text := range tree(t, s.Dir()) {
		if strings.Contains(path+text, "plantedUrlSecret1") {
			t.Errorf("%s holds the secret: %s", path, text)
		}
	}
}

func TestReferenceKeepsWhatIsKnownOfItsContent(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	create(t, s, aCase())
	name := refName(casefile.RefID(stashRef))
	update(t, s, testTask, func(e *Edit) error {
		e.AddEvidence(citing("ev_1", stashRef))
		return e.AddRef(casefile.Ref{Reference: stashRef, Digest: "sha256:aa", Size: 6})
	})
	planted := strings.Replace(onDisk(t, s, testTask, name), "{", `{"later": 1,`, 1)
	plant(t, s, testTask, map[string]string{name: planted})
	update(t, s, testTask, func(e *Edit) error { return e.AddEvidence(citing("ev_2", stashRef)) })
	ref := refsOf(t, s)[0]
	if ref.Digest != "sha256:aa" || ref.Size != 6 || len(ref.Citing) != 2 || ref.SchemaVersion != casefile.SchemaVersion || ref.CreatedAt.IsZero() {
		t.Errorf("reference = %+v", ref)
	}
	mustContain(t, name, onDisk(t, s, testTask, name), `"later": 1`)
}

func TestOlderCaseResolvesReferencesThroughItsRecords(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	plant(t, s, testTask, map[string]string{
		"case.json":         minimalCase(testTask),
		"evidence.jsonl":    `{"id":"ev_1","kind":"artifact","source":{"tool":"fcheap","uri":"` + stashRef + `"},"claim":"a"}` + "\n",
		"verification.json": `[{"id":"vr_1","artifact":"` + stashRef + `"},{"id":"vr_2","artifact":"fcheap://stash/fc_2"}]`,
	})
	view(t, s, testTask, func(r *Reader) error {
		ids, err := r.Citing(stashRef)
		if diff := cmp.Diff([]string{"ev_1", "vr_1"}, ids); diff != "" {
			t.Errorf("Citing (-want +got):\n%s", diff)
		}
		return err
	})
	if got := refsOf(t, s); len(got) != 0 {
		t.Errorf("references = %+v, want none", got)
	}
}

func TestCheckNamesBrokenReferences(t *testing.T) {
	t.Parallel()
	s := newTestStore(t)
	ref := func(reference, more string) string {
		return fmt.Sprintf(`{"schemaVersion":1,"id":%q,"reference":%q,"kind":"x"%s}`, casefile.RefID(reference), reference, more)
	}
	plant(t, s, testTask, map[string]string{
		"case.json":                      minimalCase(testTask),
		"evidence.jsonl":                 `{"id":"ev_1","claim":"a"}` + "\n",
		refName(casefile.RefID("x://a")): ref("x://a", `,"citing":["ev_1"]`),
		refName(casefile.RefID("x://b")): ref("x://b", `,"citing":["ev_gone"]`),
		refName(casefile.RefID("x://c")): ref("x://c", ``),
		"refs/ref_moved.json":            ref("x://d", `,"citing":["ev_1"]`),
		"refs/ref_torn.json":             "{",
		"refs/note.txt":                  "of another program",
	})
	got := map[string]Severity{}
	for _, f := range s.CheckCase(ctx, testTask) {
		got[f.File] = f.Severity
	}
	want := map[string]Severity{
		refName(casefile.RefID("x://b")): Damage, refName(casefile.RefID("x://c")): Notice, "refs/ref_moved.json": Damage, "refs/ref_torn.json": Damage,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("CheckCase (-want +got):\n%s", diff)
	}
	view(t, s, testTask, func(r *Reader) error {
		all, total, err := r.Refs(100)
		if len(all) != 4 || total != 5 || len(r.Warnings()) != 1 {
			t.Errorf("Refs = %d of %d with warnings %v; want 4 of 5 and one", len(all), total, r.Warnings())
		}
		return err
	})
}
