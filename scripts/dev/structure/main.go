// Command structure measures what Cortex says of a repository's modules against tools that do not share its code.
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/structure /tmp/cortex
//	go run ./scripts/dev/structure /tmp/cortex REPOSITORY
//	go run ./scripts/dev/structure /tmp/cortex REPOSITORY EDGES
//
// Alone it commits the toolchain's own source into a temporary repository, compares modules and edges with what the go
// command says, prints recall, the agreement of the twenty modules with most importers, and the time, and exits with
// status 1 when one of them is outside of its bound. With a repository of Go it asks the go command in each of its modules.
// With a file of edges, "FROM TO" on a line as paths of files from the repository's root, it compares with those: the
// programs beside this one print them for Python, TypeScript, Java and C.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What has to hold for the standard library.
const (
	leastRecall = 0.999
	leastTop    = 19
	mostCold    = 4 * time.Second
)

type edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// truth is what another tool says.
type truth struct {
	edges     map[edge]bool
	explained map[edge]bool // edges of files that the tool leaves out: for other systems, or behind a tag
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 4 {
		fmt.Fprintln(os.Stderr, "usage: structure CORTEX [REPOSITORY [EDGES]]")
		os.Exit(2)
	}
	err := error(nil)
	if len(os.Args) == 2 {
		err = standard(os.Args[1])
	} else {
		err = repository(os.Args[1], os.Args[2], os.Args[3:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// standard measures the standard library and holds it to its bounds.
func standard(cortex string) error {
	root, err := os.MkdirTemp("", "structure")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }() // a leftover below the temporary directory harms nobody
	goroot, err := run(root, nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	source, repo := filepath.Join(strings.TrimSpace(string(goroot)), "src"), filepath.Join(root, "std")
	if err := os.CopyFS(repo, os.DirFS(source)); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "std"}} {
		if _, err := run(repo, nil, "git", args...); err != nil {
			return err
		}
	}
	ours, cold, err := mapOf(cortex, repo, root)
	if err != nil {
		return err
	}
	if _, warm, err := mapOf(cortex, repo, root); err == nil {
		fmt.Printf("cold %.2f s, warm %.2f s\n", cold.Seconds(), warm.Seconds())
	}
	said, err := goTruth(source)
	if err != nil {
		return err
	}
	differ(ours, said)
	recall, same := judge(ours, said)
	if recall < leastRecall || same < leastTop || cold > mostCold {
		return fmt.Errorf("out of bounds: recall at least %.3f, top twenty at least %d, cold at most %s", leastRecall, leastTop, mostCold)
	}
	return nil
}

// repository measures any repository and names every edge that differs.
func repository(cortex, repo string, edges []string) error {
	cache, err := os.MkdirTemp("", "structure")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(cache) }() // a leftover below the temporary directory harms nobody
	ours, _, err := mapOf(cortex, repo, cache)
	if err != nil {
		return err
	}
	var said truth
	if len(edges) == 0 {
		said, err = goTruth(repo)
	} else {
		said, err = fileTruth(edges[0])
	}
	if err != nil {
		return err
	}
	differ(ours, said)
	judge(ours, said)
	return nil
}

// mapOf asks Cortex for the edges, with home and cache below dir.
func mapOf(cortex, repo, dir string) (map[edge]bool, time.Duration, error) {
	binary, err := filepath.Abs(cortex)
	if err != nil {
		return nil, 0, err
	}
	env := append(os.Environ(), "HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	began := time.Now()
	out, err := run(repo, env, binary, "code", "map", "--edges", "--all", "--json")
	took := time.Since(began)
	if err != nil {
		return nil, 0, err
	}
	var answer struct{ Edges []edge }
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, 0, err
	}
	edges := map[edge]bool{}
	for _, e := range answer.Edges {
		edges[e] = true
	}
	return edges, took, nil
}

// judge prints how far the edges agree.
func judge(ours map[edge]bool, said truth) (recall float64, same int) {
	found, explained := 0, 0
	for e := range said.edges {
		if ours[e] {
			found++
		}
	}
	for e := range ours {
		if !said.edges[e] && said.explained[e] {
			explained++
		}
	}
	recall = float64(found) / float64(max(1, len(said.edges)))
	precision := float64(found+explained) / float64(max(1, len(ours)))
	for _, module := range top(ours) {
		if slices.Contains(top(said.edges), module) {
			same++
		}
	}
	fmt.Printf("edges %d, of the other tool %d, of what it leaves out %d; recall %.4f, precision %.4f; top twenty %d of %d\n",
		len(ours), len(said.edges), explained, recall, precision, same, len(top(said.edges)))
	return recall, same
}

// differ names every edge that only one side has and nothing explains.
func differ(ours map[edge]bool, said truth) {
	for _, e := range sorted(said.edges) {
		if !ours[e] {
			fmt.Println("missing", e.From, e.To)
		}
	}
	for _, e := range sorted(ours) {
		if !said.edges[e] && !said.explained[e] {
			fmt.Println("extra", e.From, e.To)
		}
	}
}

// top are the twenty modules that most others import.
func top(edges map[edge]bool) []string {
	fanIn := map[string]int{}
	for e := range edges {
		fanIn[e.To]++
	}
	var modules []string
	for module := range fanIn {
		modules = append(modules, module)
	}
	slices.SortFunc(modules, func(a, b string) int { return cmp.Or(cmp.Compare(fanIn[b], fanIn[a]), strings.Compare(a, b)) })
	return modules[:min(len(modules), 20)]
}

func sorted(edges map[edge]bool) []edge {
	var out []edge
	for e := range edges {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b edge) int { return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To)) })
	return out
}

func run(dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.String())
	}
	return out, nil
}
