package redact

import (
	"slices"
	"strings"
)

// assignedWords make a name a secret's name when the name contains one of them, in any case.
const assignedWords = "secret token password passwd passphrase pwd credential " +
	"api_key api-key apikey private_key private-key privatekey access_key access-key accesskey " +
	"account_key accountkey auth_key authkey encryption_key signing_key _auth"

const (
	minQuoted      = 3    // bytes of a quoted value
	minBare        = 12   // bytes of a bare value
	minCompared    = 12   // bytes of a quoted value that the name is only compared with
	minEnvironment = 6    // bytes of a bare value in NAME=value
	minFlag        = 8    // bytes of a bare value after --name and a blank, or
	minFlagDigits  = 5    // that many when it has a digit
	minBesideMask  = 4    // bytes left over beside a mask that make the whole value a secret again
	maxName        = 64   // bytes of a name on either side of its word
	maxTyped       = 40   // bytes of the type in a typed declaration
	maxExtension   = 5    // bytes of a file's extension, dot included
	maxLine        = 4096 // bytes of a value whose quote is never closed
)

// operator is how a value follows its name.
type operator int

const (
	none     operator = iota
	tight             // NAME=value
	spaced            // name = value, name => value
	declared          // name := value
	colon             // name: value
	compared          // name == value
	flag              // --name value
	element           // <name>value</name>
)

// assigned masks the value that is given to a secret's name: NAME=v, name: v, "name": "v", --name v, <name>v</name>.
// Name and operator stay.
func assigned(s string, at, end int) (span, int) {
	start := at
	for start > 0 && at-start < maxName && isWord(s[start-1]) {
		start--
	}
	start = behindEscapes(s, start, at)
	stop := run(s[:min(len(s), end+maxName)], end, isWordDot)
	op, from := follow(s, start, end, stop)
	if op == none || isHarmlessName(s[start:stop]) {
		return span{}, stop
	}
	found, seen := value(s, from, op, s[start:stop])
	return found, max(stop, seen)
}

// harmlessEnds end names that speak about a secret without being one.
const harmlessEnds = "count counts type types kind name names limit limits size length path paths file files url uri " +
	"endpoint expiry expires ttl project budget"

func isHarmlessName(name string) bool {
	bare := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
	for end := range strings.FieldsSeq(harmlessEnds) {
		if strings.HasSuffix(bare, end) {
			return true
		}
	}
	return false
}

// follow finds the operator after the name s[start:stop], whose word ends at end, and the offset of the value.
func follow(s string, start, end, stop int) (operator, int) {
	if start > 0 && s[start-1] == '<' && stop < len(s) && s[stop] == '>' {
		return element, stop + 1
	}
	at := skipQuote(s, stop)
	if at < len(s) && s[at] == ']' {
		at++
	}
	blank := run(s, at, isBlank)
	op, from := readOperator(s, blank)
	if op == none {
		if strings.HasPrefix(s[start:], "--") && blank > stop && at == stop {
			return flag, blank
		}
		return typed(s, blank)
	}
	value := run(s, from, isBlank)
	if op == tight && (blank > at || value > from) {
		op = spaced
	}
	if op == colon {
		if typedOp, typedAt := typed(s, value); typedOp != none {
			return typedOp, typedAt
		}
		if value == from && isLocation(s[from:], s[end:stop]) {
			return none, 0
		}
	}
	return op, value
}

// readOperator reads the operator at s[at:]. A scope (a::b) and an inequality are none.
func readOperator(s string, at int) (operator, int) {
	if at >= len(s) || strings.IndexByte(":=?+|", s[at]) < 0 {
		return none, 0
	}
	for _, known := range []struct {
		text string
		op   operator
	}{{"::", none}, {":=", declared}, {"===", compared}, {"==", compared}, {"=~", none}, {"=>", spaced}, {"?=", spaced},
		{"+=", spaced}, {"||=", spaced}, {"=", tight}, {":", colon}} {
		if strings.HasPrefix(s[at:], known.text) {
			return known.op, at + len(known.text)
		}
	}
	return none, 0
}

// typed recognises a declaration with a type between the name and a quoted value: const token string = "v".
func typed(s string, at int) (operator, int) {
	i := run(s[:min(len(s), at+maxTyped)], at, isTypeByte)
	if i == at || i >= len(s) || s[i] != '=' {
		return none, 0
	}
	i = run(s, i+1, isBlank)
	if i < len(s) && isQuote(s[i]) {
		return spaced, i
	}
	return none, 0
}

