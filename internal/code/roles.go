package code

import (
	"path"
	"strings"
)

// isTestSource reports whether a source file tests others rather than being used by them.
func isTestSource(name, language string) bool {
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch language {
	case "go":
		return strings.HasSuffix(base, "_test.go")
	case "python":
		if strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "_test") || base == "conftest.py" {
			return true
		}
	case "typescript", "javascript":
		if strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || below(name, "__tests__") || below(name, "__mocks__") {
			return true
		}
	case "java":
		if strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.Contains("/"+name, "/src/test/") {
			return true
		}
	case "rust":
		if below(name, "benches") || base == "tests.rs" {
			return true
		}
	case "c", "cpp":
		if strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_unittest") || strings.HasPrefix(stem, "test_") {
			return true
		}
	}
	return below(name, "tests") || below(name, "test")
}

// below reports whether a directory of this name is on the way to the file.
func below(name, dir string) bool { return strings.Contains("/"+path.Dir(name)+"/", "/"+dir+"/") }

// isForeign reports whether a file lies where other people's code, sample inputs or build results are kept. Such a file is
// no part of a module and nothing resolves to it.
func isForeign(name, language string) bool {
	if below(name, "vendor") || below(name, "testdata") || below(name, "node_modules") {
		return true
	}
	if language == "go" { // go/build and cmd/dist are packages like any other
		for part := range strings.SplitSeq(path.Dir(name), "/") {
			if strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") && part != "." {
				return true
			}
		}
		return false
	}
	return below(name, "build") || below(name, "dist") || below(name, "target") && language == "rust" || strings.HasSuffix(name, ".min.js")
}
