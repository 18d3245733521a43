package redact

import (
	"strings"
	"testing"
)

func TestSecretBehindAnEscapeSequenceIsMasked(t *testing.T) {
	t.Parallel()
	secrets := []string{
		"sk-proj-Ab1Cd2Ef3Gh4Ij5Kl6Mn7",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
		"npm_" + strings.Repeat("a1", 18),
		"ghp_" + strings.Repeat("a1", 18),
	}
	for _, before := range []string{`"x\n`, `\t`, `\\n`, `\u000a`, `\u001b[31m`, "\x1b[1;31m", `\x0a`, `?q%3D`, `\r\n`} {
		for _, secret := range secrets {
			in := before + secret
			if got := New(nil).Text(in); got != before+Mask {
				t.Errorf("Text(%q) = %q, want %q", in, got, before+Mask)
			}
		}
		in := before + "DB_PASSWORD=hunter2"
		if got := New(nil).Text(in); got != before+"DB_PASSWORD="+Mask {
			t.Errorf("Text(%q) = %q, want the value masked", in, got)
		}
	}
}

func TestTokenInsideAWordIsNoToken(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"desk-1234567890-1234567890-ab", "xnpm_" + strings.Repeat("a1", 18)} {
		if got := New(nil).Text(in); got != in {
			t.Errorf("Text(%q) = %q, want it as it is", in, got)
		}
	}
}
