package casefile

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// ClaimProof says what stands behind one named claim. Texts longer than MaxProofRef bytes are cut and marked; the
// digest of a cut text identifies the whole.
type ClaimProof struct {
	ClaimID              string        `json:"claimId"`
	ClaimIDDigest        string        `json:"claimIdDigest,omitempty"`
	ClaimIDTruncated     bool          `json:"claimIdTruncated,omitempty"`
	Statement            string        `json:"statement"`
	StatementDigest      string        `json:"statementDigest"`
	StatementTruncated   bool          `json:"statementTruncated,omitempty"`
	Registered           bool          `json:"registered,omitempty"` // an acceptance criterion
	Attested             bool          `json:"attested,omitempty"`
	Stale                bool          `json:"stale,omitempty"` // about other bytes than the present ones
	ReceiptID            string        `json:"receiptId,omitempty"`
	BatchID              string        `json:"batchId,omitempty"`
	Status               ReceiptStatus `json:"status"`
	Binding              Binding       `json:"binding,omitempty"`
	Evidence             []string      `json:"evidence,omitempty"` // the claim's receipt, then the runs of its contract and what they recorded
	Revision             string        `json:"revision,omitempty"`
	DirtyDigest          string        `json:"dirtyDigest,omitempty"`
	SensitiveRefsOmitted int           `json:"sensitiveRefsOmitted,omitempty"`
	EvidenceRefsOmitted  int           `json:"evidenceRefsOmitted,omitempty"`
	MetadataTruncated    bool          `json:"metadataTruncated,omitempty"`
}

// ClaimProofList is what views show of the named claims: at most MaxClaimProofs of Total.
type ClaimProofList struct {
	Proofs    []ClaimProof
	Total     int
	Truncated bool
}

// ClaimProofs lists the acceptance criteria in the order of the case, a missing one as not_run, then the other claims in
// the order of their receipts. j is the judgement of the same receipts.
func ClaimProofs(c *Case, j Judgement, receipts []Receipt) ClaimProofList {
	r := read(c, receipts, nil)
	var proofs []ClaimProof
	for _, k := range c.AcceptanceCriteria {
		matches := func(x Receipt) bool { return x.ClaimID == k.ID && x.Claim == k.Statement }
		if i := slices.IndexFunc(r.named, matches); i >= 0 {
			proofs = append(proofs, r.proof(c, r.named[i], true))
		} else if i := slices.IndexFunc(r.attested, matches); i >= 0 && k.Kind == CriterionProcess {
			proofs = append(proofs, r.proof(c, r.attested[i], true))
		} else {
			proofs = append(proofs, r.proof(c, Receipt{ClaimID: k.ID, Claim: k.Statement, Status: StatusNotRun}, true))
		}
	}
	for _, x := range r.named {
		if k := c.criterion(x.ClaimID); k == nil || k.Statement != x.Claim {
			proofs = append(proofs, r.proof(c, x, false))
		}
	}
	for i := range proofs {
		proofs[i].Stale = slices.Contains(j.Stale, proofs[i].ReceiptID)
	}
	shown := proofs[:min(len(proofs), MaxClaimProofs)]
	return ClaimProofList{Proofs: shown, Total: len(proofs), Truncated: len(shown) < len(proofs)}
}

func (r reading) proof(c *Case, x Receipt, registered bool) ClaimProof {
	p := ClaimProof{
		ClaimID: clip(x.ClaimID, MaxProofRef), Statement: clip(x.Claim, MaxProofRef), StatementDigest: digest(x.Claim),
		Registered: registered, Attested: purpose(x) == PurposeAttestation, ReceiptID: x.ID, BatchID: x.BatchID,
		Status: x.Status, Binding: x.Binding, Revision: clip(x.Revision, MaxProofRef), DirtyDigest: clip(x.DirtyDigest, MaxProofRef),
	}
	p.StatementTruncated = p.Statement != x.Claim
	if p.ClaimIDTruncated = p.ClaimID != x.ClaimID; p.ClaimIDTruncated {
		p.ClaimIDDigest = digest(x.ClaimID)
	}
	p.MetadataTruncated = p.Revision != x.Revision || p.DirtyDigest != x.DirtyDigest
	r.addRefs(c, x, &p)
	return p
}

// addRefs fills in what p rests on, and counts what it leaves out.
func (r reading) addRefs(c *Case, x Receipt, p *ClaimProof) {
	if x.ID == "" {
		return
	}
	spec := specOf(x)
	var refs []string
	add := func(from Receipt) {
		own := append([]string{"case://" + c.ID + "/verification/" + from.ID}, from.Evidence...)
		if from.Artifact != "" {
			own = append(own, from.Artifact)
		}
		if from.Sensitive {
			p.SensitiveRefsOmitted += len(own)
			return
		}
		refs = append(refs, own...)
	}
	add(x)
	for _, run := range r.all {
		if run.BatchID == x.BatchID && run.BatchID != "" && run.proves(spec.Verifier, spec.Contract) {
			add(run)
		}
	}
	for _, ref := range dedupe(refs) {
		if len(p.Evidence) < MaxProofRefs && len(ref) <= MaxProofRef {
			p.Evidence = append(p.Evidence, ref)
		} else {
			p.EvidenceRefsOmitted++
		}
	}
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}
