package casefile

import "testing"

func TestOnlyABoundReceiptProves(t *testing.T) {
	t.Parallel()
	for binding, want := range map[Binding]Outcome{Bound: OutcomeVerified, Unbound: OutcomeUnverified, "": OutcomeUnverified, "partly": OutcomeUnverified} {
		receipts := proof("b1", "sha256:a")
		for i := range receipts {
			receipts[i].Binding = binding
		}
		for _, phase := range []Phase{PhaseVerifying, PhaseComplete} {
			if got := Judge(changeCase(phase), receipts, bytesNow("head1", "sha256:a")).Outcome; got != want {
				t.Errorf("binding %q in phase %s: got %s, want %s", binding, phase, got, want)
			}
		}
	}
}

func TestACompletionOnUnknownBytesProvesNothing(t *testing.T) {
	t.Parallel()
	c := changeCase(PhaseComplete)
	RecordCompletion(c, WorkState{Known: true, Head: "head1", Digest: "sha256:a"})
	if got := Judge(c, proof("b1", "sha256:a"), bytesNow("head1", "sha256:a")).Outcome; got != OutcomeUnverified {
		t.Errorf("got %s, want unverified: the worktree was not hashed completely", got)
	}
}
