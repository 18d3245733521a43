package redact

import (
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEachKindOfTokenIsMaskedWhereverItStands(t *testing.T) {
	t.Parallel()
	r := New(nil)
	frames := []struct{ before, after string }{
		{"", ""}, {"see ", " there"}, {"(", ")"}, {"\"", "\""}, {"refs/heads/fix_", "\n"}, {"a/b/", ".txt"}, {"x=", ","}, {"=> ", ";"},
		{"é", ""},
	}
	for _, p := range plantedSecrets() {
		for _, f := range frames {
			in := f.before + p.text + f.after
			got := r.Text(in)
			if leaks(got, p.text) || !strings.Contains(got, Mask) || !strings.HasPrefix(got, f.before) {
				t.Errorf("%s: Text(%q) = %q", p.kind, in, got)
			}
			if !r.Changed(in) || !r.Refuses(in) {
				t.Errorf("%s: Changed = %v, Refuses = %v, want true: %q", p.kind, r.Changed(in), r.Refuses(in), in)
			}
		}
	}
}

// leaks reports whether 12 bytes on end of a secret are still there.
func leaks(got, secret string) bool {
	body := strings.TrimPrefix(secret, "-----BEGIN")
	for i := 0; i+12 <= len(body); i++ {
		if strings.Contains(got, body[i:i+12]) {
			return true
		}
	}
	return false
}

func TestHeadersAndURLsKeepWhatIsNoSecret(t *testing.T) {
	t.Parallel()
	key := fill(24, alnum)
	for _, c := range []struct{ in, want string }{
		{"Authorization: Bearer " + key, "Authorization: Bearer " + Mask},
		{"authorization: bearer " + key, "authorization: bearer " + Mask},
		{`"bearer": "` + key + `"`, `"bearer": "` + Mask + `"`},
		{"use bearer " + key + ".", "use bearer " + Mask},
		{"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic " + Mask},
		{`-H "Authorization: token ` + key + `"`, `-H "Authorization: token ` + Mask + `"`},
		{`"Authorization": "Digest ` + key + `"`, `"Authorization": "Digest ` + Mask + `"`},
		{"postgres://bob:s3cret@db/x", "postgres://bob:" + Mask + "@db/x"},
		{"postgres://bob:pa/ss@db/x", "postgres://bob:" + Mask + "@db/x"},
		{"redis://:s3cret@db:6379", "redis://:" + Mask + "@db:6379"},
		{"amqp://bob:p@ss@mq", "amqp://bob:" + Mask + "@mq"},
		{"https://" + key + "@host/x", "https://" + Mask + "@host/x"},
		{"https://" + key + ":x-oauth-basic@host/x", "https://" + Mask + "@host/x"},
		{"https://h/?next=ftp://a:bcd@e", "https://h/?next=ftp://a:" + Mask + "@e"},
		{"https://hooks.slack.com/services/T000/B000/" + key, "https://hooks.slack.com/services/" + Mask},
		{"https://discord.com/api/webhooks/123456789012345678/" + key + key, "https://discord.com/api/webhooks/" + Mask},
		{"https://h/?access_token=" + key + "&user=bob", "https://h/?access_token=" + Mask + "&user=bob"},
	} {
		if got := New(nil).Text(c.in); got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestOrdinaryTextIsLeftAlone(t *testing.T) {
	t.Parallel()
	hex := fill(64, lowHex)
	r := New(nil)
	for _, in := range []string{
		"", "token", "password:", "the token is gone", "secret=", `token: ""`, "password: ab",
		"commit " + hex[:40], hex, "sha256:" + hex, "HEAD@{1} " + hex[:40] + " fix token", "token: sha256:" + hex,
		"01234567-89ab-cdef-0123-456789abcdef", "task_06H2VPRM4KDG25WQ", "token = task_06H2VPRM4KDG25WQ",
		"integrity sha512-" + fill(86, alnum) + "==", "2026-11-30T19:07:41.988Z", "token_expires: 2026-11-30T19:07:41Z",
		"password=" + Mask, `"token": "` + Mask + `"`, Mask, Mask + Mask, "Bearer " + Mask,
		"token := parser.Next()", `token = os.Getenv("API_TOKEN")`, "password = cfg.Database.Password", "Token: cfg.Token,",
		"token: process.env.API_TOKEN,", "credential: &syscall.Credential{", "token::Identifier::new", "token: ${{ secrets.DEPLOY }}",
		"password=$DB_PASSWORD", "password=${DB_PASSWORD:-none}", "PASSWORD=$(cat file.txt)", `"jsonwebtoken": "^9.0.2",`,
		"internal/token/token.go:12:func TestLongName", "token_test.go:120: got x", "secret://project/name-of-it",
		"max_tokens=4096", "token_count: 123456789012", "TOKEN_URL=https://auth.example.com/token", "PWD=/home/someone/project",
		"password: ****************", "if token == EOFToken {", "sk-fading-circle-container-of-things", "task-force-of-many-people-1",
		"http://localhost:8080/@scope/x", "ssh://git@host/x", "https://user:${PASS}@host", "https://h/a@b:c", "bearer of bad news",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "eyJhbGciOi.short", "--password --force", "xAKIA", "AKIAshort",
		"a\xff\xfetoken\x00=b", "key-value", "12345678:AAshort",
	} {
		if got := r.Text(in); got != in {
			t.Errorf("Text(%q) = %q, want it unchanged", in, got)
		}
		if r.Changed(in) {
			t.Errorf("Changed(%q) = true", in)
		}
	}
}

func TestLiteralsAreMaskedLongestFirst(t *testing.T) {
	t.Parallel()
	r := New([]string{"hunter", "hunter2", "abc", "redacted", Mask, "hunter"})
	for _, c := range []struct{ in, want string }{
		{"my hunter2 and hunter", "my " + Mask + " and " + Mask},
		{"abc is too short", "abc is too short"},
		{Mask + " stays", Mask + " stays"},
		{"a hunter2sk-" + fill(24, "ab"), "a " + Mask + Mask},
	} {
		if got := r.Text(c.in); got != c.want {
			t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
		}
	}
	if !r.Changed("x hunter x") || r.Changed("hunt") {
		t.Errorf("Changed: got %v, %v, want true, false", r.Changed("x hunter x"), r.Changed("hunt"))
	}
}

func TestRefusesWhatIsAsRandomAsAKey(t *testing.T) {
	t.Parallel()
	r := New(nil)
	for _, c := range []struct {
		in   string
		want bool
	}{
		{"q8Zr2LmX/4vTbN9" + "kPw7YcEa1HsU5dGo3FjR6iKx", true},
		{"agent-1", false}, {"01234567-89ab-cdef-0123-456789abcdef", false}, {fill(64, lowHex), false},
		{"TestParseHTTP2HeaderWithContinuationFramesAndPadding", false}, {"task_06H2VPRM4KDG25WQ/wi_06H2VPRM4KDG25WQ", false},
		{"internal/casefile/AcceptanceCriteria2Test", false}, {"github.com/pkg/v2/internal/Some1Path/With9Digits", false},
	} {
		if got := r.Refuses(c.in); got != c.want {
			t.Errorf("Refuses(%q) = %v, want %v", c.in, got, c.want)
		}
	}
}

func TestCleanTextIsReturnedWithoutAllocation(t *testing.T) {
	s := strings.Repeat("an ordinary line about a token and a password\n", 100)
	r := New([]string{"not-in-there"})
	r.Text(s) // builds the automaton
	if n := testing.AllocsPerRun(20, func() { r.Text(s) }); n > 0 {
		t.Errorf("Text of clean text allocates %v times, want none", n)
	}
	b := []byte(s)
	if got := r.Bytes(b); &got[0] != &b[0] {
		t.Error("Bytes copied clean input")
	}
}

func TestGoldenFile(t *testing.T) {
	t.Parallel()
	in, want := readGolden(t, "testdata/input.txt"), readGolden(t, "testdata/masked.txt")
	got := New([]string{"correct horse battery"}).Text(strings.ReplaceAll(in, "{}", ""))
	if got != want {
		t.Errorf("masking testdata/input.txt:\n got:\n%s\nwant:\n%s", got, want)
	}
}

func readGolden(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTimeIsLinear feeds texts on which a careless search is quadratic.
func TestTimeIsLinear(t *testing.T) {
	for _, unit := range []string{
		"token=", "token:", "token", "token:token(", "token:=token:=", "sk-", "eyJ", "eyJ.", "eyJ=", "eyJaaaaaaaaaa.", "://", "://a:",
		"AKIA", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "bearer ", "authorization: ", "\"token\":\"", "token=\\\"", "MT-", "xoxb-",
		":AA", "<token>", "--token ", "token: a,", Mask, "password=" + Mask + "x", "token string = ", "(token, password) ", "key-",
		"token='", "https://hooks.slack.com/services/", "-----BEGIN PRIVATE KEY-----a-----END ",
	} {
		s := strings.Repeat(unit, (1<<20)/len(unit)) + ","
		start := time.Now()
		New([]string{"tokentoken"}).Text(s)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("1 MiB of %q took %v", unit, took)
		}
	}
}

// words are what random texts are made of: the pieces on which rules begin, end and disagree.
func words() []string {
	list := []string{
		"token", "PASSWORD", "secret", "_", "-", ".", " ", "\n", "=", ":", ":=", "=>", "\"", "'", "`", "\\", "\\\"", ",", ";", "&", "(",
		")", "{", "}", "[", "]", "<", ">", "://", "@", "/", "bearer ", "Authorization: ", "eyJ", "AKIA", "sk-", "hunter2hunter2", "abc",
		"0123456789", "ABCDEFGHJKMNPQRST", Mask, "«", "\xff", "é", "\u2028", "--", "$", "${X}", "-----BEGIN PRIVATE KEY-----",
		"-----END PRIVATE KEY-----", ":AA", "a.b.c", "os.Getenv(", "1.2.3", "2026-11-30", "literal",
	}
	for _, p := range plantedSecrets() {
		list = append(list, p.text)
	}
	return list
}

func randomText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words()), 0, 14).Draw(t, "words"), "")
}

