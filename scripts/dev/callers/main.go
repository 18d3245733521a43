// Command callers measures code callers on packages of the Go standard library against Go's type checker: it commits them
// into a temporary repository, asks for functions and methods that are called there, and counts for each tier how many
// sites name what was asked for, and how many calls were found.
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/callers /tmp/cortex
//
// It exits with status 1 when one of the figures is outside of its bound.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What has to hold; the figures were measured before the first version.
const (
	leastFuncRecall      = 0.993
	leastFuncPrecision   = 0.979
	leastMethodPrecision = 0.860
	perKind              = 150 // symbols of each kind
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: callers CORTEX")
		os.Exit(2)
	}
	if err := measure(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(cortex string) error {
	binary, err := filepath.Abs(cortex)
	if err != nil {
		return err
	}
	root, err := os.MkdirTemp("", "callers")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }() // a leftover below the temporary directory harms nobody
	calls, err := check(packages())
	if err != nil {
		return err
	}
	repo := filepath.Join(root, "std")
	if err := commit(repo, calls); err != nil {
		return err
	}
	m := measurement{binary: binary, repo: repo, env: append(os.Environ(), "HOME="+root, "XDG_CACHE_HOME="+filepath.Join(root, "cache")), calls: calls}
	for _, kind := range []string{"func", "method"} {
		if err := m.ask(kind); err != nil {
			return err
		}
	}
	return m.judge()
}

// packages are those whose calls are counted.
func packages() []string {
	return strings.Fields(`archive/tar archive/zip bufio bytes compress/flate compress/gzip container/list context crypto/tls
		crypto/x509 database/sql encoding/asn1 encoding/base64 encoding/binary encoding/csv encoding/gob encoding/hex encoding/json
		encoding/pem encoding/xml errors expvar flag fmt go/ast go/build go/constant go/format go/parser go/printer go/scanner
		go/token go/types html/template image io io/fs log log/slog math/big mime mime/multipart net/http net/http/httptest
		net/http/httputil net/mail net/netip net/textproto net/url os/exec path path/filepath regexp regexp/syntax sort strconv
		strings text/scanner text/tabwriter text/template text/template/parse unicode/utf8`)
}

// commit puts the files that were checked into a repository.
func commit(repo string, calls checked) error {
	for name, text := range calls.files {
		name = filepath.Join(repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "go.mod"), []byte("module std\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "std"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// tally counts the sites of a kind of symbol and a tier.
type tally struct{ right, shown int }

type measurement struct {
	binary, repo string
	env          []string
	calls        checked
	tiers        map[string]*tally // kind and tier
	calledIn     map[string]int    // kind → calls that there are
	found        map[string]int    // kind → of those, shown as resolved or likely
}

// ask asks for symbols of one kind, spread evenly over all in order of name.
func (m *measurement) ask(kind string) error {
	if m.tiers == nil {
		m.tiers, m.calledIn, m.found = map[string]*tally{}, map[string]int{}, map[string]int{}
	}
	symbols := m.calls.symbols(kind)
	step := max(1, len(symbols)/perKind)
	for i := 0; i < len(symbols); i += step {
		if err := m.symbol(kind, symbols[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) symbol(kind, symbol string) error {
	cmd := exec.Command(m.binary, "code", "callers", symbol, "--all", "--json")
	cmd.Dir, cmd.Env = m.repo, m.env
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("code callers %s: %w", symbol, err)
	}
	var answer struct {
		Definitions []struct{ File string }
		Sites       []struct {
			File, Tier string
			Line       int
		}
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return err
	}
	want := m.calls.sites[symbol]
	for _, d := range answer.Definitions {
		if path.Dir(d.File) != m.calls.dir[symbol] {
			return nil // the name means several: what is right cannot be said
		}
	}
	m.calledIn[kind] += len(want)
	seen := map[string]bool{}
	for _, s := range answer.Sites {
		key := kind + " " + s.Tier
		if m.tiers[key] == nil {
			m.tiers[key] = &tally{}
		}
		place := fmt.Sprintf("%s:%d", s.File, s.Line)
		m.tiers[key].shown++
		if !want[place] {
			if s.Tier != "name-only" && os.Getenv("CALLERS_VERBOSE") != "" {
				fmt.Println("wrong", symbol, s.Tier, place)
			}
			continue
		}
		m.tiers[key].right++
		if s.Tier != "name-only" && !seen[place] {
			seen[place] = true
			m.found[kind]++
		}
	}
	for place := range want {
		if !seen[place] && kind == "func" && os.Getenv("CALLERS_VERBOSE") != "" {
			fmt.Println("missed", symbol, place)
		}
	}
	return nil
}

func (m *measurement) judge() error {
	var keys []string
	for key := range m.tiers {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		t := m.tiers[key]
		fmt.Printf("%-17s %5d sites, %5d right, precision %.3f\n", key, t.shown, t.right, float64(t.right)/float64(t.shown))
	}
	recall := float64(m.found["func"]) / float64(max(1, m.calledIn["func"]))
	fmt.Printf("recall of func %.3f of %d, of method %.3f of %d\n", recall, m.calledIn["func"],
		float64(m.found["method"])/float64(max(1, m.calledIn["method"])), m.calledIn["method"])
	precision := func(key string) float64 {
		t := m.tiers[key]
		if t == nil {
			return 0
		}
		return float64(t.right) / float64(t.shown)
	}
	if recall < leastFuncRecall || precision("func resolved") < leastFuncPrecision || precision("method likely") < leastMethodPrecision {
		return fmt.Errorf("out of bounds: at least %.3f, %.3f and %.3f", leastFuncRecall, leastFuncPrecision, leastMethodPrecision)
	}
	return nil
}
