package code

import "testing"

// Whatever manifests and imports say, resolving ends, and leads only to directories that hold source.
func FuzzResolveStaysInTheRepository(f *testing.F) {
	f.Add("a/b.py", []byte("from ..... import x\nimport a.b.c\nfrom . import *\n"), "go.mod", []byte("module \"\"\nreplace => ./\n"))
	f.Add("a/b.ts", []byte("import '../../..'\nimport ''\nimport '/x'\nimport '@a/b/../c'\nimport '#x'\n"), "tsconfig.json",
		[]byte(`{"extends":"./tsconfig","compilerOptions":{"baseUrl":"..","paths":{"*":["*","../*"],"@a/**":[""]}}}`))
	f.Add("a/b.js", []byte("require('.')\nimport 'p/q'\n"), "package.json", []byte(`{"name":"p","main":"../..","exports":{"./q":{"import":{"default":["x"]}}}}`))
	f.Add("a/src/lib.rs", []byte("use super::super::super::x;\nmod a;\nuse crate::{self};\nuse ::b::c;\n"), "a/Cargo.toml", []byte("[package]\nname='b'\n[lib]\npath='../../x'\n[dependencies]\nc={package=}\n"))
	f.Add("x.go", []byte("package x\nimport \"\"\nimport \"std/..\"\nimport \"m/../..\"\n"), "go.mod", []byte("module m"))
	f.Add("x.c", []byte("#include \"../../../x.h\"\n#include <>\n#include \"\"\n"), "package.json", []byte("[]"))
	f.Add("X.java", []byte("package .;\nimport *;\nimport static a.*;\nimport ..b;\nclass X {}\n"), "package.json", []byte(`{"exports":[1]}`))
	f.Fuzz(func(t *testing.T, name string, src []byte, manifest string, text []byte) {
		facts := Extract(name, src)
		if facts.Language == "" {
			return
		}
		g := NewGraph([]Source{{Path: name, Facts: facts}, {Path: "lib/x.go", Facts: Facts{Language: "go"}}}, map[string][]byte{manifest: text})
		for _, e := range g.Edges {
			if len(g.world.dirs[e.To]) == 0 {
				t.Errorf("edge %+v leads out of the repository", e)
			}
		}
	})
}
