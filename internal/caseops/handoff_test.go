package caseops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/casestore"
	"cortex/internal/op"
)

// handOver runs handoff as a front does and returns the packet as indented JSON.
func (d *desk) handOver(in HandoffInput) (map[string]any, string) {
	d.t.Helper()
	in.Format = "packet"
	result, refused := op.Call{Registry: op.New(Ops()...)}.Run(d.t.Context(), handoff, d.Service, in, d.Workspace, "from outside")
	if refused != nil {
		d.t.Fatal(refused)
	}
	raw, err := op.Call{}.JSON(result)
	if err != nil {
		d.t.Fatal(err)
	}
	var packet map[string]any
	if err := json.Unmarshal(raw, &packet); err != nil {
		d.t.Fatal(err)
	}
	return packet, string(raw)
}

func TestHandoffOfAHugeCaseIsBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: strings.Repeat("界", 1300), Mode: casefile.ModeChange, Risk: casefile.RiskLow}}))
	plan := onePlan()
	for i := range 60 {
		plan.Hypotheses = append(plan.Hypotheses, HypothesisInput{Statement: fmt.Sprint(i, strings.Repeat("\"", 5000)), DisproveBy: strings.Repeat("y", 5000)})
	}
	plan.Uncertainty = strings.Repeat("u", 16000)
	d.must(d.Plan(t.Context(), plan))
	for range 30 {
		d.must(d.Note(t.Context(), NoteInput{Claim: strings.Repeat("c", 9000), Confidence: "medium"}))
	}
	packet, text := d.handOver(HandoffInput{})
	if len(text) > casefile.MaxHandoff {
		t.Errorf("the packet has %d bytes, the limit is %d", len(text), casefile.MaxHandoff)
	}
	warnings := fmt.Sprint(packet["warnings"])
	if packet["plan"] == nil || packet["actions"] == nil || !strings.Contains(warnings, "bounded to 128 KiB") || !strings.Contains(warnings, "from outside") {
		t.Errorf("the packet has actions %v and warnings %v", packet["actions"], warnings)
	}
}

func TestHandoffIsTheSameInEveryForm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.changing()
	d.must(d.Verify(t.Context(), VerifyInput{}))
	before := d.file("case.json")
	for _, in := range []HandoffInput{{}, {Compact: true}, {PR: true}, {Format: HandoffPR}} {
		result, err := d.Handoff(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		result.Project(op.New(Ops()...).Render(d.Workspace))
		if text := result.Text(op.PlainStyle()); !strings.Contains(text, "change a") || !strings.Contains(text, "verified") {
			t.Errorf("%+v gives\n%s", in, text)
		}
	}
	if after := d.file("case.json"); !bytes.Equal([]byte(before), []byte(after)) {
		t.Error("a handoff changed the case")
	}
}

func TestHandoffReadsOneLedgerOfManyRecordsQuickly(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeChange, Risk: casefile.RiskLow}}))
	_, id, err := d.task(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	err = d.Store.Update(t.Context(), id, func(e *casestore.Edit) error {
		for i := range 2000 {
			e.AddEvidence(casefile.Evidence{ID: fmt.Sprintf("ev_%d", i), Claim: fmt.Sprint("claim ", i), Confidence: casefile.ConfidenceHigh})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	packet, _ := d.handOver(HandoffInput{})
	evidence, _ := packet["evidence"].([]any)
	if len(evidence) != casefile.HandoffEvidenceRecords || evidence[19].(map[string]any)["id"] != "ev_1999" {
		t.Errorf("got %d records, the last is %v", len(evidence), evidence)
	}
}
