package casefile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClaimProofs(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseVerifying)
	c.AcceptanceCriteria = append(c.AcceptanceCriteria, Criterion{ID: "open", Statement: "not claimed yet"})
	receipts := append(recorded(), claimOf("vb_2", "extra", "x", StatusFailed, "sha256:0b72"))
	receipts[len(receipts)-1].DigestMethod = ""
	receipts[7].Evidence = []string{"ev_1"}
	got := ClaimProofs(c, Judgement{Stale: []string{"vr_vb_2_claim_extra"}}, receipts)
	want := ClaimProofList{Total: 3, Proofs: []ClaimProof{
		{
			ClaimID: "add-sums", Statement: "calc.sh 2 3 prints 5", StatementDigest: "sha256:1942749d89bf1cb28369a993baa086fe41910be652ae8b537b898fc3e07100b3",
			Registered: true, ReceiptID: "vr_vb_2_claim_add-sums", BatchID: "vb_2", Status: StatusPassed, Binding: Bound,
			Evidence: []string{"case://task_06H2VPRM4KDG25WQ/verification/vr_vb_2_claim_add-sums", "case://task_06H2VPRM4KDG25WQ/verification/vr_vb_2_run_unit"},
			Revision: "head1", DirtyDigest: "sha256:0b72", EvidenceRefsOmitted: 1,
		},
		{ClaimID: "open", Statement: "not claimed yet", StatementDigest: digest("not claimed yet"), Registered: true, Status: StatusNotRun},
		{
			ClaimID: "extra", Statement: "x", StatementDigest: digest("x"), ReceiptID: "vr_vb_2_claim_extra", BatchID: "vb_2", Status: StatusFailed,
			Binding: Bound, Evidence: got.Proofs[2].Evidence, Revision: "head1", DirtyDigest: "sha256:0b72", Stale: true, EvidenceRefsOmitted: 1,
		},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestClaimProofsAreBounded(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseVerifying)
	long := claimOf("b", strings.Repeat("i", 200), strings.Repeat("é", 100), StatusPassed, strings.Repeat("d", 200))
	receipts := []Receipt{long}
	for i := range 100 {
		r := claimOf("b", fmt.Sprint("c", i), "x", StatusPassed, long.DirtyDigest)
		r.Sensitive = i == 0
		receipts = append(receipts, r)
	}
	got := ClaimProofs(c, Judgement{}, receipts)
	if len(got.Proofs) != MaxClaimProofs || got.Total != 102 || !got.Truncated {
		t.Fatalf("%d of %d proofs, truncated %v", len(got.Proofs), got.Total, got.Truncated)
	}
	p := got.Proofs[1]
	if !p.ClaimIDTruncated || p.ClaimIDDigest != digest(long.ClaimID) || !p.StatementTruncated || len(p.Statement) != 160 || !p.MetadataTruncated {
		t.Errorf("a long claim: %+v", p)
	}
	if p := got.Proofs[2]; p.SensitiveRefsOmitted != 1 || len(p.Evidence) != 0 {
		t.Errorf("a sensitive claim: %+v", p)
	}
}
