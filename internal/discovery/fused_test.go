package discovery

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"cortex/internal/code"
	"cortex/internal/tool"
)

// meaning answers every question with the hits, as a tool of the class would.
func meaning(class tool.Class, cause string, hits ...tool.VecgrepHit) Vecgrep {
	return func(context.Context, tool.VecgrepQuery) (tool.VecgrepFound, tool.Answer) {
		return tool.VecgrepFound{Hits: hits}, tool.Answer{Tool: tool.Vecgrep, Class: class, Cause: cause, Argv: []string{"vecgrep"}}
	}
}

func meant(file string, start int, text string) tool.VecgrepHit {
	return tool.VecgrepHit{File: file, Start: start, End: start + strings.Count(text, "\n"), Symbol: "f", Text: text, Score: 0.8}
}

func files(facts []Fact) string {
	var out []string
	for _, f := range facts {
		name := f.Tool + ":" + f.File
		if f.Also != "" {
			name += "+" + f.Also
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func leaseIndex() *fakeIndex {
	return &fakeIndex{hits: map[string][]code.Hit{"renew the lease": {hit("a.go", 1, "lease\n"), hit("b.go", 1, "lease\n"), hit("c.go", 1, "lease\n")}}}
}

func TestVecgrepIsRankedWithTheIndexAndReplacesNothing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		hits []tool.VecgrepHit
		want string
	}{
		"found by both, higher by vecgrep":   {[]tool.VecgrepHit{meant("c.go", 1, "lease")}, "code:c.go+vecgrep (score 0.80) code:a.go code:b.go"},
		"found by both, at the same rank":    {[]tool.VecgrepHit{meant("a.go", 1, "lease")}, "code:a.go+vecgrep (score 0.80) code:b.go code:c.go"},
		"found by both, higher by the index": {[]tool.VecgrepHit{meant("x.go", 1, "x"), meant("a.go", 2, "lease")}, "code:a.go+vecgrep (score 0.80) vecgrep:x.go code:b.go code:c.go"},
		"other lines of the same file":       {[]tool.VecgrepHit{meant("a.go", 40, "lease")}, "code:a.go vecgrep:a.go code:b.go code:c.go"},
		"twice the same place":               {[]tool.VecgrepHit{meant("a.go", 1, "lease"), meant("a.go", 1, "lease")}, "code:a.go+vecgrep (score 0.80) code:b.go code:c.go"},
		"junk":                               {[]tool.VecgrepHit{meant("vendor/x.go", 1, "lease")}, "code:a.go code:b.go code:c.go"},
		"nothing":                            {nil, "code:a.go code:b.go code:c.go"},
	} {
		result := ask(t, silentRepo{t}, Request{Question: "renew the lease", Index: leaseIndex(), Vecgrep: meaning(tool.Authoritative, "", tt.hits...)})
		if got := files(result.Facts); got != tt.want || result.Degraded || len(result.Calls) != 1 {
			t.Errorf("%s: got %s, degraded %t; want %s", name, got, result.Degraded, tt.want)
		}
	}
	result := ask(t, silentRepo{t}, Request{Question: "renew the lease", Index: leaseIndex(), Limit: 2, Vecgrep: meaning(tool.Authoritative, "", meant("x.go", 1, "x"))})
	if got := files(result.Facts); got != "code:a.go vecgrep:x.go" {
		t.Errorf("of two facts: got %s", got)
	}
}

func TestVecgrepAnswersWhereTheWordsDoNot(t *testing.T) {
	t.Parallel()
	result := ask(t, project(), Request{Question: "flibbertigibbet", Index: &fakeIndex{}, Under: "cart", Vecgrep: meaning(tool.Authoritative, "", meant("x.go", 3, "\nadd() { echo; }\n"))})
	if len(result.Facts) != 1 || result.Facts[0].File != "cart/x.go" || result.Facts[0].Text != "add() { echo; }" || result.Facts[0].Start != 4 {
		t.Errorf("got %+v", result.Facts)
	}
}

func TestHalfAnAnswerOfVecgrepIsHeldToTheWords(t *testing.T) {
	t.Parallel()
	for _, class := range []tool.Class{tool.Partial, tool.Unavailable, tool.Failed} {
		result := ask(t, silentRepo{t}, Request{
			Question: "renew the lease", Index: leaseIndex(), Limit: 4,
			Vecgrep: meaning(class, "its index is not fresh", meant("nonsense.go", 1, "zzqqxx"), meant("d.go", 1, "renew it"), meant("a.go", 1, "lease"), meant("e.go", 1, "lease")),
		})
		if got := files(result.Facts); got != "code:a.go code:b.go code:c.go vecgrep:d.go" || !result.Degraded {
			t.Errorf("%s: got %s, degraded %t", class, got, result.Degraded)
		}
		if text := strings.Join(result.Warnings, ";"); !strings.Contains(text, "vecgrep: its index is not fresh") {
			t.Errorf("%s: warnings %q do not say why", class, text)
		}
	}
}

func TestVecgrepIsAskedWhatItCanAnswer(t *testing.T) {
	t.Parallel()
	var asked []tool.VecgrepQuery
	listen := func(_ context.Context, q tool.VecgrepQuery) (tool.VecgrepFound, tool.Answer) {
		asked = append(asked, q)
		return tool.VecgrepFound{}, tool.Answer{Class: tool.Authoritative}
	}
	for _, question := range []string{`"adds the prices"`, "`x` sym:Cart", "where is `adds the prices` said"} {
		ask(t, project(), Request{Question: question, Vecgrep: listen, Hits: 8, ByWords: true})
	}
	if len(asked) != 1 || asked[0] != (tool.VecgrepQuery{Text: "where is `adds the prices` said", Limit: 8, Keyword: true}) {
		t.Errorf("asked %+v, want the last question only", asked)
	}
}

func TestLateVecgrepCostsOnlyItself(t *testing.T) {
	t.Parallel()
	slow := func(ctx context.Context, _ tool.VecgrepQuery) (tool.VecgrepFound, tool.Answer) {
		<-ctx.Done()
		return tool.VecgrepFound{}, tool.Answer{Class: tool.Partial, Cause: context.Cause(ctx).Error()}
	}
	result := ask(t, project(), Request{Question: "applyDiscount", Vecgrep: slow, Within: 20 * time.Millisecond})
	if len(result.Facts) == 0 || !result.Degraded || !strings.Contains(strings.Join(result.Warnings, ";"), "timed out after 20ms") {
		t.Errorf("got %+v, want the facts of git grep and a degraded result that says why", result)
	}
	cause := errors.New("git is gone")
	if _, err := Round(t.Context(), brokenRepo{err: cause}, Request{Question: "widget", Vecgrep: slow}); !errors.Is(err, cause) {
		t.Errorf("Round = %v, want %v without waiting", err, cause)
	}
}

func TestQuotedTextStaysFirst(t *testing.T) {
	t.Parallel()
	index := &fakeIndex{hits: map[string][]code.Hit{"where is   said": {hit("other.go", 1, "said\n")}}}
	result := ask(t, project(), Request{Question: "where is `adds the prices` said", Index: index, Vecgrep: meaning(tool.Authoritative, "", meant("other.go", 1, "said"), meant("x.go", 1, "said"))})
	if got := files(result.Facts); got != "git:cart/cart.go code:other.go+vecgrep (score 0.80) vecgrep:x.go" {
		t.Errorf("got %s", got)
	}
}

func TestDeepRoundAsksVecgrepThePartsToo(t *testing.T) {
	t.Parallel()
	const whole = "where is the lease renewed and how does the cart add prices"
	answers := map[string][]tool.VecgrepHit{
		whole:                          {meant("both.go", 1, "lease")},
		"where is the lease renewed":   {meant("lease.go", 1, "lease"), meant("both.go", 1, "lease")},
		"how does the cart add prices": nil,
	}
	var mu sync.Mutex
	asked := 0
	listen := func(_ context.Context, q tool.VecgrepQuery) (tool.VecgrepFound, tool.Answer) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		hits, known := answers[q.Text]
		if !known {
			t.Errorf("asked %q", q.Text)
		}
		a := tool.Answer{Class: tool.Authoritative}
		if hits == nil {
			a = tool.Answer{Class: tool.Failed, Cause: "exit 1"}
		}
		return tool.VecgrepFound{Hits: hits}, a
	}
	for deep, want := range map[bool]int{true: 3, false: 1} {
		asked = 0
		result := ask(t, fakeRepo{}, Request{Question: whole, Index: &fakeIndex{}, Deep: deep, Vecgrep: listen, Parallel: 2})
		if asked != want || len(result.Calls) != want || result.Degraded != deep {
			t.Errorf("deep %t: asked %d times, %d calls, degraded %t", deep, asked, len(result.Calls), result.Degraded)
		}
		if got := files(result.Facts); deep && got != "vecgrep:both.go vecgrep:lease.go" {
			t.Errorf("deep: got %s", got)
		}
	}
}

func TestSecretsAreMaskedBeforeALineIsCut(t *testing.T) {
	t.Parallel()
	secret := "SECRET" + strings.Repeat("x", 40)
	line := "lease " + strings.Repeat("y ", 115) + secret
	result := ask(t, fakeRepo{"a.go": line}, Request{
		Question: "renew the lease", Vecgrep: meaning(tool.Authoritative, "", meant("b.go", 1, line)),
		Mask: func(text string) string { return strings.ReplaceAll(text, secret, "«»") },
	})
	if len(result.Facts) != 2 {
		t.Fatalf("got %+v, want a line of each", result.Facts)
	}
	for _, f := range result.Facts {
		if strings.Contains(f.Text, "SEC") || !strings.Contains(f.Text, "lease") {
			t.Errorf("%s shows %q", f.Tool, f.Text)
		}
	}
}