func isTypeByte(b byte) bool {
	return isAlnum(b) || isBlank(b) || strings.IndexByte("_.&*<>[]?", b) >= 0
}
func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// isLocation tells file:line, and a URL of a scheme, from a value: token.go:12: or secret://path. tail is the name behind
// its word, where the extension of a file would be.
func isLocation(rest, tail string) bool {
	if strings.HasPrefix(rest, "//") {
		return true
	}
	digits := run(rest, 0, isDigit)
	if digits > 0 && (digits == len(rest) || !isWordDot(rest[digits])) {
		return true
	}
	dot := strings.LastIndexByte(tail, '.')
	return dot >= 0 && len(tail)-dot <= maxExtension
}

// skipQuote returns the offset behind a quote at s[at:], which may be escaped.
func skipQuote(s string, at int) int {
	i := at
	for i < len(s) && s[i] == '\\' && i-at < 8 {
		i++
	}
	if i < len(s) && isQuote(s[i]) {
		return i + 1
	}
	return at
}

// value returns the span of the secret value at s[from:], empty when there is none, and the offset up to which no name
// can begin another assignment. That keeps the search linear in text that is one long chain of assignments.
func value(s string, from int, op operator, name string) (span, int) {
	if op == element {
		to := run(s, from, func(b byte) bool { return b != '<' && b != '\n' })
		return judge(s, from, to, minQuoted, name), from
	}
	if from < len(s) && isAlnum(s[from]) && from+1 < len(s) && isQuote(s[from+1]) || strings.HasPrefix(s[from:], "@\"") {
		from++ // a string prefix, as in b"v"
	}
	if open := skipQuote(s, from); open > from {
		least := minQuoted
		if op == compared {
			least = minCompared
		}
		return judge(s, open, closing(s, open, s[from:open]), least, name), from
	}
	return bare(s, from, op, name)
}

// closing returns the offset of the quote that closes a value, or the end of the line when none does.
func closing(s string, at int, quote string) int {
	for i := at; i < len(s) && i-at < maxLine; i++ {
		switch {
		case s[i] == '\n':
			return i
		case strings.HasPrefix(s[i:], quote):
			return i
		case s[i] == '\\' && len(quote) == 1 && quote != "`":
			i++
		}
	}
	return min(len(s), at+maxLine)
}

// judge masks s[from:to] when it is long enough and nothing that is known to be harmless.
func judge(s string, from, to, least int, name string) span {
	v := s[from:to]
	if rest := strings.ReplaceAll(v, Mask, ""); len(rest) < len(v) {
		least = minBesideMask
		v = rest
	}
	if len(v) < least || isHarmless(v, name) {
		return span{}
	}
	return span{from, to}
}

// bare masks a value without quotes.
func bare(s string, from int, op operator, name string) (span, int) {
	start := run(s, from, func(b byte) bool { return b == '&' || b == '*' })
	path := run(s, start, isPathByte)
	switch {
	case op == compared, op == flag && strings.HasPrefix(s[from:], "-"): // another variable; the next flag
		return span{}, from
	case path > start && path < len(s) && !isDigit(s[start]) && strings.IndexByte("([{", s[path]) >= 0: // call, index, literal
		return span{}, path
	case strings.HasPrefix(s[from:], "${"), strings.HasPrefix(s[from:], "$("), strings.HasPrefix(s[from:], "{{"):
		return span{}, from
	}
	to := max(path, from)
	for to < len(s) && !endsBare(s, to) {
		to++
	}
	if path == to && isVariable(s[from:to], s[to:], op) {
		return span{}, to
	}
	return judge(s, from, to, leastBare(s[from:to], op, name), name), to
}

func isPathByte(b byte) bool { return isAlnum(b) || strings.IndexByte("_.:?!", b) >= 0 }

// leastBare returns how many bytes make a bare value a secret: the clearer the form, the fewer.
func leastBare(v string, op operator, name string) int {
	digits := strings.ContainsAny(v, "0123456789")
	switch {
	case op == flag && digits:
		return minFlagDigits
	case op == flag:
		return minFlag
	case op == tight && isConstant(name) && strings.Trim(v, "0123456789") != "":
		return minEnvironment
	}
	return minBare
}

