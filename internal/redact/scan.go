package redact

import "sync"

// A rule finds the secret that a keyword at s[at:end] announces. It returns the span to mask, empty when there is none,
// and the offset before which further keywords of the same rule need no look.
type rule func(s string, at, end int) (found span, done int)

// keyword is a word, in lower case, that makes a rule look.
type keyword struct {
	word string
	rule int // index into automaton.rules
}

// automaton finds all keywords in one pass, ignoring the case of ASCII letters (Aho and Corasick, as a table over the
// classes of bytes that occur in keywords).
type automaton struct {
	rules []rule
	class [256]uint8 // 0: in no keyword
	width int        // number of classes
	next  []uint16   // next[state*width+class]
	out   [][]output // per state, the keywords that end there
}

type output struct{ rule, length int }

const (
	assignedRule = 0  // the rule for values that are given to a secret's name
	maxRules     = 64 // more than there are; the offsets of a pass live on the stack
)

// engine is built on first use: a program that redacts nothing pays nothing.
var engine = sync.OnceValue(func() *automaton {
	words, rules := keywords()
	return newAutomaton(words, rules)
})

func newAutomaton(words []keyword, rules []rule) *automaton {
	a := &automaton{rules: rules, width: 1}
	states := 1
	for _, k := range words {
		states += len(k.word)
		for i := range len(k.word) {
			a.addClass(k.word[i])
		}
	}
	a.next = make([]uint16, 0, states*a.width)
	a.out = make([][]output, 0, states)
	a.grow()
	for _, k := range words {
		a.insert(k)
	}
	a.link()
	return a
}

func (a *automaton) addClass(b byte) {
	if a.class[b] != 0 {
		return
	}
	a.class[b] = uint8(a.width)
	if isLower(b) {
		a.class[b-'a'+'A'] = uint8(a.width)
	}
	a.width++
}

func (a *automaton) grow() int {
	a.next = append(a.next, make([]uint16, a.width)...)
	a.out = append(a.out, nil)
	return len(a.out) - 1
}

func (a *automaton) insert(k keyword) {
	state := 0
	for i := range len(k.word) {
		at := state*a.width + int(a.class[k.word[i]])
		if a.next[at] == 0 {
			a.next[at] = uint16(a.grow())
		}
		state = int(a.next[at])
	}
	a.out[state] = append(a.out[state], output{k.rule, len(k.word)})
}

// link turns the trie into a complete table, in breadth-first order.
func (a *automaton) link() {
	fail := make([]int, len(a.out))
	queue := []int{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for c := range a.width {
			at := state*a.width + c
			child := int(a.next[at])
			via := 0
			if state != 0 {
				via = int(a.next[fail[state]*a.width+c])
			}
			if child == 0 {
				a.next[at] = uint16(via)
				continue
			}
			fail[child] = via
			a.out[child] = append(a.out[child], a.out[via]...)
			queue = append(queue, child)
		}
	}
}

// each calls visit for every keyword in s, ordered by its end.
func (a *automaton) each(s string, visit func(o output, end int)) {
	state := 0
	for i := range len(s) {
		state = int(a.next[state*a.width+int(a.class[s[i]])])
		for _, o := range a.out[state] {
			visit(o, i+1)
		}
	}
}

// secrets returns the spans of s that hold a secret and are not masked yet, in no order.
func secrets(s string) []span {
	a := engine()
	var spans []span
	var done [maxRules]int
	a.each(s, func(o output, end int) {
		at := end - o.length
		if at < done[o.rule] {
			return
		}
		found, next := a.rules[o.rule](s, at, end)
		done[o.rule] = max(next, found.to)
		if found.to > found.from && s[found.from:found.to] != Mask {
			spans = append(spans, found)
		}
	})
	return spans
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }
func isAlnum(b byte) bool { return isLower(b) || isUpper(b) || isDigit(b) }
func isWord(b byte) bool  { return isAlnum(b) || b == '_' || b == '-' }
func isHex(b byte) bool   { return isDigit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' }
func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// run returns the end of the bytes of s from at on that ok accepts.
func run(s string, at int, ok func(byte) bool) int {
	for at < len(s) && ok(s[at]) {
		at++
	}
	return at
}
