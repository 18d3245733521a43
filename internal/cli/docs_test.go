package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"cortex/internal/op"
)

var update = flag.Bool("update", false, "write the generated pages instead of comparing them")

func TestDocsAreCurrent(t *testing.T) {
	t.Parallel()
	for page, want := range map[string][]byte{
		"operations.md": op.Markdown(op.New(allOps()...)),
		"problems.md":   op.ProblemsMarkdown(),
	} {
		path := filepath.Join("..", "..", "docs", page)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not what the declarations say (%v); run make docs", page, err)
		}
	}
}
