//go:build unix

// Command manyfiles asks every code verb in a repository of 100,000 files, among them some that break readers which trust
// them, and prints the time of the processor and the memory of each:
//
//	go build -o /tmp/cortex ./cmd/cortex
//	go run ./scripts/dev/manyfiles /tmp/cortex
//
// It exits with status 1 when a verb fails or is outside of its bound.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// What has to hold for each verb, the first one included, which reads everything.
const (
	files     = 100_000
	mostTime  = 60 * time.Second
	mostBytes = 1 << 30
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manyfiles CORTEX")
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
	root, err := os.MkdirTemp("", "manyfiles")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(root) }() // a leftover below the temporary directory harms nobody
	repo := filepath.Join(root, "repo")
	if err := fill(repo); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "files"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "d000", "f000.go"), []byte("package d\n\nfunc Edited() {}\n"), 0o644); err != nil {
		return err
	}
	env := append(os.Environ(), "HOME="+root, "XDG_CACHE_HOME="+filepath.Join(root, "cache"))
	for _, verb := range [][]string{{"map"}, {"map"}, {"search", "where are leases renewed"}, {"search", "where are leases renewed"},
		{"callers", "F7_0", "--all"}, {"review"}, {"callers", "Edited"}} {
		if err := ask(binary, repo, env, append([]string{"code"}, verb...)); err != nil {
			return err
		}
	}
	return nil
}

// fill writes small files in six languages, a hundred to a directory, and a few hostile ones.
func fill(repo string) error {
	forms := []struct{ ending, text string }{
		{"go", "package d\n\nimport \"m/d%[3]03d\"\n\n// F%[1]d_%[2]d renews leases.\nfunc F%[1]d_%[2]d() { d.F%[3]d_%[2]d() }\n"},
		{"ts", "import { f } from '../d%[3]03d/f%[2]03d'\nexport function f%[1]d_%[2]d() { return f() }\n"},
		{"py", "from d%[3]03d import f%[2]03d\n\ndef f%[1]d_%[2]d():\n    return f%[2]03d\n"},
		{"java", "package d%[1]03d;\nimport d%[3]03d.C%[2]d;\nclass C%[2]d { int m%[1]d() { return 1; } }\n"},
		{"rs", "use super::x;\nfn f%[1]d_%[2]d() { x() }\n"},
		{"c", "#include \"../d%[3]03d/f%[2]03d.h\"\nint f%[1]d_%[2]d(void) { return %[3]d; }\n"},
	}
	for i := range files {
		dir, n := i/100, i%100
		form := forms[n%len(forms)]
		name := filepath.Join(repo, fmt.Sprintf("d%03d", dir), fmt.Sprintf("f%03d.%s", n, form.ending))
		if n == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, form.text, dir, n, (dir*7+1)%(files/100)), 0o644); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"go.mod": "module m\n", "mini.js": strings.Repeat("function a(b){return /[/]/.test(b)?{c:[d]}:e};", 5<<20/46),
		"deep.ts": strings.Repeat("`${[(", 300_000), "slash.js": strings.Repeat("/[", 1_000_000), "nul.go": "package a\x00",
	} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return os.Symlink(".", filepath.Join(repo, "self"))
}

func ask(binary, repo string, env, args []string) error {
	cmd := exec.Command(binary, append(args, "--json")...)
	cmd.Dir, cmd.Env = repo, env
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	usage, known := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !known {
		return fmt.Errorf("%s: no usage is told here", strings.Join(args, " "))
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Printf("%-32s %6.2f s, %6.2f s of processor, %4d MiB, answer %d KiB\n", strings.Join(args, " "), took.Seconds(), cpu.Seconds(), usage.Maxrss>>10, len(out)>>10)
	if cpu > mostTime || usage.Maxrss<<10 > mostBytes {
		return fmt.Errorf("out of bounds: at most %s and %d MiB", mostTime, mostBytes>>20)
	}
	return nil
}
