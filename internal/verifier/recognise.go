package verifier

import (
	"path"
	"slices"
	"strings"
)

// The recognised runners.
const (
	goTest     = "go test"
	pytest     = "pytest"
	unittest   = "unittest"
	nodeTest   = "node --test"
	vitest     = "vitest"
	jest       = "jest"
	mocha      = "mocha"
	playwright = "playwright test"
	cargoTest  = "cargo test"
)

// Recognise is the name of the test runner that argv starts directly, also by a path, behind env, time, nice or timeout, or
// by npx and its like; empty for anything else, such as make or a script.
func Recognise(argv []string) string { return locate(argv).runner }

// location says where in argv a runner is.
type location struct {
	runner  string
	program int // index of the program, such as go
	args    int // index behind the word that makes it the runner, such as test
}

// locate finds the runner of argv.
func locate(argv []string) location {
	i := skipPrefixes(argv)
	for i < len(argv) {
		if at := direct(argv, i); at.runner != "" {
			return at
		}
		next := skipLauncher(argv, i)
		if next == i {
			break
		}
		i = next
	}
	return location{}
}

// direct recognises the program at i.
func direct(argv []string, i int) location {
	rest := argv[i+1:]
	switch name := program(argv[i]); {
	case name == "go" || strings.HasPrefix(name, "go1."):
		skip := 0
		if len(rest) > 1 && (rest[0] == "-C" || rest[0] == "--C") {
			skip = 2
		} else if len(rest) > 0 && (strings.HasPrefix(rest[0], "-C=") || strings.HasPrefix(rest[0], "--C=")) {
			skip = 1
		}
		if word(rest, skip) == "test" {
			return location{goTest, i, i + skip + 2}
		}
	case name == "pytest" || name == "py.test":
		return location{pytest, i, i + 1}
	case strings.HasPrefix(name, "python"):
		return pythonModule(argv, i)
	case name == "node":
		return nodeFlags(argv, i)
	case name == vitest || name == jest || name == mocha:
		return location{name, i, i + 1}
	case name == "playwright" && word(rest, 0) == "test":
		return location{playwright, i, i + 2}
	case name == "cargo":
		skip := 0
		if strings.HasPrefix(word(rest, 0), "+") {
			skip = 1
		}
		if w := word(rest, skip); w == "test" || w == "t" {
			return location{cargoTest, i, i + skip + 2}
		}
	}
	return location{}
}

func pythonModule(argv []string, i int) location {
	for j := i + 1; j < len(argv) && strings.HasPrefix(argv[j], "-"); j++ {
		switch argv[j] {
		case "-X", "-W":
			j++ // their value is the next word
		case "-m":
			if name := word(argv, j+1); name == pytest || name == unittest {
				return location{name, i, j + 2}
			}
			return location{}
		}
	}
	return location{}
}

// nodeValueFlags are the flags of node whose value may be the next word.
const nodeValueFlags = "-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists " +
	"--test-name-pattern --test-skip-pattern --test-concurrency --test-timeout --test-shard --test-reporter --test-reporter-destination"

func nodeFlags(argv []string, i int) location {
	end := skipFlags(argv, i+1, nodeValueFlags)
	if slices.Contains(argv[i+1:min(end, len(argv))], "--test") {
		return location{nodeTest, i, i + 1}
	}
	return location{}
}

// skipPrefixes passes programs that run the rest of argv as it is.
func skipPrefixes(argv []string) int {
	i := 0
	for i < len(argv) {
		var operands int
		var withValue string // flags whose value is the next word
		name := program(argv[i])
		switch name {
		case "env":
			withValue = "-u -C --unset --chdir"
		case "nice":
			withValue = "-n"
		case "time", "nohup", "setsid":
		case "timeout":
			operands, withValue = 1, "-k -s --kill-after --signal"
		default:
			return i
		}
		i = skipFlags(argv, i+1, withValue)
		for name == "env" && strings.Contains(word(argv, i), "=") {
			i++
		}
		i += operands
	}
	return len(argv)
}

func skipFlags(argv []string, i int, withValue string) int {
	for ; strings.HasPrefix(word(argv, i), "-"); i++ {
		for _, flag := range strings.Fields(withValue) {
			if argv[i] == flag {
				i++
				break
			}
		}
	}
	return i
}

// skipLauncher passes a program that finds the next word in a project's own tools; it returns i when argv[i] is none.
func skipLauncher(argv []string, i int) int {
	next := word(argv, i+1)
	switch program(argv[i]) {
	case "npx", "bunx", "pnpx":
		return skipFlags(argv, i+1, "-p --package")
	case "npm", "pnpm":
		if next == "exec" || next == "x" {
			return skipFlags(argv, i+2, "")
		}
		return i + byName(argv[i], next)
	case "yarn", "bun", "poetry", "uv", "pipenv", "rye", "hatch":
		if next == "run" {
			return skipFlags(argv, i+2, "")
		}
		return i + byName(argv[i], next)
	case "c8", "nyc":
		return skipFlags(argv, i+1, "-r --reporter")
	case "node":
		if strings.Contains(strings.ReplaceAll(next, `\`, "/"), "node_modules/") {
			return i + 1
		}
	}
	return i
}

// byName is 1 where a launcher runs a tool of the project by its name alone, and else 0.
func byName(launcher, tool string) int {
	switch tool {
	case vitest, jest, mocha, "playwright":
		if name := program(launcher); name == "yarn" || name == "pnpm" {
			return 1
		}
	}
	return 0
}

// program is the name of a program without its directory and the ending of Windows or of a script.
func program(arg string) string {
	name := path.Base(strings.ReplaceAll(arg, `\`, "/"))
	for _, ending := range []string{".exe", ".cmd", ".js", ".mjs", ".cjs"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// word is argv[i], or empty when there is none.
func word(argv []string, i int) string {
	if i < 0 || i >= len(argv) {
		return ""
	}
	return argv[i]
}