// isVariable recognises a variable or a field in place of a literal where the operator, or what follows, shows that this
// is code.
func isVariable(v, rest string, op operator) bool {
	if strings.ContainsAny(v, "0123456789") {
		return false
	}
	switch op {
	case declared:
		return true
	case spaced:
		return strings.Contains(v, ".")
	case colon:
		return rest != "" && strings.IndexByte(",;)}", rest[0]) >= 0
	}
	return false
}

// endsBare reports whether a bare value ends before s[at]. Commas, semicolons and ampersands belong to the value unless
// something else begins behind them.
func endsBare(s string, at int) bool {
	b := s[at]
	switch {
	case b <= ' ' || isQuote(b) || strings.IndexByte(")]}<>|", b) >= 0:
		return true
	case b == '\\':
		return at+1 == len(s) || strings.IndexByte("nrt\"'\\", s[at+1]) >= 0
	case b == ',' || b == ';' || b == '&':
		next := run(s[:min(len(s), at+maxName)], at+1, isWordDot)
		return next == len(s) || s[next] <= ' ' && next == at+1 || next > at+1 && (s[next] == '=' || s[next] == ':') ||
			next == at+1 && (isQuote(s[next]) || strings.IndexByte(")]}{", s[next]) >= 0)
	}
	return false
}

// isConstant reports whether name is written as environment variables are.
func isConstant(name string) bool {
	return name == strings.ToUpper(name) && !strings.Contains(name, "-")
}

// isReference recognises the name of a variable in place of its value: $NAME, ${NAME}, $(command), {{ name }}, %NAME%.
func isReference(v string) bool {
	switch {
	case strings.HasPrefix(v, "${"), strings.HasPrefix(v, "$("), strings.HasPrefix(v, "{{"):
		return true
	case strings.HasPrefix(v, "$"), strings.HasPrefix(v, "%"):
		name := strings.Trim(v, "$%")
		return name != "" && name == strings.ToUpper(name) && run(name, 0, isWordDot) == len(name)
	}
	return false
}

// isHarmless recognises values that are no secret whatever their name: references, versions, times, digests that say
// so, our identifiers, runs of one placeholder character, and a directory for PWD.
func isHarmless(v, name string) bool {
	return isReference(v) || isPlaceholder(v) || isVersion(v) || isTime(v) || isDigest(v) || isOurID(v) ||
		strings.HasSuffix(strings.ToLower(name), "pwd") && (strings.HasPrefix(v, "/") || strings.Contains(v, `:\`))
}

func isPlaceholder(v string) bool {
	return strings.IndexByte("*.-_xX#", v[0]) >= 0 && strings.Count(v, v[:1]) == len(v)
}

// isVersion recognises 1.2.3 with the operators of package managers before it and a short tail behind it.
func isVersion(v string) bool {
	v = strings.TrimLeft(v, "^~<>=v ")
	numbers := strings.SplitN(v, ".", 3)
	return len(numbers) == 3 && len(v) < 24 && !slices.ContainsFunc(numbers, func(n string) bool {
		return n == "" || !isDigit(n[0])
	}) && run(numbers[0], 0, isDigit) == len(numbers[0]) && run(numbers[1], 0, isDigit) == len(numbers[1])
}

// isTime recognises an ISO 8601 date, alone or with a time behind it.
func isTime(v string) bool {
	const date, longest = len("2006-01-02"), len("2006-01-02T15:04:05.000000000+00:00")
	if len(v) < date || len(v) > longest || v[4] != '-' || v[7] != '-' || !isDigit(v[0]) {
		return false
	}
	return strings.Trim(v[:date], "0123456789-") == "" && strings.Trim(v[date:], "0123456789:.TZ+- ") == ""
}

func isDigest(v string) bool {
	for _, method := range []string{"sha1", "sha256", "sha384", "sha512"} {
		if rest, ok := strings.CutPrefix(v, method); ok && len(rest) > 27 && (rest[0] == ':' || rest[0] == '-') {
			return run(rest, 1, isBase64) == len(rest)
		}
	}
	return false
}

// isOurID recognises a short prefix, an underscore and 16 symbols of Crockford base32.
func isOurID(v string) bool {
	prefix, body, ok := strings.Cut(v, "_")
	return ok && len(prefix) <= 8 && run(prefix, 0, isLower) == len(prefix) && len(body) == 16 &&
		run(body, 0, isUpperDigit) == len(body)
}
