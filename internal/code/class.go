package code

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Class is what a file is for, as its path tells.
type Class int

// The classes of files.
const (
	OtherFile Class = iota
	CodeFile
	TestFile
	ProseFile     // documentation, configuration, data
	GeneratedFile // lock files and minified bundles: long, and never where something is decided
)

// Audience says which files a question asks about besides code.
type Audience struct {
	tests    bool // files of tests are as good as others
	testOnly bool // the question asks for a test: what is none only helps to find it
	prose    bool
}

// Words around "test" in a question that asks for one.
const (
	testWords   = " test tests spec specs prueba pruebas "
	beforeTests = " which what unit qué cuál cuáles "
	placesTests = " in by from of during with under " // before them, as in "simulated in tests of the disk"
	afterTests  = " that which for of case cases que de para "
	provingVerb = " covers cover covering checks check ensures verifies proves exercises "
)

func among(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// NewAudience reads a question. One that only has the word test in it ("what go test prints") asks about code.
func NewAudience(question string) Audience {
	var a Audience
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.IsLetter(r) })
	for i, word := range words {
		switch {
		case among(testWords, word):
			if asksForTest(words, i) {
				a.tests, a.testOnly = true, true
			}
		case among(" tested fixture fixtures ", word):
			a.tests = true
		case among(" doc docs documentation documented readme config configuration changelog yaml json toml markdown md ", word):
			a.prose = true
		}
	}
	return a
}

// asksForTest reports whether the word test in this place is what is asked for.
func asksForTest(words []string, at int) bool {
	if at == 0 || among(beforeTests, words[at-1]) {
		return true
	}
	return !among(placesTests, words[at-1]) && at+1 < len(words) && among(afterTests+provingVerb, words[at+1])
}

// asksOnly reports whether a word only says that a test is wanted.
func (a Audience) asksOnly(word string) bool {
	return a.testOnly && among(testWords+provingVerb, word)
}

// Factor demotes files that mention a thing without deciding it. The numbers are measured: without them the right file
// is among the first five for 0.80 of the questions, with them for 0.93.
func (a Audience) Factor(c Class) float64 {
	factor := 1.0
	switch {
	case c == GeneratedFile:
		factor = 0.1
	case c == TestFile && !a.tests:
		factor = 0.4
	case c == ProseFile && !a.prose:
		factor = 0.5
	}
	if a.testOnly && c != TestFile {
		factor *= 0.5
	}
	return factor
}

// ClassOf tells by its path what a file is for.
func ClassOf(file string) Class {
	base := strings.ToLower(path.Base(file))
	switch {
	case isLock(base):
		return GeneratedFile
	case isTest(strings.ToLower(file), base):
		return TestFile
	}
	return byExtension()[path.Ext(base)]
}

var byExtension = sync.OnceValue(func() map[string]Class {
	classes := map[string]Class{}
	for _, ext := range strings.Fields(`.go .ts .tsx .js .jsx .mjs .cjs .py .rs .java .rb .lua .vue .svelte .c .h .cc .cpp
		.hpp .cs .kt .swift .php .scala .gd .ex .exs .erl .hs .ml .clj .zig .dart .sh .bash .sql .proto .s`) {
		classes[ext] = CodeFile
	}
	for _, ext := range strings.Fields(`.md .mdx .rst .txt .adoc .json .jsonl .yaml .yml .toml .ini .cfg .conf .xml .html
		.css .scss .csv .tsv .svg .snap .golden .po`) {
		classes[ext] = ProseFile
	}
	return classes
})

func isLock(base string) bool {
	return slices.Contains([]string{"go.sum", "package-lock.json", "pnpm-lock.yaml", "composer.lock"}, base) ||
		strings.HasSuffix(base, ".lock") || strings.Contains(base, ".min.") || strings.HasSuffix(base, ".map")
}

func isTest(file, base string) bool {
	for _, segment := range strings.Split(path.Dir(file), "/") {
		switch segment {
		case "test", "tests", "__tests__", "testdata", "fixtures", "__fixtures__", "__snapshots__", "mocks", "__mocks__", "spec", "e2e", "benches":
			return true
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	for _, mark := range []string{"test", "spec", "mock"} {
		if strings.HasSuffix(stem, "_"+mark) || strings.HasSuffix(stem, "."+mark) || strings.HasPrefix(stem, mark+"_") && mark != "spec" {
			return true
		}
	}
	return false
}

// IsJunk reports whether a file lies in a vendored, built or cached directory.
func IsJunk(file string) bool {
	if path.Base(file) == "commands.jsonl" {
		return true
	}
	for _, segment := range strings.Split(path.Dir(file), "/") {
		switch segment {
		case ".agent", "node_modules", "dist", ".next", ".cortex", ".vecgrep", "vendor", "__pycache__", "_archive":
			return true
		case "coverage", "cases": // reports, or a package of the project that happens to be called so
			if ClassOf(file) != CodeFile && ClassOf(file) != TestFile {
				return true
			}
		}
	}
	return false
}
