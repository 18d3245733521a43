package cli

import (
	"strings"
	"testing"
)

func TestEnvironmentValuesAreMaskedByName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := wiring{environ: []string{"PWD=" + dir, "OLDPWD=" + dir, "KEY_PASSWORD=" + dir, "DEPLOY_TOKEN=/not/a/place/0123", "MYSQL_PWD=swordfish-1", "API_KEY=1"}}
	got := w.redactor(nil).Text(dir + " /not/a/place/0123 swordfish-1 1")
	if !strings.HasPrefix(got, dir) || !strings.HasSuffix(got, " 1") {
		t.Errorf("%q: a working directory, an existing path or a short value was masked", got)
	}
	if strings.Contains(got, "place") || strings.Contains(got, "swordfish") {
		t.Errorf("%q holds a secret of the environment", got)
	}
}
