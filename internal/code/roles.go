package code

import (
	"iter"
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
// no part of a module and nothing resolves to it. packages are the directories that hold a package of Python.
func isForeign(name, language string, packages map[string]bool) bool {
	if below(name, "vendor") || below(name, "testdata") || below(name, "node_modules") || strings.HasSuffix(name, ".min.js") {
		return true
	}
	source := false
	for at, part := range parents(name) {
		switch {
		case language == "go": // go/build and cmd/dist are packages like any other
			if strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") && part != "." {
				return true
			}
		case part == "src":
			source = true
		case part == "build" || part == "dist" || part == "target" && language == "rust":
			if !source && !(language == "python" && packages[path.Dir(name[:at+len(part)])]) {
				return true
			}
		}
	}
	return false
}

// parents are the names of the directories on the way to a file, by the offset at which each begins.
func parents(name string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; ; {
			part, _, more := strings.Cut(name[at:], "/")
			if !more || !yield(at, part) {
				return
			}
			at += len(part) + 1
		}
	}
}

// pythonPackages are the directories among those of files that Python takes for packages, not for places to start from.
func pythonPackages(files []string) map[string]bool {
	dirs := map[string]bool{}
	for _, name := range files {
		if base := path.Base(name); base == "__init__.py" || base == "__init__.pyi" {
			dirs[path.Dir(name)] = true
		}
	}
	return dirs
}
