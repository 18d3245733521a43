package redact

import "strings"

const (
	minJWTPart       = 10  // bytes in each part of a JSON web token
	minBearer        = 16  // bytes of a bearer token
	minAuthorization = 8   // bytes of what follows the scheme in an Authorization header
	minUserToken     = 20  // a user name in a URL that long is a token
	minUserDigits    = 12  // so is one that long with a digit
	maxUserInfo      = 512 // bytes of user and password in a URL
	maxPEMLabel      = 64  // bytes between BEGIN and the dashes
)

// pem masks a private key from its BEGIN line to its END line, or to the end of the text when that is missing.
func pem(s string, at, end int) (span, int) {
	label := s[end:min(len(s), end+maxPEMLabel)]
	stop := strings.Index(label, "-----")
	if stop < 0 || !strings.Contains(label[:stop], "PRIVATE KEY") {
		return span{}, end
	}
	body := end + stop + len("-----")
	i := strings.Index(s[body:], "-----END")
	if i < 0 {
		return span{at, len(s)}, len(s)
	}
	to := body + i + len("-----END")
	if j := strings.Index(s[to:min(len(s), to+maxPEMLabel)], "-----"); j >= 0 {
		to += j + len("-----")
	}
	return span{at, to}, to
}

// jwt masks a JSON web token or a JSON web encryption: three or more parts of base64url, or two when both are JSON.
func jwt(s string, at, end int) (span, int) {
	if !begins(s, at) || s[at:end] != "eyJ" {
		return span{}, end
	}
	to := run(s, at, isWord)
	first, parts, second := to, 1, ""
	for to < len(s) && s[to] == '.' {
		next := run(s, to+1, isWord)
		if next-to <= minJWTPart {
			break
		}
		if parts++; parts == 2 {
			second = s[to+1 : next]
		}
		to = next
	}
	if first-at >= minJWTPart && (parts >= 3 || parts == 2 && strings.HasPrefix(second, "eyJ")) {
		return span{at, to}, to
	}
	return span{}, first
}

// bearer masks what follows the word Bearer, also where it is used as a name.
func bearer(s string, _, end int) (span, int) {
	from := run(s, end, func(b byte) bool { return isBlank(b) || b == ':' || b == '=' || isQuote(b) })
	if from == end {
		return span{}, end
	}
	to := run(s, from, isCredential)
	if to-from < minBearer {
		return span{}, end
	}
	return span{from, to}, to
}

// authorization masks the credentials of an Authorization header of any scheme, also quoted as in source code or JSON.
func authorization(s string, _, end int) (span, int) {
	at := skipQuote(s, end)
	at = run(s, at, isBlank)
	if at >= len(s) || s[at] != ':' && s[at] != '=' {
		return span{}, end
	}
	at = run(s, at+1, isBlank)
	at = skipQuote(s, at)
	scheme := run(s, at, isWord)
	from := run(s, scheme, isBlank)
	if scheme == at || from == scheme {
		return span{}, end
	}
	to := run(s, from, isCredential)
	if to-from < minAuthorization {
		return span{}, end
	}
	return span{from, to}, to
}

func isCredential(b byte) bool { return isWord(b) || strings.IndexByte(".~+/=:", b) >= 0 }

// urlUser masks the password in a URL, or the user name too when that is the token.
func urlUser(s string, _, end int) (span, int) {
	limit := min(len(s), end+maxUserInfo)
	stop := end
	for stop < limit && !endsURL(s[stop]) && !strings.HasPrefix(s[stop:], "://") {
		stop++
	}
	info := s[end:stop]
	i := userInfoEnd(info)
	if i < 0 {
		return span{}, end
	}
	user, password, has := strings.Cut(info[:i], ":")
	switch {
	case isUserToken(user):
		return span{end, end + i}, end + i
	case has && password != "" && password != Mask && !isReference(password):
		return span{end + len(user) + 1, end + i}, end + i
	}
	return span{}, end
}

// userInfoEnd returns the offset of the @ that ends the user information, or -1. A password may hold a slash although
// it should be escaped; what follows the colon then is no port.
func userInfoEnd(info string) int {
	authority := info
	if i := strings.IndexAny(info, "/?#"); i >= 0 {
		authority = info[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		return i
	}
	_, after, has := strings.Cut(authority, ":")
	if !has || after != "" && isDigit(after[0]) {
		return -1
	}
	return strings.IndexByte(info, '@')
}

func endsURL(b byte) bool { return b <= ' ' || strings.IndexByte("\"'`<>|\\", b) >= 0 }

func isUserToken(user string) bool {
	if isReference(user) || strings.Contains(user, Mask) {
		return false
	}
	return len(user) >= minUserToken || len(user) >= minUserDigits && strings.ContainsAny(user, "0123456789")
}

// telegram masks a bot token: the number of the bot, a colon, and a code that begins with AA.
func telegram(s string, at, end int) (span, int) {
	from := at
	for from > 0 && isDigit(s[from-1]) && at-from < 12 {
		from--
	}
	to := run(s, end, isWord)
	if !strings.HasPrefix(s[at:], ":AA") || at-from < 8 || to-end < 30 {
		return span{}, end
	}
	return span{from, to}, to
}

// discord masks a bot token: user id, time and authentication code in base64url, the id made of digits.
func discord(s string, at, end int) (span, int) {
	if !begins(s, at) || !isUpper(s[at]) {
		return span{}, end
	}
	id := run(s[:min(len(s), at+28)], end, isWord)
	if id-at < 23 || id >= len(s) || s[id] != '.' {
		return span{}, end
	}
	at2 := run(s[:min(len(s), id+9)], id+1, isWord)
	if at2-id < 7 || at2 >= len(s) || s[at2] != '.' {
		return span{}, end
	}
	to := run(s, at2+1, isWord)
	if to-at2 < 28 {
		return span{}, end
	}
	return span{at, to}, to
}
