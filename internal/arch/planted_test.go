package arch

import "strings"

type sample struct{ file, source, want string }

// planted are files that break one rule each.
func planted() []sample {
	place := "/wo" + "rk/main"
	return []sample{
		{"internal/casefile/a.go", "package p\nimport \"cortex/internal/casestore\"\n", "casefile may not import casestore"},
		{"internal/casefile/a.go", "package p\nimport \"os\"\n", "casefile may not import os"},
		{"internal/redact/a.go", "package p\nimport \"cortex/internal/problem\"\n", "redact may not import problem"},
		{"internal/ids/a.go", "package p\nimport \"github.com/spf13/cobra\"\n", "ids may not import github.com/spf13/cobra"},
		{"internal/caseops/a.go", "package p\nimport \"cortex/internal/hostops\"\n", "caseops may not import hostops"},
		{"internal/mcpserver/a.go", "package p\nimport \"cortex/internal/casestore\"\n", "mcpserver may not import casestore"},
		{"internal/mcpserver/a.go", "package p\nimport \"cortex/internal/cli\"\n", "mcpserver may not import cli"},
		{"internal/gitrepo/a_test.go", "package p\nimport \"cortex/internal/caseops\"\n", "not even a test"},
		{"internal/cli/a.go", "package p\nimport \"cortex/internal/testkit\"\n", "which is for tests"},
		{"cmd/cortex/main.go", "// Command cortex is.\npackage main\nimport \"cortex/internal/caseops\"\n", "only cli starts"},
		{"scripts/x/main.go", "// Command x is.\npackage main\nimport \"cortex/internal/ids\"\n", "a script stands beside"},
		{"internal/cli/a.go", "package p\nimport \"C\"\n", "imports C"},
		{"internal/cli/a.go", "package p\nimport . \"strings\"\n", "into its own names"},
		{"internal/nowhere/a.go", "package p\n", "internal/nowhere: has no place in layers"},

		{"internal/casestore/a.go", "package p\nimport \"time\"\nvar x = time.Now\n", "time.Now does not belong here"},
		{"internal/casestore/a.go", "package p\nimport t \"time\"\nfunc f() { t.Since(t.Time{}) }\n", "time.Since does not belong"},
		{"internal/gitrepo/a.go", "package p\nimport \"os\"\nfunc f() { os.Getenv(\"A\") }\n", "os.Getenv does not belong"},
		{"internal/gitrepo/a.go", "package p\nimport \"os/exec\"\nfunc f() { exec.Command(\"git\") }\n", "exec.Command does not belong"},
		{"internal/casestore/a.go", "package p\nimport \"os\"\nfunc f() { os.Rename(\"a\", \"b\") }\n", "os.Rename does not belong"},
		{"internal/casestore/a.go", "package p\nimport \"os\"\nfunc f() { os.OpenFile(\"a\", os.O_RDWR, 0) }\n", "os.OpenFile does not"},
		{"internal/casestore/a.go", "package p\nimport \"os\"\nfunc f(n int) { os.OpenFile(\"a\", n, 0) }\n", "os.OpenFile does not"},
		{"internal/casestore/a.go", "package p\nimport \"os\"\nconst n = os.O_RDWR\nfunc f() { os.OpenFile(\"a\", n, 0) }\n", "os.OpenFile does not"},

		{"internal/cli/a.go", "package p\nfunc init() {}\n", "init()"},
		{"internal/cli/a.go", "package p\nvar n int\nfunc f() { n = 1 }\n", "assigns to package variable n"},
		{"internal/cli/a.go", "package p\nvar n int\nfunc f() { n++ }\n", "counts in package variable n"},
		{"internal/cli/a.go", "package p\nvar m = map[int]int{}\nfunc f() { m[1] = 2 }\n", "assigns to package variable m"},
		{"internal/cli/a.go", "package p\nvar m = map[int]int{}\nfunc f() { delete(m, 1) }\n", "deletes from package variable m"},
		{"internal/cli/a.go", "package p\nvar n int\nfunc f() *int { return &n }\n", "takes the address of package variable n"},
		{"internal/cli/a.go", "package p\nvar n struct{ a []int }\nfunc f() { (n.a)[0] = 1 }\n", "assigns to package variable n"},
		{"internal/cli/a.go", "package p\nimport \"os\"\nfunc f() { os.Args = nil }\n", "assigns to package variable os.Args"},
		{"internal/cli/a.go", "package p\nimport \"sync\"\nvar mu sync.Mutex\n", "made to change"},
		{"internal/cli/a.go", "package p\nvar c = make(chan int)\n", "made to change"},

		{"internal/cli/a_test.go", "package p\n" + strings.Repeat("// x\n", 400), "401 lines"},
		{"internal/cli/a_test.go", "package p\nfunc f() {\n" + strings.Repeat("\n", 59) + "}\n", "f has 61 lines"},

		{"internal/cli/doc.go", "package p\n", "no doc.go"},
		{"internal/cli/doc.go", "// Package p holds. Invariants: none.\npackage p\n", "must not hold"},
		{"internal/cli/doc.go", "// Package p holds. It must not.\npackage p\n", "invariants"},
		{"cmd/cortex/main.go", "package main\n", "begins with \"Command \""},

		{"README.md", "see " + place + "\n", "README.md:1: names the place"},
		{"docs/a.txt", "\nsee ../sha" + "red/x", "docs/a.txt:2: names the place"},
	}
}

