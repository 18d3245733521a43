package redact

import "strings"

// fill returns n bytes that look like a key over an alphabet. Tokens are composed here so that this file holds none.
func fill(n int, alphabet string) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(alphabet[(i*7+i/5)%len(alphabet)])
	}
	return b.String()
}

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	alnum  = "aZ3bY4cX5dW6eV7fU8gT9hS0iRjQkPlOmN"
	lowHex = "0123456789abcdef"
)

// secret is a planted token and the kind of thing that it is.
type planted struct{ kind, text string }

// plantedSecrets has one member of each kind that is told by its shape.
func plantedSecrets() []planted {
	word := fill(60, alnum)
	return []planted{
		{"AWS key id", "AKIA" + fill(16, upper)},
		{"AWS temporary key id", "ASIA" + fill(16, upper)},
		{"GitHub token", "ghp_" + word[:36]},
		{"GitHub server token", "ghs_" + word[:36]},
		{"GitHub fine-grained token", "github_pat_" + word[:22] + "_" + word[:59]},
		{"GitLab token", "glpat-" + word[:20]},
		{"Slack token", "xoxb-" + fill(11, "0123456789") + "-" + word[:24]},
		{"Stripe key", "sk_live_" + word[:24]},
		{"Stripe test key", "rk_test_" + word[:24]},
		{"OpenAI key", "sk-" + word[:48]},
		{"OpenAI project key", "sk-proj-" + word[:40] + "_" + word[:20]},
		{"Anthropic key", "sk-ant-api03-" + word[:40] + "-" + word[:20]},
		{"npm token", "npm_" + word[:36]},
		{"PyPI token", "pypi-" + word + word},
		{"Google API key", "AIza" + word[:35]},
		{"Google access token", "ya29." + word},
		{"Google client secret", "GOCSPX-" + word[:28]},
		{"SendGrid key", "SG." + word[:22] + "." + word[:43]},
		{"Twilio key", "SK" + fill(32, lowHex)},
		{"age key", "AGE-SECRET-KEY-1" + fill(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")},
		{"Telegram bot token", "110201543:AA" + word[:33]},
		{"Discord bot token", "MTk4NjIyNDgzNDcxOTI1MjQ4" + "." + word[:6] + "." + word[:27]},
		{"JSON web token", "eyJ" + word[:17] + ".eyJ" + word[:30] + "." + word[:43]},
		{"unsigned JSON web token", "eyJ" + word[:17] + ".eyJ" + word[:30]},
		{"private key", "-----BEGIN RSA PRIVATE KEY-----\n" + word + "\n" + word + "\n-----END RSA PRIVATE KEY-----"},
		{"OpenSSH private key", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + word + "\n-----END OPENSSH PRIVATE KEY-----"},
		{"PGP private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n" + word + "\n-----END PGP PRIVATE KEY BLOCK-----"},
		{"private key cut short", "-----BEGIN PRIVATE KEY-----\n" + word + "\n" + word},
		{"Vault token", "hvs." + word[:30]},
		{"Docker token", "dckr_pat_" + word[:27]},
		{"Hugging Face token", "hf_" + word[:34]},
	}
}
