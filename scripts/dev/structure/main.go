// Command structure measures code map on the Go standard library: it commits the toolchain's own source into a temporary
// repository and compares modules and edges with what the go command says.
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/structure /tmp/cortex
//
// It prints recall, the agreement of the twenty modules with most importers, and the time, and exits with status 1 when one
// of them is outside of its bound.
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

// What has to hold. Files for other systems add edges that the go command does not see, so precision has no bound.
const (
	leastRecall = 0.999
	leastTop    = 19
	mostCold    = 4 * time.Second
)

type edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: structure CORTEX")
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
	env := append(os.Environ(), "HOME="+root, "XDG_CACHE_HOME="+filepath.Join(root, "cache"))
	ours, cold, err := mapOf(binary, repo, env)
	if err != nil {
		return err
	}
	if _, warm, err := mapOf(binary, repo, env); err == nil {
		fmt.Printf("warm %.2f s\n", warm.Seconds())
	}
	truth, err := truthOf(source)
	if err != nil {
		return err
	}
	return judge(ours, truth, cold)
}

func mapOf(binary, repo string, env []string) (map[edge]bool, time.Duration, error) {
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

// truthOf asks the go command for the packages of both modules and what they import.
func truthOf(source string) (map[edge]bool, error) {
	packages, lines := map[string]bool{}, [][]string{}
	for _, dir := range []string{source, filepath.Join(source, "cmd")} {
		out, err := run(dir, nil, "go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			packages[fields[0]] = true
			lines = append(lines, fields)
		}
	}
	edges := map[edge]bool{}
	for _, fields := range lines {
		for _, to := range fields[1:] {
			if packages[to] && to != fields[0] && !strings.Contains(to, "vendor/") && !strings.Contains(fields[0], "vendor/") {
				edges[edge{fields[0], to}] = true
			}
		}
	}
	return edges, nil
}

func judge(ours, truth map[edge]bool, cold time.Duration) error {
	found := 0
	for e := range truth {
		if ours[e] {
			found++
		}
	}
	recall := float64(found) / float64(len(truth))
	same := 0
	for _, module := range top(ours) {
		if slices.Contains(top(truth), module) {
			same++
		}
	}
	fmt.Printf("edges %d, of the go command %d, recall %.4f; top twenty %d; cold %.2f s\n", len(ours), len(truth), recall, same, cold.Seconds())
	if recall < leastRecall || same < leastTop || cold > mostCold {
		return fmt.Errorf("out of bounds: recall at least %.3f, top twenty at least %d, cold at most %s", leastRecall, leastTop, mostCold)
	}
	return nil
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
