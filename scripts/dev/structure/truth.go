package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// goPackage is what the go command says of a package.
type goPackage struct {
	ImportPath, Dir string
	Imports         []string
	IgnoredGoFiles  []string
	unlisted        bool
}

// goTruth asks the go command in every module of a repository what its packages import. The imports of files that build
// constraints leave out are read with the go parser.
func goTruth(repo string) (truth, error) {
	repo, err := filepath.Abs(repo)
	if err == nil {
		repo, err = filepath.EvalSymlinks(repo)
	}
	if err != nil {
		return truth{}, err
	}
	packages, err := goPackages(repo)
	if err != nil {
		return truth{}, err
	}
	byPath := map[string]string{}
	for _, p := range packages {
		byPath[p.ImportPath] = p.Dir
	}
	said := truth{edges: map[edge]bool{}, explained: map[edge]bool{}}
	for _, p := range packages {
		for _, to := range p.Imports {
			dir, known := byPath[to]
			switch {
			case !known || dir == p.Dir:
			case p.unlisted:
				said.explained[edge{p.Dir, dir}] = true
			default:
				said.edges[edge{p.Dir, dir}] = true
			}
		}
		for _, name := range p.IgnoredGoFiles {
			for _, to := range importsOf(filepath.Join(repo, filepath.FromSlash(p.Dir), name)) {
				if dir, known := byPath[to]; known && dir != p.Dir && !strings.HasSuffix(name, "_test.go") {
					said.explained[edge{p.Dir, dir}] = true
				}
			}
		}
	}
	return said, nil
}

// goPackages lists the packages below a directory, each with its directory from there; vendored ones are left out.
func goPackages(repo string) ([]goPackage, error) {
	var out []goPackage
	err := filepath.WalkDir(repo, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != repo && outside(d.Name()):
			return fs.SkipDir
		case d.Name() != "go.mod":
			return nil
		}
		env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		if strings.HasSuffix(repo, string(filepath.Separator)+"src") {
			env = os.Environ() // the standard library has vendored packages
		}
		packages, err := modulePackages(filepath.Dir(name), env)
		for _, p := range packages {
			rel, err := filepath.Rel(repo, p.Dir)
			if err != nil {
				return err
			}
			if p.Dir = filepath.ToSlash(rel); !strings.Contains("/"+p.Dir+"/", "/vendor/") {
				out = append(out, p)
			}
		}
		return err
	})
	return out, err
}

// outside knows the directories that the go command passes over.
func outside(dir string) bool {
	return dir == "testdata" || dir == "vendor" || strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_")
}

// modulePackages asks the go command, and go/build for the directories of which it says nothing: those without a file
// for this system, or all where dependencies are not on this machine.
func modulePackages(module string, env []string) ([]goPackage, error) {
	out, failed := listed(module, env)
	if failed != nil {
		fmt.Fprintf(os.Stderr, "%s: go/build instead of the go command, which says: %v\n", module, failed)
	}
	known := map[string]bool{}
	for _, p := range out {
		known[p.Dir] = true
	}
	more, err := walked(module)
	for _, p := range more {
		if !known[p.Dir] {
			p.unlisted = failed == nil
			out = append(out, p)
		}
	}
	return out, err
}

// listed asks the go command.
func listed(module string, env []string) ([]goPackage, error) {
	text, err := run(module, env, "go", "list", "-e", "-json=ImportPath,Dir,Imports,IgnoredGoFiles", "./...")
	if err != nil {
		return nil, err
	}
	var out []goPackage
	for packages := json.NewDecoder(bytes.NewReader(text)); ; {
		var p goPackage
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		for i, name := range p.Imports {
			p.Imports[i], _, _ = strings.Cut(name, " ") // "name [for what it is compiled]"
		}
		if p.Dir != "" { // without, a pattern matched nothing
			out = append(out, p)
		}
	}
}

// walked reads every directory of a module with go/build, as the go command does.
func walked(module string) ([]goPackage, error) {
	text, err := run(module, nil, "go", "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var manifest struct{ Module struct{ Path string } }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, err
	}
	var out []goPackage
	err = filepath.WalkDir(module, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(module, dir)
		if err != nil {
			return err
		}
		_, nested := os.Stat(filepath.Join(dir, "go.mod"))
		if rel != "." && (nested == nil || outside(d.Name())) {
			return fs.SkipDir
		}
		if p, _ := build.ImportDir(dir, 0); p != nil && len(p.GoFiles)+len(p.CgoFiles)+len(p.IgnoredGoFiles)+len(p.TestGoFiles) > 0 {
			name := strings.TrimPrefix(path.Join(manifest.Module.Path, filepath.ToSlash(rel)), "std/")
			out = append(out, goPackage{ImportPath: name, Dir: dir, Imports: p.Imports, IgnoredGoFiles: p.IgnoredGoFiles})
		}
		return nil
	})
	return out, err
}

func importsOf(name string) []string {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	var out []string
	for _, spec := range parsed.Imports {
		if text, err := strconv.Unquote(spec.Path.Value); err == nil {
			out = append(out, text)
		}
	}
	return out
}

// fileTruth reads edges between files and makes them edges between directories.
func fileTruth(name string) (truth, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return truth{}, err
	}
	said := truth{edges: map[edge]bool{}, explained: map[edge]bool{}}
	for line := range strings.Lines(string(text)) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " ")
		if from, to = path.Dir(from), path.Dir(to); ok && from != to {
			said.edges[edge{from, to}] = true
		}
	}
	return said, nil
}
