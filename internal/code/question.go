package code

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Bounds of a question.
const (
	maxQuestionTerms = 64
	maxQuestionBytes = 16 << 10
	maxExact         = 16 // quoted texts and names: each costs a process of git, or the reading of hundreds of files
)

// question is what is searched for.
type question struct {
	terms    []queryTerm
	literals []string // quoted: found as they stand, not ranked by their words
	symbols  []string // sym:Name: definitions of exactly this name
	audience Audience
	warnings []string // what of the question is not answered
}

// exact reports whether the question names text or a definition that must be there.
func (q question) exact() bool { return len(q.literals)+len(q.symbols) > 0 }

// queryTerm is a word of the question.
type queryTerm struct {
	word  string
	exact termHash
	stems []string // its own, and those of its short and long forms; none when an earlier word has it
}

// parseQuestion takes a question apart. A question of stop words only has no terms.
func parseQuestion(text string) question {
	text = text[:min(len(text), maxQuestionBytes)]
	q := question{audience: NewAudience(text)}
	rest := q.takeQuoted(text)
	var plain []string
	for _, field := range strings.Fields(rest) {
		if name, ok := strings.CutPrefix(field, "sym:"); ok && name != "" {
			q.symbols = q.withExact(q.symbols, name)
			continue
		}
		plain = append(plain, field)
	}
	q.addTerms(strings.Join(plain, " "))
	return q
}

// takeQuoted takes the phrases in double quotes or backticks and returns the question without them.
func (q *question) takeQuoted(text string) string {
	var rest strings.Builder
	for {
		open := strings.IndexAny(text, "\"`")
		if open < 0 {
			break
		}
		end := strings.IndexByte(text[open+1:], text[open])
		if end < 0 {
			break
		}
		phrase := strings.TrimSpace(text[open+1 : open+1+end])
		if len(phrase) > 1 && !strings.ContainsFunc(phrase, unicode.IsControl) {
			q.literals = q.withExact(q.literals, phrase)
		}
		rest.WriteString(text[:open] + " ")
		text = text[open+1+end+1:]
	}
	rest.WriteString(text)
	return rest.String()
}

// withExact adds a text that must be there to a list of them, each once.
func (q *question) withExact(list []string, text string) []string {
	switch {
	case slices.Contains(list, text):
		return list
	case len(q.literals)+len(q.symbols) < maxExact:
		return append(list, text)
	case len(q.warnings) == 0:
		q.warnings = append(q.warnings, fmt.Sprintf("only the first %d quoted texts and names were looked for", maxExact))
	}
	return list
}

func (q *question) addTerms(text string) {
	seen := map[termHash]bool{}
	eachWord([]byte(text), func(word []byte) {
		t := newQueryTerm(word)
		if seen[t.exact] || IsStopWord(t.word) || q.audience.asksOnly(t.word) || len(q.terms) == maxQuestionTerms {
			return
		}
		seen[t.exact] = true
		q.terms = append(q.terms, t)
	})
	q.addForms()
}

func newQueryTerm(word []byte) queryTerm {
	word = bytes.Clone(word)
	return queryTerm{word: string(word), exact: exactHash(word), stems: []string{string(stemOf(word))}}
}

// addForms gives every stem to the first word that has it, and then the other forms of the words.
func (q *question) addForms() {
	taken := map[string]bool{}
	for i, t := range q.terms {
		if taken[t.stems[0]] {
			q.terms[i].stems = nil
			continue
		}
		taken[t.stems[0]] = true
	}
	for i, t := range q.terms {
		for _, own := range t.stems {
			for _, other := range formsOf(own) {
				if !taken[other] {
					taken[other] = true
					q.terms[i].stems = append(q.terms[i].stems, other)
				}
			}
		}
	}
}
