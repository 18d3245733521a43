package code

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/testkit"
)

// churn edits worktrees at random, by few words and names so that edits meet.
type churn struct {
	*testing.T
	*rand.Rand
	repo     *testkit.Repo
	branches int
}

func (c *churn) oneOf(list string) string {
	words := strings.Fields(list)
	return words[c.IntN(len(words))]
}

func (c *churn) word() string {
	return c.oneOf("lease price discount renew holder journal token parse Größe año 重定向 address conn test")
}

func (c *churn) dir() string { return c.oneOf("a b a/c src/x tests src/x/y vendor/q pkg/lib/src") }

func (c *churn) file() string {
	return fmt.Sprintf("%s/%s%d%s", c.dir(), strings.ToLower(c.word()), c.IntN(3), c.oneOf(".go _test.go .ts .tsx .py .java .rs .c .h .md .json"))
}

func (c *churn) text(name string) string {
	w, n := c.word, c.IntN(3)
	switch filepath.Ext(name) {
	case ".go":
		return fmt.Sprintf("package %s\n\nimport \"m%d/%s\"\n\n// %s %s\nfunc %s%s() { %s() }\n", w(), n, c.dir(), w(), w(), w(), w(), w())
	case ".ts", ".tsx":
		return fmt.Sprintf("import {x} from '@/%s%d'\nimport y from 'p%d'\nexport function %s%s() {} // %s\n", w(), n, c.IntN(3), w(), w(), w())
	case ".py":
		return fmt.Sprintf("from %s import %s%d\ndef %s_%s(): pass # %s\n", strings.ReplaceAll(c.dir(), "/", "."), w(), n, w(), w(), w())
	case ".rs":
		return fmt.Sprintf("use c%d::%s;\nmod %s%d;\nfn %s() {}\n", c.IntN(3), w(), w(), n, w())
	case ".c", ".h":
		return fmt.Sprintf("#include \"%s%d.h\"\nint %s(void) { return 0; }\n", w(), n, w())
	}
	return strings.Repeat(w()+" "+w()+"\n", c.IntN(30))
}

// manifest changes what the imports of files that stay as they are lead to.
func (c *churn) manifest() {
	switch c.IntN(5) {
	case 0:
		c.repo.Write("go.mod", fmt.Sprintf("module m%d\n", c.IntN(3)))
	case 1:
		c.repo.Write("tsconfig.json", fmt.Sprintf(`{"compilerOptions":{"baseUrl":".","paths":{"@/*":["%s/*"]}}}`, c.dir()))
	case 2:
		c.repo.Write(c.dir()+"/package.json", fmt.Sprintf(`{"name":"p%d"}`, c.IntN(3)))
	case 3:
		c.repo.Write(c.dir()+"/Cargo.toml", fmt.Sprintf("[package]\nname = \"c%d\"\n", c.IntN(3)))
	case 4:
		c.repo.Write(c.dir()+"/__init__.py", "")
	}
}

func (c *churn) edit() string {
	name := c.file()
	switch c.IntN(8) {
	case 0:
		_ = os.Remove(c.repo.Path(name)) // where there is one
		return "remove " + name
	case 1:
		to := c.file()
		c.repo.Write(to, "")
		_ = os.Rename(c.repo.Path(name), c.repo.Path(to)) // where there is one
		return "move " + name + " to " + to
	case 2:
		_ = os.Chmod(c.repo.Path(name), 0o755) // where there is one
		return "make " + name + " executable"
	case 3:
		c.manifest()
		return "change a manifest"
	case 4:
		c.repo.Commit("more")
		c.branches++
		c.repo.Git("checkout", "-q", "-b", fmt.Sprintf("b%d", c.branches), fmt.Sprintf("HEAD~%d", c.IntN(2)))
		return "change the branch"
	}
	c.repo.Write(name, c.text(name))
	return "write " + name
}

// compare holds what x answers after edits against what a new cache gives, and the graph against one without any cache.
func (c *churn) compare(x *Index, after string) {
	c.Helper()
	fresh := newIndex(c.T, x.Repo.Root, c.TempDir())
	for range 2 {
		req := SearchRequest{Question: c.word() + " " + c.word() + " of the " + c.word(), Limit: 1 + c.IntN(30)}
		if c.IntN(3) == 0 {
			req.Module = c.dir()
		}
		if diff := cmp.Diff(find(c.T, fresh, req), find(c.T, x, req)); diff != "" {
			c.Fatalf("%+v after %s (-fresh +refreshed)\n%s", req, after, diff)
		}
	}
	graph := func(cache *Cache) string {
		s, err := ReadStructure(c.Context(), x.Repo, cache)
		if err != nil {
			c.Fatal(err)
		}
		return fmt.Sprintf("%+v\n%+v\n%+v\n%v\n%d %v", s.Sources, s.Modules, s.Edges, s.imports, s.Unresolved, s.Skipped)
	}
	if diff := cmp.Diff(graph(nil), graph(x.Cache)); diff != "" {
		c.Fatalf("graph after %s (-fresh +cached)\n%s", after, diff)
	}
}

// However a worktree came to be as it is, and whatever another one holds, the cache answers as a new one does.
func TestCacheForgetsNothingAndKeepsNothing(t *testing.T) {
	t.Parallel()
	c := churn{T: t, Rand: rand.New(rand.NewPCG(4, 7)), repo: testkit.NewRepo(t)}
	for range 60 {
		name := c.file()
		c.repo.Write(name, c.text(name))
	}
	c.repo.Commit("first")
	x := newIndex(t, c.repo.Dir, t.TempDir())
	other := filepath.Join(t.TempDir(), "other")
	c.repo.Git("worktree", "add", "-q", "-b", "other", other)
	y := newIndex(t, other, cacheDir(x))
	for step := range 24 {
		if step%6 == 5 {
			name := filepath.Join(other, "a", filepath.Base(c.file()))
			if err := os.WriteFile(name, []byte(c.text(name)), 0o600); err != nil {
				t.Fatal(err)
			}
			c.compare(y, "write "+name)
			continue
		}
		c.compare(x, c.edit())
	}
}
