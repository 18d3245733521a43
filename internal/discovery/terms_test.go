package discovery

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTermsOfQuestion(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ question, want string }{
		{"Where does gitrepo.State compute dirty_digest?", "gitrepo.State|dirty_digest|gitrepo|State|compute"},
		{"How is the retry limit enforced?", "enforced|retry|limit"},
		{"¿Cómo se calculan los impuestos?", "impuestos|calculan"},
		{`why "no such task" and LeaseHolder`, "no such task|LeaseHolder"},
		{"look at ./internal/op/prose.go.", "internal/op/prose.go|prose"},
		{"who reads a zip file", "reads|file|zip"},
		{"and/or e.g. i.e. 1.2.3", ""},
		{"API and HTTPServer", "API|HTTPServer"},
		{"lease lease Leases LEASE", "LEASE"},
		{"unbalanced \"quote here", "unbalanced|quote"},
		{"検索 する", "検索|する"},
		{"op::Define and Class#method", "op::Define|Class#method|Define|Class|method"},
	} {
		if got := strings.Join(texts(termsOf(tc.question)), "|"); got != tc.want {
			t.Errorf("terms of %q = %q, want %q", tc.question, got, tc.want)
		}
	}
}

func TestTermsAreBounded(t *testing.T) {
	t.Parallel()
	question := ""
	for c := 'a'; c <= 'z'; c++ {
		question += strings.Repeat(string(c), 5) + " "
	}
	if got := len(termsOf(question)); got != maxTerms {
		t.Errorf("got %d terms, want %d", got, maxTerms)
	}
}

func TestStemIsFoundInRelatedWords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ word, want string }{
		{"retries", "retr"}, {"stopped", "stop"}, {"running", "run"}, {"leases", "lease"}, {"matches", "match"},
		{"parsing", "pars"}, {"process", "process"}, {"string", "string"}, {"files", "file"}, {"embed", "embed"},
		{"calling", "call"}, {"status", "statu"}, {"data", "data"},
	} {
		if got := stem(tc.word); got != tc.want {
			t.Errorf("stem(%q) = %q, want %q", tc.word, got, tc.want)
		}
	}
}

func TestQualityKnowsWordsInsideIdentifiers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		word, line string
		want       float64
	}{
		{"lease", "type Lease struct", wholeWord},
		{"lease", "renewLease()", wholeWord},
		{"lease", "lease_holder", wholeWord},
		{"lease", "LeaseHolder", wholeWord},
		{"lease", "leased", sameStem},
		{"lease", "please", insideWord},
		{"lease", "release please lease", wholeWord},
		{"leases", "renewLease()", sameStem},
		{"lease", "nothing", 0},
		{"lease", "İ renewLease", insideWord},
	} {
		x := termsOf(tc.word)[0]
		if got := newText(tc.line).quality(x); got != tc.want {
			t.Errorf("quality of %q in %q = %v, want %v", tc.word, tc.line, got, tc.want)
		}
	}
}

func TestDefinedName(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ line, want string }{
		{"func Open() {", "Open"},
		{"func (s *Store) Open(id string) {", "Open"},
		{"\texport default class Cart extends Base {", "Cart"},
		{"  async def fetch(self):", "fetch"},
		{"def fetch(self):", "fetch"},
		{"pub fn run() {", "run"},
		{"const MaxGoal = 4", "MaxGoal"},
		{"type Plan struct {", "Plan"},
		{"return Open()", ""},
		{"func (broken", ""},
		{"", ""},
		{"class", ""},
	} {
		if got := definedName(tc.line); got != tc.want {
			t.Errorf("definedName(%q) = %q, want %q", tc.line, got, tc.want)
		}
	}
}

func FuzzTermsOfQuestion(f *testing.F) {
	for _, seed := range []string{"where is a.B?", "`x` \"y", "ing ed s ies", "\xff\xfe", "İİİİ.x", "running文"} {
		f.Add(seed, "func İ running.go(")
	}
	f.Fuzz(func(t *testing.T, question, line string) {
		terms := termsOf(question)
		if len(terms) > maxTerms {
			t.Errorf("%q gives %d terms, want at most %d", question, len(terms), maxTerms)
		}
		for _, x := range terms {
			if x.needle == "" || utf8.ValidString(x.text) && !utf8.ValidString(x.needle) {
				t.Errorf("term %q of %q searches for %q", x.text, question, x.needle)
			}
			if q := newText(line).quality(x); q < 0 || q > wholeWord {
				t.Errorf("quality of %q in %q = %v", x.text, line, q)
			}
		}
		definedName(line)
		if text := clip(line); len(text) > maxTextBytes || !utf8.ValidString(text) {
			t.Errorf("clip(%q) = %q", line, text)
		}
	})
}
