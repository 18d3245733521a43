package redact

import "testing"

func TestAssignedSecretsKeepNameAndOperator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"DB_PASSWORD=hunter2hunter2", "DB_PASSWORD=" + Mask},
		{"DB_PASSWORD=hunter2", "DB_PASSWORD=" + Mask},
		{"export API_TOKEN='x y z'", "export API_TOKEN='" + Mask + "'"},
		{"password: hunter2hunter2", "password: " + Mask},
		{"password: \"hunter2\" # why", "password: \"" + Mask + "\" # why"},
		{"- client_secret: hunter2hunter2\n  next: 1", "- client_secret: " + Mask + "\n  next: 1"},
		{`{"password": "hunter2", "a": 1}`, `{"password": "` + Mask + `", "a": 1}`},
		{`{\"password\":\"hunter2\",\"a\":1}`, `{\"password\":\"` + Mask + `\",\"a\":1}`},
		{`{"auth_token":"a\"b"}`, `{"auth_token":"` + Mask + `"}`},
		{"run --password hunter2 --force", "run --password " + Mask + " --force"},
		{"run --token=hunter2hunter2 x", "run --token=" + Mask + " x"},
		{`const token string = "abc"`, `const token string = "` + Mask + `"`},
		{`let password: &str = "abc";`, `let password: &str = "` + Mask + `";`},
		{`token := "abc"`, `token := "` + Mask + `"`},
		{`config["passwd"] = "abc"`, `config["passwd"] = "` + Mask + `"`},
		{`'pwd' => 'abc'`, `'pwd' => '` + Mask + `'`},
		{`SECRET = b"abc"`, `SECRET = b"` + Mask + `"`},
		{`if password == "hunter2hunter2" {`, `if password == "` + Mask + `" {`},
		{"<password>hunter2</password>", "<password>" + Mask + "</password>"},
		{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = " + Mask},
		{"AccountKey=abcdefgh1234567890==;EndpointSuffix=x", "AccountKey=" + Mask + ";EndpointSuffix=x"},
		{"Server=x;Password=hunterhunterhunter;Other=y", "Server=x;Password=" + Mask + ";Other=y"},
		{"//registry.npmjs.org/:_authToken=abcdefgh-1234", "//registry.npmjs.org/:_authToken=" + Mask},
		{"X-Api-Key: abcdefgh-1234", "X-Api-Key: " + Mask},
		{"passphrase=a,b&c;defgh12 next", "passphrase=" + Mask + " next"},
		{"{token: abcdefgh1234, user: bob}", "{token: " + Mask + ", user: bob}"},
		{"credentials = hunter2-" + Mask, "credentials = " + Mask},
		{"token=abcdefgh1234\\nuser=bob", "token=" + Mask + "\\nuser=bob"},
		{"db.pwd:hunter2hunter2", "db.pwd:" + Mask},
		{"password=\"never closed\nnext line", "password=\"" + Mask + "\nnext line"},
		{"api_key=" + fill(40, lowHex), "api_key=" + Mask}, // a hash by its shape, a secret by its name
	} {
		if got := New(nil).Text(c.in); got != c.want {
			t.Errorf("Text(%q)\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestSecretName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"API_TOKEN": true, "--password": true, "clientSecret": true, "x-api-key": true, "AWS_SECRET_ACCESS_KEY": true,
		"HOME": false, "TOKEN_URL": false, "tokenCount": false, "keyboard": false, "": false,
	} {
		if got := SecretName(name); got != want {
			t.Errorf("SecretName(%q) = %v, want %v", name, got, want)
		}
	}
}
