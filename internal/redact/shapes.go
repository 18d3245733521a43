package redact

import "strings"

// shape is a token that can be told by its prefix and its alphabet.
type shape struct {
	prefixes string // separated by blanks
	chars    func(byte) bool
	min      int                    // bytes after the prefix
	glued    bool                   // also after a letter or digit: the prefix is unlikely enough
	keep     bool                   // the prefix is no part of the secret and stays
	check    func(rest string) bool // further condition on the bytes after the prefix
}

// shapes are tokens whose issuers gave them a recognisable form. Minimum lengths are at or below what the issuer
// documents, so that a token cut short is still masked.
func shapes() []shape {
	return []shape{
		{prefixes: "AKIA ASIA AGPA AIDA ANPA AIPA AROA ASCA", chars: isUpperDigit, min: 16, glued: true}, // AWS key ids
		{prefixes: "ghp_ gho_ ghs_ ghr_ ghu_", chars: isAlnum, min: 20, glued: true},                     // GitHub
		{prefixes: "github_pat_", chars: isWord, min: 22, glued: true},
		{prefixes: "glpat- gldt- glrt- glptt- glcbt- glsoat-", chars: isWordDot, min: 16, glued: true}, // GitLab
		{prefixes: "xoxa- xoxb- xoxe- xoxe. xoxp- xoxr- xoxs- xapp-", chars: isWordDot, min: 10, glued: true},
		{prefixes: "sk_live_ rk_live_ pk_live_ sk_test_ rk_test_ pk_test_", chars: isAlnum, min: 16, glued: true}, // Stripe
		{prefixes: "whsec_", chars: isBase64, min: 16},
		{prefixes: "sk-", chars: isWord, min: 20, check: longOrDigits}, // OpenAI, Anthropic and alike
		{prefixes: "gsk_ xai-", chars: isAlnum, min: 32},               // Groq, xAI
		{prefixes: "hf_ r8_ nvapi-", chars: isWord, min: 30, check: longOrDigits},
		{prefixes: "npm_", chars: isAlnum, min: 30},
		{prefixes: "pypi-", chars: isWord, min: 40},
		{prefixes: "rubygems_ shpat_ shpss_ shpca_ shppa_ dop_v1_ doo_v1_ dor_v1_ pul-", chars: isHex, min: 32},
		{prefixes: "dckr_pat_ hvs. hvb. glsa_ lin_api_ figd_ PMAK- NRAK- sntrys_ sntryu_ sq0csp- sq0atp-", chars: isWord, min: 20},
		{prefixes: "AIza", chars: isWord, min: 33, glued: true}, // Google API key
		{prefixes: "ya29.", chars: isWordDot, min: 20},          // Google access token
		{prefixes: "GOCSPX-", chars: isWord, min: 20},           // Google client secret
		{prefixes: "ATATT3", chars: isBase64URL, min: 40},       // Atlassian
		{prefixes: "SG.", chars: isWordDot, min: 40},            // SendGrid
		{prefixes: "SK key- dapi", chars: isHex, min: 32, check: hex32},
		{prefixes: "AGE-SECRET-KEY-1", chars: isUpperDigit, min: 20, glued: true},
		{prefixes: "hooks.slack.com/services/ hooks.slack.com/workflows/", chars: isWordSlash, min: 16, glued: true, keep: true},
		{prefixes: "/api/webhooks/", chars: isWordSlash, min: 40, glued: true, keep: true}, // Discord
	}
}

// keywords returns every keyword with its rule, and the rules.
func keywords() ([]keyword, []rule) {
	var words []keyword
	rules := []rule{assignedRule: assigned, pem, jwt, bearer, authorization, urlUser, telegram, discord}
	for id, list := range []string{
		assignedWords, "-----begin", "eyj", "bearer", "authorization", "://", ":aa", "mt mj mz nd nt nj nz od ot",
	} {
		for w := range strings.FieldsSeq(list) {
			words = append(words, keyword{w, id})
		}
	}
	for _, sh := range shapes() {
		for prefix := range strings.FieldsSeq(sh.prefixes) {
			words = append(words, keyword{strings.ToLower(prefix), len(rules)})
		}
		rules = append(rules, sh.find)
	}
	return words, rules
}

// find masks the token and what else is glued to it: a tail that is left over would be a part of the secret more often
// than not.
func (sh shape) find(s string, at, end int) (span, int) {
	if !sh.glued && !begins(s, at) || !sh.prefixed(s[at:end]) {
		return span{}, end
	}
	to := run(s, end, sh.chars)
	if to-end < sh.min || sh.check != nil && !sh.check(s[end:to]) {
		return span{}, to // what fails as a whole fails from any later start
	}
	to = run(s, to, isWord)
	if sh.keep {
		return span{end, to}, to
	}
	return span{at, to}, to
}

// prefixed tells the exact prefix from one that differs in case. The keyword pass ignores case; tokens do not.
func (sh shape) prefixed(got string) bool {
	for prefix := range strings.FieldsSeq(sh.prefixes) {
		if prefix == got {
			return true
		}
	}
	return sh.keep
}

func isUpperDigit(b byte) bool { return isUpper(b) || isDigit(b) }
func isWordDot(b byte) bool    { return isWord(b) || b == '.' }
func isWordSlash(b byte) bool  { return isWord(b) || b == '/' }
func isBase64(b byte) bool     { return isAlnum(b) || b == '+' || b == '/' || b == '=' }
func isBase64URL(b byte) bool  { return isWord(b) || b == '=' }

// longOrDigits tells a key from hyphenated words such as a class name: a key has a digit, or twenty letters on end.
func longOrDigits(rest string) bool {
	letters, digits := 0, 0
	for i := range len(rest) {
		switch {
		case isDigit(rest[i]):
			digits++
			letters++
		case isAlnum(rest[i]):
			letters++
		default:
			letters = 0
		}
		if letters >= 20 {
			return true
		}
	}
	return digits >= 2
}

func hex32(rest string) bool { return len(rest) == 32 }
