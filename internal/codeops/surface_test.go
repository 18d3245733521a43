package codeops

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"cortex/internal/gitrepo"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/redact"
	"cortex/internal/testkit"
)

// service is the verbs over a repository that has been committed.
func service(t *testing.T, files map[string]string) (*testkit.Repo, *Service) {
	t.Helper()
	g := testkit.NewRepo(t)
	for name, text := range files {
		g.Write(name, text)
	}
	g.Commit("first")
	repo, err := gitrepo.Open(t.Context(), g.Dir, gitrepo.Options{Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	return g, &Service{Workspace: g.Dir, Repo: repo, CacheDir: t.TempDir(), Redact: redact.New(nil)}
}

func small() map[string]string {
	return map[string]string{
		"go.mod":                "module m\n",
		"app/app.go":            "package app\n\nimport (\n\t\"errors\"\n\t\"m/store\"\n)\n\nfunc Run() error {\n\tstore.Open()\n\treturn errors.New(\"x\")\n}\n",
		"app/app_test.go":       "package app\n\nimport \"m/errors\"\n\nvar _ = errors.Is\n",
		"errors/errors.go":      "package errors\n\nfunc Is() {}\n",
		"store/store.go":        "package store\n\ntype Journal struct{}\n\nfunc Open() *Journal { return nil }\n\nfunc (j *Journal) Close() {}\n",
		"store/store_test.go":   "package store\n\nfunc use() { Open().Close() }\n",
		"vendor/v/v.go":         "package v\n",
		"store/testdata/t.go":   "package t\n",
		"build/b.go":            "package build\n",
		"dist/d.js":             "export {}\n",
		"web/dist/d.js":         "export {}\n",
		"web/node_modules/n.js": "export {}\n",
		"web/page.ts":           "export function page() {}\n",
	}
}

// plain is a value as its JSON.
func plain(t *testing.T, v any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func keys(v any) string {
	object, _ := v.(map[string]any)
	var out []string
	for key := range object {
		out = append(out, key)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestMapListsModulesByFanInWithoutWhatIsNoSource(t *testing.T) {
	t.Parallel()
	_, s := service(t, small())
	m, err := s.Map(t.Context(), MapInput{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range m.Modules {
		rows = append(rows, fmt.Sprintf("%s %d", row.Path, row.FanIn))
	}
	// app imports the standard library's errors, and its test alone imports the sibling of that name
	if got, want := strings.Join(rows, ", "), "store 1, app 0, errors 0, web 0"; got != want {
		t.Errorf("rows: got %s, want %s", got, want)
	}
	shape := plain(t, m)
	if got, want := keys(shape), "modules total"; got != want {
		t.Errorf("keys: got %s, want %s", got, want)
	}
	first := shape["modules"].([]any)[0]
	if got, want := keys(first), "fanIn fanInKind files importingFiles path symbols tests tier"; got != want {
		t.Errorf("keys of a row: got %s, want %s", got, want)
	}
	if kind := first.(map[string]any)["fanInKind"]; kind != "imports" {
		t.Errorf("fanInKind: got %v, want imports", kind)
	}
	m, err = s.Map(t.Context(), MapInput{Edges: true})
	if got := fmt.Sprint(m.Edges); got != "[{app store}]" || err != nil {
		t.Errorf("edges: got %s, %v, want app to store", got, err)
	}
}

func TestMapShowsAScreenUnlessAllIsAskedFor(t *testing.T) {
	t.Parallel()
	files := map[string]string{"go.mod": "module m\n"}
	for i := range maxRows + 10 {
		files[fmt.Sprintf("p%03d/p.go", i)] = "package p\n"
	}
	_, s := service(t, files)
	for all, want := range map[bool]int{false: maxRows, true: maxRows + 10} {
		m, err := s.Map(t.Context(), MapInput{All: all})
		if err != nil || len(m.Modules) != want || m.Truncated == all || m.Total != maxRows+10 {
			t.Errorf("all %t: %d of %d rows, truncated %t, error %v, want %d", all, len(m.Modules), m.Total, m.Truncated, err, want)
		}
	}
}

func TestCallersAreWordedAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	_, s := service(t, small())
	c, err := s.Callers(t.Context(), CallersInput{Symbol: "store.Open"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.Summary, "2 call sites name store.Open in files that import its package."; got != want {
		t.Errorf("summary: got %q, want %q", got, want)
	}
	shape := plain(t, c)
	if got, want := keys(shape), "definitions sites summary symbol"; got != want {
		t.Errorf("keys: got %s, want %s", got, want)
	}
	if got, want := keys(shape["sites"].([]any)[0]), "file line tier"; got != want {
		t.Errorf("keys of a site: got %s, want %s", got, want)
	}
	if _, err := s.Callers(t.Context(), CallersInput{Symbol: "Nowhere"}); !isProblem(err, problem.SymbolNotFound) {
		t.Errorf("a symbol that is not there: %v, want symbol_not_found", err)
	}
}

func isProblem(err error, code problem.Code) bool {
	var p *problem.Problem
	return errors.As(err, &p) && p.Code == code
}

func TestReviewNamesWhatIsRemovedAndUntracked(t *testing.T) {
	t.Parallel()
	g, s := service(t, small())
	g.Write("store/store.go", "package store\n\nfunc Open() int { return 1 }\n")
	g.Write("store/new.go", "package store\n\nfunc Fresh() {}\n")
	g.Remove("web/page.ts")
	r, err := s.Review(t.Context(), ReviewInput{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.ChangedSymbols {
		got = append(got, c.Change+" "+c.Symbol)
	}
	if told, want := strings.Join(got, ", "), "added Fresh, changed Open, removed Journal, removed Close, removed page"; told != want {
		t.Errorf("symbols: got %s, want %s", told, want)
	}
	if fmt.Sprint(r.Importers) != "[app]" || fmt.Sprint(r.Tests) != "[store/store_test.go]" || !r.AnalysisComplete {
		t.Errorf("importers %v, tests %v, complete %t", r.Importers, r.Tests, r.AnalysisComplete)
	}
	shape := plain(t, r)
	if told, want := keys(shape), "analysis_complete base callers changedFiles changedSymbols importers tests"; told != want {
		t.Errorf("keys: got %s, want %s", told, want)
	}
	if _, err := s.Review(t.Context(), ReviewInput{Since: "no-such-branch"}); !isProblem(err, problem.RevisionNotFound) {
		t.Errorf("an unknown commit: %v, want revision_not_found", err)
	}
	g.Write("store/bad.go", "package store\x00")
	r, err = s.Review(t.Context(), ReviewInput{})
	if err != nil || r.AnalysisComplete || !slices.Contains(r.Warnings, "not analysed: store/bad.go: binary") {
		t.Errorf("an unreadable file: complete %t, warnings %q, error %v", r.AnalysisComplete, r.Warnings, err)
	}
}

func TestSearchReflectsTheWorktree(t *testing.T) {
	t.Parallel()
	g, s := service(t, map[string]string{".gitignore": "ignored.go\n", "a/lease.go": "package a\n\n// renewLease renews.\nfunc renewLease() {}\n"})
	ask := func(in SearchInput) SearchAnswer {
		t.Helper()
		a, err := s.Search(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := ask(SearchInput{Question: "where is the lease renewed"})
	if len(a.Hits) != 1 || a.Hits[0].File != "a/lease.go" || a.Hits[0].Symbol != "renewLease" || !a.Strong {
		t.Errorf("answer: %+v", a)
	}
	if got, want := keys(plain(t, a)["hits"].([]any)[0]), "coverage endLine file score startLine symbol"; got != want {
		t.Errorf("keys of a hit: got %s, want %s", got, want)
	}
	g.Write("b/untracked.go", "package b\n\nfunc renewLeaseLater() {}\n")
	g.Write("ignored.go", "package c\n\nfunc renewLeaseNever() {}\n")
	if a := ask(SearchInput{Question: "renew lease", NoRefresh: true}); len(a.Hits) != 1 {
		t.Errorf("without a refresh: %+v", a.Hits)
	}
	if a := ask(SearchInput{Question: "renew lease"}); len(a.Hits) != 2 {
		t.Errorf("with an untracked file and an ignored one: %+v", a.Hits)
	}
	if a := ask(SearchInput{Question: "renew lease", Limit: 1}); len(a.Hits) != 1 {
		t.Errorf("one hit: %+v", a.Hits)
	}
	if a := ask(SearchInput{Question: "renew lease", Module: "b"}); len(a.Hits) != 1 || a.Hits[0].File != "b/untracked.go" {
		t.Errorf("of a module: %+v", a.Hits)
	}
}

func TestSkippedFilesAreNamedForEachReason(t *testing.T) {
	t.Parallel()
	var skipped []gitrepo.TreeSkip
	for i := range 7 {
		skipped = append(skipped, gitrepo.TreeSkip{Path: fmt.Sprintf("l%d", i), Reason: "a symbolic link"})
	}
	skipped = append(skipped, gitrepo.TreeSkip{Path: "z.go", Reason: "unreadable"})
	got := strings.Join(skippedWarnings(skipped), "\n")
	if want := "l0, l1, l2, l3, l4 and 2 more: a symbolic link\nz.go: unreadable"; got != want {
		t.Errorf("warnings:\n%s\nwant\n%s", got, want)
	}
}

// TestAPathStaysOnItsLine gives a directory a name that would otherwise look like a module of its own.
func TestAPathStaysOnItsLine(t *testing.T) {
	t.Parallel()
	const odd = "a\nsafe/x"
	g, s := service(t, map[string]string{"go.mod": "module m\n"})
	if err := os.MkdirAll(g.Path(odd), 0o700); err != nil {
		t.Skipf("no such names here: %v", err)
	}
	g.Write(odd+"/zanzibar.go", "package x\n\nfunc Zanzibar() {}\n")
	modules, err := s.Map(t.Context(), MapInput{All: true})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Search(t.Context(), SearchInput{Question: "zanzibar"})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"map": modules.Text(op.PlainStyle()), "search": found.Text(op.PlainStyle())} {
		if !strings.Contains(text, `a\nsafe/x`) || strings.Contains(text, "\nsafe") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// Only a search needs the cache; where it cannot be used, the problem names the way out.
func TestWithoutACacheOnlySearchIsRefused(t *testing.T) {
	t.Parallel()
	_, s := service(t, small())
	if err := os.WriteFile(s.CacheDir+"/code", []byte("a file where the directory should be"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Map(t.Context(), MapInput{}); err != nil || m.Total != 4 {
		t.Errorf("map: %d modules, %v, want 4", m.Total, err)
	}
	if c, err := s.Callers(t.Context(), CallersInput{Symbol: "store.Open"}); err != nil || len(c.Sites) != 2 {
		t.Errorf("callers: %v, %v, want 2 sites", c.Sites, err)
	}
	if _, err := s.Review(t.Context(), ReviewInput{}); err != nil {
		t.Errorf("review: %v", err)
	}
	if _, err := s.Search(t.Context(), SearchInput{Question: "journal"}); !isProblem(err, problem.StateNotWritable) {
		t.Errorf("search: %v, want state_not_writable", err)
	}
	s.Repo = nil
	_, err := s.Map(t.Context(), MapInput{})
	_, err2 := s.Review(t.Context(), ReviewInput{})
	_, err3 := s.Search(t.Context(), SearchInput{Question: "journal"})
	for _, err := range []error{err, err2, err3} {
		if !isProblem(err, problem.NotARepository) {
			t.Errorf("outside of a repository: %v, want not_a_repository", err)
		}
	}
}

func TestModuleThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	_, s := service(t, small())
	a, err := s.Search(t.Context(), SearchInput{Question: "journal", Module: "stor"})
	if err != nil || len(a.Hits) != 0 || !strings.Contains(strings.Join(a.Warnings, "\n"), "no file that is searched lies below stor") {
		t.Errorf("hits %v, warnings %q, error %v", a.Hits, a.Warnings, err)
	}
}

func TestLineEndsAreNoChangeOfADefinition(t *testing.T) {
	t.Parallel()
	g, s := service(t, map[string]string{"a.go": "package a\n\nfunc A() {}\n\nfunc B() {}\n\nfunc C() {}"})
	g.Git("config", "core.autocrlf", "true")
	g.Write("a.go", "package a\r\n\r\nfunc A() {}\r\n\r\nfunc B() { A() }\r\n\r\nfunc C() {}\r\n")
	r, err := s.Review(t.Context(), ReviewInput{})
	if err != nil || len(r.ChangedSymbols) != 1 || r.ChangedSymbols[0].Symbol != "B" {
		t.Errorf("changed: %+v, %v, want B only", r.ChangedSymbols, err)
	}
}
