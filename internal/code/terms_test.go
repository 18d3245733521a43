package code

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func wordsOf(text string) string {
	var out []string
	eachWord([]byte(text), func(word []byte) { out = append(out, string(word)) })
	return strings.Join(out, " ")
}

func TestWordsOfIdentifiers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"applyDiscount":                   "apply discount",
		"HTTPServer":                      "http server",
		"parse_http2_frame":               "parse http frame",
		"MAX_VALUE":                       "max value",
		"sha256Sum":                       "sha 256 sum",
		"x a 1":                           "",
		"función Añadir":                  "función añadir",
		"ok\xffko":                        "ok ko",
		"検索 する":                           "検索 する",
		strings.Repeat("a", 41):           "",
		strings.Repeat("A", 41):           "",
		"B" + strings.Repeat("b", 40):     "",
		strings.Repeat("b", 40) + "-next": strings.Repeat("b", 40) + " next",
		"":                                "",
	} {
		if got := wordsOf(text); got != want {
			t.Errorf("words of %q: got %q, want %q", text, got, want)
		}
	}
}

func TestRelatedWordsShareAStem(t *testing.T) {
	t.Parallel()
	for _, family := range []string{"parse parses parsed parsing parser", "lease leases leased leasing", "stop stops stopped stopping",
		"retry retries", "execute executed executing execution", "match matches matched", "write writes writing writer"} {
		words := strings.Fields(family)
		for _, word := range words[1:] {
			if got, want := string(stemOf([]byte(word))), string(stemOf([]byte(words[0]))); got != want {
				t.Errorf("stem of %q: got %q, want %q as of %q", word, got, want, words[0])
			}
		}
	}
	for _, word := range []string{"status", "process", "string", "is", "analysis", "bus"} {
		if got := string(stemOf([]byte(word))); got != word {
			t.Errorf("stem of %q: got %q, want the word itself", word, got)
		}
	}
}

func TestPackedWeightsAreClose(t *testing.T) {
	t.Parallel()
	most := occurrences{body: 1e9, dir: 9, base: 9, names: 1e9}.weight(lengthFree, minimumLength)
	for weight := 0.05; weight <= most; weight += 0.01 {
		if got := unquantize(quantize(weight)); math.Abs(got-weight) > 0.5/quantSteps+1e-9 {
			t.Errorf("%v is packed as %v, want within half a step", weight, got)
		}
	}
	if quantize(0) != 1 {
		t.Errorf("the least weight: got %d, want one that is none of a document without the term", quantize(0))
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"applyDiscount", "\xff\xfeA\x80b", "ǅ ﬀ İ", strings.Repeat("Ab", 50)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		total := 0
		eachWord(text, func(word []byte) {
			total++
			if len(word) < minTermBytes || len(word) > maxTermBytes || !utf8.Valid(word) || len(stemOf(word)) < minTermBytes {
				t.Errorf("word %q of %q, stem %q", word, text, stemOf(word))
			}
		})
		if total > len(text) {
			t.Errorf("%d words of %d bytes", total, len(text))
		}
		newMatcher(parseQuestion(string(text)).terms).lines(text)
	})
}

// A list that was written is read as it was, whatever stands beside it in its block.
func TestPostingsSurviveTheirBlocks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := rapid.SliceOfDistinct(rapid.Uint32(), func(n uint32) uint32 { return n }).Draw(t, "terms")
		size := rapid.IntRange(1, 600).Draw(t, "size")
		var posts []uint64
		sorted := append([]uint32{}, terms...)
		slices.Sort(sorted)
		for _, term := range sorted {
			for i := range size {
				posts = append(posts, uint64(term)<<32|uint64(i*3)<<8|uint64(i%256))
			}
		}
		type block struct {
			first termHash
			data  []byte
		}
		var blocks []block
		if err := eachBlock(posts, func(first termHash, data []byte) error {
			blocks = append(blocks, block{first, append([]byte{}, data...)})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for _, term := range sorted {
			at := len(blocks) - 1
			for blocks[at].first > termHash(term) {
				at--
			}
			list, err := findList(blocks[at].data, blocks[at].first, termHash(term))
			n := 0
			if err == nil {
				err = eachPosting(list, 100, func(id int64, q byte) {
					if id != 100+int64(n*3) || q != byte(n%256) {
						t.Errorf("posting %d of %d: got %d with %d", n, term, id, q)
					}
					n++
				})
			}
			if err != nil || n != size {
				t.Errorf("term %d: %d postings, %v, want %d", term, n, err, size)
			}
		}
	})
}

func FuzzPostings(f *testing.F) {
	f.Add([]byte("\x00\x02\x01\x05"), uint32(0))
	f.Add([]byte("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), uint32(7))
	f.Fuzz(func(t *testing.T, data []byte, term uint32) {
		list, err := findList(data, 0, termHash(term))
		if err == nil {
			_ = eachPosting(list, 1, func(int64, byte) {}) // any answer will do that is no panic
		}
		forwardWeight(data, termHash(term))
		decodeForward(data)
	})
}

// Each quoted text is a process of git, and each name hundreds of files to read.
func TestQuotedTextsAndNamesAreBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 3 * maxExact {
		fmt.Fprintf(&text, "\"text %d\" sym:Name%d sym:Name0 ", i, i)
	}
	q := parseQuestion(text.String())
	if n := len(q.literals) + len(q.symbols); n != maxExact || len(q.warnings) != 1 {
		t.Errorf("%d quoted texts and names, warnings %q, want %d and one", n, q.warnings, maxExact)
	}
	if q := parseQuestion("sym:A sym:A \"b c\" \"b c\""); len(q.symbols) != 1 || len(q.literals) != 1 || len(q.warnings) != 0 {
		t.Errorf("what is said twice: %+v, want each once", q)
	}
}