func TestMaskingTwiceChangesNothingMore(t *testing.T) {
	t.Parallel()
	r := New([]string{"literal", "abcabc"})
	rapid.Check(t, func(t *rapid.T) {
		once := r.Text(randomText(t))
		if twice := r.Text(once); twice != once {
			t.Fatalf("masking %q again gives %q", once, twice)
		}
		if r.Changed(once) {
			t.Fatalf("Changed(%q) after masking", once)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, p := range plantedSecrets() {
		f.Add("a " + p.text + " b")
	}
	f.Add("token=\"a\\\"b\" password: hunter2hunter2, x://u:p@h")
	r := New([]string{"literal"})
	f.Fuzz(func(t *testing.T, s string) {
		got := r.Text(s)
		if again := r.Text(got); again != got {
			t.Errorf("Text(%q) = %q, masked again %q", s, got, again)
		}
		if r.Changed(s) != (got != s) {
			t.Errorf("Changed(%q) = %v, and Text gives %q", s, r.Changed(s), got)
		}
	})
}

func BenchmarkCleanCode(b *testing.B) {
	s := strings.Repeat("func (p *parser) token(secret string) error { return p.next(secret) } // reads a token\n", 1<<14)
	r := New(nil)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		r.Text(s)
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		words, rules := keywords()
		newAutomaton(words, rules)
	}
}