// honest are files that look like a violation and are none.
func honest() []sample {
	return []sample{
		{file: "internal/caseops/a.go", source: "package p\nimport (\n\"cortex/internal/op\"\n\"cortex/internal/casestore\"\n)\n"},
		{file: "internal/caseops/a_test.go", source: "package p\nimport (\n\"cortex/internal/testkit\"\n\"os\"\n)\nvar x = os.Getenv\n"},
		{file: "internal/casefile/a.go", source: "package p\nimport (\n\"time\"\n\"cortex/internal/problem\"\n)\nvar t time.Time\n"},
		{file: "internal/cli/a.go", source: "package p\nimport \"time\"\nvar now = time.Now\n"},
		{file: "internal/caseops/a.go", source: "package p\nimport \"time\"\ntype c struct{}\nfunc f(time c) { time.Now() }\nfunc (c) Now() {}\nvar d time.Duration\n"},
		{file: "internal/casestore/a.go", source: "package p\nimport \"os\"\nfunc f() { os.OpenFile(\"a\", os.O_RDONLY|n, 0) }\nconst n = os.O_SYNC | 0\n"},
		{file: "internal/durable/a.go", source: "package p\nimport \"os\"\nvar rename = os.Rename\n"},
		{file: "internal/cli/a.go", source: "package p\nvar n int\nfunc f(n int) { n = 1; n++ }\n"},
		{file: "internal/cli/a.go", source: "package p\nvar table = []struct{ a int }{{1}}\nfunc f() { x := table[0]; x.a = 2 }\n"},
		{file: "internal/cli/a.go", source: "package p\nimport \"sync\"\nvar once = sync.OnceValue(func() int { return 1 })\n"},
		{file: "internal/cli/a.go", source: "package p\ntype s struct{ n int }\nvar n = 1\nfunc (x *s) f() { x.n = n }\nfunc (s) init() {}\n"},
		{file: "internal/cli/a.go", source: "// Code generated by a tool. DO NOT EDIT.\n\npackage p\n" + strings.Repeat("// x\n", 500)},
		{file: "internal/cli/a_test.go", source: "package p\nfunc f() {\n" + strings.Repeat("\n", 58) + "}\n"},
		{file: "cmd/cortex/main.go", source: "// Command cortex is a program.\npackage main\nimport \"cortex/internal/cli\"\n"},
		{file: "docs/a.md", source: "a workspace, dir/wo" + "rk, /wo" + "rkspace, /wo" + "rks\n"},
		{file: "scripts/dev/a.md", source: "see /wo" + "rk\n"},
	}
}
