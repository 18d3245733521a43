package discovery

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cortex/internal/code"
	"cortex/internal/gitrepo"
)

// fakeIndex answers with the hits of its questions; a question that it does not know has none.
type fakeIndex struct {
	hits  map[string][]code.Hit
	err   error
	asked []code.SearchRequest
}

func (x *fakeIndex) Search(ctx context.Context, req code.SearchRequest) (code.SearchResult, error) {
	x.asked = append(x.asked, req)
	if x.err != nil {
		return code.SearchResult{}, x.err
	}
	hits := x.hits[req.Question]
	return code.SearchResult{Hits: hits, Strong: len(hits) > 0, Terms: strings.Fields(req.Question), Skipped: []string{"a.bin is binary"}}, ctx.Err()
}

func hit(file string, start int, text string) code.Hit {
	return code.Hit{File: file, StartLine: start, EndLine: start + strings.Count(text, "\n"), Score: 3, Coverage: 0.8, Text: text}
}

// silentRepo fails a test that greps.
type silentRepo struct{ t *testing.T }

func (r silentRepo) Grep(_ context.Context, req gitrepo.GrepRequest) ([]gitrepo.Match, error) {
	r.t.Errorf("git grep was asked for %q", req.Terms)
	return nil, nil
}

func TestIndexAnswersAndGitGrepIsNotAsked(t *testing.T) {
	t.Parallel()
	index := &fakeIndex{hits: map[string][]code.Hit{"renew the lease": {hit("store/lease.go", 7, "// lease\nfunc renewLease() {\n}\n")}}}
	result := ask(t, silentRepo{t}, Request{Question: "renew the lease", Index: index, Under: "store", Limit: 5})
	if len(result.Facts) != 1 || result.Tool() != "code" || result.Degraded {
		t.Fatalf("got %+v, want one fact of the index", result)
	}
	f := result.Facts[0]
	if f.Line != 8 || f.Text != "func renewLease() {" || f.Start != 7 || f.End != 10 || f.Coverage != 0.8 {
		t.Errorf("got %+v, want line 8 of 7 to 10", f)
	}
	if asked := index.asked[0]; asked.Module != "store" || asked.Limit != 5 || asked.Stale {
		t.Errorf("the index was asked %+v, want module store, 5 hits, fresh", asked)
	}
}

func TestQuotedTextComesFromGitGrep(t *testing.T) {
	t.Parallel()
	index := &fakeIndex{hits: map[string][]code.Hit{"where is   said": {hit("other.go", 1, "said\n")}}}
	result := ask(t, project(), Request{Question: "where is `adds the prices` said", Index: index})
	if len(result.Facts) != 2 || result.Facts[0].File != "cart/cart.go" || result.Facts[0].Tool != "git" || result.Facts[1].Tool != "code" {
		t.Errorf("got %+v, want the quoted line first, then the index", result.Facts)
	}
}

func TestGitGrepAnswersWhereTheIndexHasNothing(t *testing.T) {
	t.Parallel()
	result := ask(t, project(), Request{Question: "applyDiscount", Index: &fakeIndex{}})
	if len(result.Facts) == 0 || result.Tool() != "git" || result.Degraded {
		t.Errorf("got %+v, want facts of git grep, not degraded", result)
	}
}

func TestBrokenIndexIsDegraded(t *testing.T) {
	t.Parallel()
	result := ask(t, project(), Request{Question: "applyDiscount", Index: &fakeIndex{err: errors.New("disk is full")}})
	if len(result.Facts) == 0 || !result.Degraded || !strings.Contains(strings.Join(result.Warnings, ";"), "disk is full") {
		t.Errorf("got %+v, want facts of git grep and a degraded result that says why", result)
	}
}

// slowIndex takes as long as it may.
type slowIndex struct{}

func (slowIndex) Search(ctx context.Context, _ code.SearchRequest) (code.SearchResult, error) {
	<-ctx.Done()
	return code.SearchResult{}, ctx.Err()
}

func TestSlowIndexLeavesTimeForGitGrep(t *testing.T) {
	t.Parallel()
	result := ask(t, project(), Request{Question: "applyDiscount", Index: slowIndex{}, Within: time.Millisecond})
	if len(result.Facts) == 0 || !result.Degraded || !strings.Contains(strings.Join(result.Warnings, ";"), "not ready within 1ms") {
		t.Errorf("got %+v, want facts of git grep and a degraded result that says why", result)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Round(ctx, project(), Request{Question: "applyDiscount", Index: slowIndex{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled round = %v, want %v", err, context.Canceled)
	}
}

func TestDeepRoundAsksThePartsToo(t *testing.T) {
	t.Parallel()
	whole := "where is the lease renewed and how does the cart add prices"
	index := &fakeIndex{hits: map[string][]code.Hit{
		whole:                          {hit("both.go", 1, "lease cart\n"), hit("cart.go", 1, "cart\n")},
		"where is the lease renewed":   {hit("lease.go", 1, "lease\n")},
		"how does the cart add prices": {hit("cart.go", 1, "cart\n")},
	}}
	result := ask(t, silentRepo{t}, Request{Question: whole, Index: index, Deep: true})
	var got []string
	for _, f := range result.Facts {
		got = append(got, f.File)
	}
	if text := strings.Join(got, " "); text != "both.go lease.go cart.go" || len(index.asked) != 3 || !index.asked[1].Stale {
		t.Errorf("got %s after %d questions, want both.go lease.go cart.go after 3", text, len(index.asked))
	}
}

func TestPartsOfAQuestion(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"where is the lease renewed":                                       "",
		"where is it? how long does it last?":                              "where is it|how long does it last",
		"explain the store: who takes the lock, and when is it given back": "explain the store|who takes the lock|when is it given back",
		"dónde se guarda el caso y cómo se lee después":                    "dónde se guarda el caso|cómo se lee después",
		"a; b; c": "",
		"":        "",
	} {
		if got := strings.Join(partsOf(question), "|"); got != want {
			t.Errorf("parts of %q: got %q, want %q", question, got, want)
		}
	}
}
