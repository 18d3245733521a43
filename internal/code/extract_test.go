package code

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// told is the facts on lines: "import PATH" and "KIND PARENT.NAME START-END".
func told(f Facts) []string {
	var out []string
	for _, i := range f.Imports {
		line := "import " + i.Path
		if len(i.Names) > 0 {
			line += " (" + strings.Join(i.Names, ",") + ")"
		}
		if i.Alias != "" {
			line += " as " + i.Alias
		}
		out = append(out, line)
	}
	for _, d := range f.Definitions {
		name := d.Name
		if d.Parent != "" {
			name = d.Parent + "." + d.Name
		}
		out = append(out, fmt.Sprintf("%s %s %d-%d", d.Kind, name, d.StartLine, d.EndLine))
	}
	return out
}

type sample struct {
	file, src string
	want      []string
}

func checkSamples(t *testing.T, samples []sample) {
	t.Helper()
	for _, s := range samples {
		t.Run(s.file, func(t *testing.T) {
			t.Parallel()
			if got := told(Extract(s.file, []byte(s.src))); !slices.Equal(got, s.want) {
				t.Errorf("facts of\n%s\n got %s\nwant %s", s.src, strings.Join(got, "\n     "), strings.Join(s.want, "\n     "))
			}
		})
	}
}

func TestFactsOfGo(t *testing.T) {
	t.Parallel()
	checkSamples(t, []sample{
		{"group.go", "package p\n\nimport (\n\t\"fmt\"\n\tx \"a/b\"\n\t_ \"c\"\n\t. \"d\"\n)\n\nimport \"e\"\n\nfunc F(a int) (b struct{ c int }) {\n\treturn\n}\n",
			[]string{"import fmt", "import a/b as x", "import c as _", "import d as .", "import e", "func F 12-14"}},
		{"method.go", "package p\nfunc (s *Store[K, V]) Get(k K) V {\n\tx := \"}\"\n\t_ = '}'\n\t_ = `\n}`\n}\nfunc asm(x int) int\nfunc (T) After() {}\n",
			[]string{"method Store.Get 2-7", "func asm 8-8", "method T.After 9-9"}},
		{"specs.go", "package p\ntype (\n\tA struct {\n\t\tx int\n\t}\n\tB = map[string]int\n)\ntype I interface {\n\tM()\n}\nconst (\n\tc1 = iota\n\tc2\n)\nvar a, b = 1, func() int {\n\treturn 2\n}\nvar z int\n",
			[]string{"type A 3-5", "type B 6-6", "type I 8-10", "const c1 12-12", "const c2 13-13", "var a 15-17", "var b 15-17", "var z 18-18"}},
		{"comment.go", "package p // import \"no\"\n/* func No() {\n} */ func Yes() { /* } */ }\n", []string{"func Yes 3-3"}},
		{"generic.go", "package p\nfunc Map[T, U any](s []T, f func(T) U) []U {\n\treturn nil\n}\nfunc H() interface{ M() } {\n\treturn nil\n}\n",
			[]string{"func Map 2-4", "func H 5-7"}},
		{"literals.go", "package p\nvar a = `\n` + `\n` +\n\t\"b\"\nconst (\n\tc = 0.\n\td = 1.5\n)\nfunc (t (*T)) M() {}\n",
			[]string{"var a 2-5", "const c 7-7", "const d 8-8", "method T.M 10-10"}},
		{"oneline.go", "package p; import \"x\"; func A() {}; func B() {}\n", []string{"import x", "func A 1-1", "func B 1-1"}},
	})
}

func TestFactsOfScripts(t *testing.T) {
	t.Parallel()
	checkSamples(t, []sample{
		{"imports.ts", "import a, { b as c } from './a';\nimport * as d from \"d\"\nimport './side';\nimport type { T } from '../t'\nexport { x } from './x'\nexport * from './y'\nexport type { Z } from './z'\nconst e = require('e')\nconst f = await import('./f')\nimport g = require('g')\n// import 'no'\nconst s = \"import 'no'\"\n",
			[]string{"import ./a", "import d", "import ./side", "import ../t", "import ./x", "import ./y", "import ./z", "import e", "import ./f", "import g",
				"const e 8-8", "const f 9-9", "const s 12-12"}},
		{"kinds.ts", "export interface I<T> {\n  m(): void\n}\nexport type U = 'a' |\n  'b'\nexport enum E { A }\nexport const arrow = async (x: number): Promise<void> => {\n  x\n}\nexport default function main() {}\nabstract class C<T> extends B<T> implements I {\n  private x = 1\n  constructor(a: string) { super() }\n  @dec() async m<T>(a: T): Promise<{ a: 1 }> {\n    if (a) { b() }\n  }\n  get p(): string { return `}${this.x}` }\n  handler = () => {\n    go()\n  }\n  static { init() }\n}\nnamespace N {\n  export function inner() {}\n}\n",
			[]string{"interface I 1-3", "type U 4-5", "enum E 6-6", "func arrow 7-9", "func main 10-10", "class C 11-22", "method C.constructor 13-13", "method C.m 14-16", "method C.p 17-17", "method C.handler 18-20", "namespace N 23-25", "func inner 24-24"}},
		{"regex.js", "const r = /[/'\"]{/g\nfunction f(a) {\n  return a / 2 / 1 + `t${ {a:1}.a }'`\n}\nfunction g() {}\n",
			[]string{"const r 1-1", "func f 2-4", "func g 5-5"}},
		{"plain.ts", "export type A<T> = B<T>\n\nexport type C<T = {}> = T extends readonly [infer H] ?\n  H & D<T>\n  : {}\ntype E = (typeof k)[keyof typeof k]\nexport interface F<P = {}> extends Omit<\n  G<P>,\n  'base'\n> {\n  a: 1\n}\nexport function h<T extends { a: 1 } | null>(x: T): x is { b: `${T}_${1}` } {\n  return 1\n}\nfunction over<T>(\n  x: T,\n): Result<\n  T,\n  { y: T }\n>\nexport const N = class<in T> extends M {\n  m<A extends {}>(a: A) {}\n}\nconst k = {} as const\ntype K = 1\n",
			[]string{"type A 1-1", "type C 3-5", "type E 6-6", "interface F 7-12", "func h 13-15", "func over 16-21", "const N 22-24", "method N.m 23-23", "const k 25-25", "type K 26-26"}},
		{"view.tsx", "import React from 'react'\nexport function View({ a }: P) {\n  const n = a < 3\n  return <div className=\"it's\" on={() => go({})}>\n    Don't {a ? <b>it's</b> : <Foo.Bar x=\"1\" />} stop\n    <>frag</>\n  </div>\n}\nexport const G = <T,>(x: T) => x\nfunction after() {}\n",
			[]string{"import react", "func View 2-8", "func G 9-9", "func after 10-10"}},
	})
}

func TestFactsOfPython(t *testing.T) {
	t.Parallel()
	checkSamples(t, []sample{
		{"imports.py", "import os, a.b as c\nfrom . import x\nfrom ..p.q import (y as z,\n    w)\nfrom r import *\n\"\"\"\nimport no\n\"\"\"\ndef f():\n    import late\n",
			[]string{"import os", "import a.b as c", "import . (x)", "import ..p.q (y,w)", "import r (*)", "import late", "func f 9-10"}},
		{"nest.py", "LIMIT = 3\n\n@dec\nclass A(B):\n    '''doc\ndef no(): pass\n'''\n    def m(self,\n          x):\n        if x:\n            return {\n}\n\n    async def n(self): pass\n\n    if LIMIT:\n        def o(self):\n            pass\ndef g():\n    def inner():\n        pass\n    return inner\nx: int = 1\n@g.register\ndef _(a): pass\n",
			[]string{"var LIMIT 1-1", "class A 4-18", "method A.m 8-12", "method A.n 14-14", "method A.o 17-18", "func g 19-22", "func inner 20-21", "var x 23-23", "func _ 25-25"}},
	})
}

func TestFactsOfJava(t *testing.T) {
	t.Parallel()
	checkSamples(t, []sample{
		{"A.java", "package com.x.y;\nimport java.util.*;\nimport static com.x.B.make;\nimport com.x.C;\n@Ann(value = \"}\")\npublic class A<T extends C> extends B {\n  private int x = call(1);\n  public A() { super(); }\n  @Override public <R> List<R> m(int a, String b) throws E {\n    if (a > 0) { run(); }\n    new Thread() { public void run() { } };\n  }\n  abstract void n();\n  interface I { int q(); }\n  enum E { A(1), B { void z() {} }; E(int i) {} }\n  record P(int a) { }\n}\n",
			[]string{"import java.util.*", "import com.x.B.make (static)", "import com.x.C", "class A 6-17", "constructor A.A 8-8", "method A.m 9-12", "method Thread.run 11-11", "method A.n 13-13",
				"interface A.I 14-14", "method I.q 14-14", "enum A.E 15-15", "method E.z 15-15", "constructor E.E 15-15", "record A.P 16-16"}},
		{"N.java", "@interface N {\n  int[] value() default {1};\n  String s() default \"\";\n}\nclass F {\n  static final C<A> c = new p.C<A>(1) {\n    @Override public int f(A a) { return g(); }\n  };\n  int x = g(), y = h(2);\n  void z() { run(() -> { new Q() {}; }, new R<>() { void in() {} }); }\n}\n",
			[]string{"interface N 1-4", "method N.value 2-2", "method N.s 3-3", "class F 5-11", "method C.f 7-7", "method F.z 10-10", "method R.in 10-10"}},
		{"T.java", "class T {\n  String s = \"\"\"\n  class No { \"\n  \"\"\";\n  char c = '\"';\n  void m() {}\n}\n", []string{"class T 1-7", "method T.m 6-6"}},
	})
}

func TestFactsOfRust(t *testing.T) {
	t.Parallel()
	checkSamples(t, []sample{
		{"lib.rs", "use std::{fmt, io::{self, Read}};\nuse crate::a::b as c;\nuse super::*;\nextern crate renamed as r;\nmod child;\npub mod inline {\n    pub fn f() {}\n}\npub struct S<'a> { x: &'a str }\nimpl<'a, T: Clone> fmt::Display for S<'a> where T: X {\n    fn fmt(&self, c: char) -> R {\n        let x = '{'; let y = '\\''; let z = r#\"}\"#; /* /* } */ */\n    }\n}\ntrait Tr { fn sig(&self); fn def(&self) {} }\nconst N: usize = 3;\nenum E { A, B }\nmacro_rules! mac { () => { fn no() {} } }\nfn last<F>(f: F) -> i32 where F: Fn() -> i32 { f() }\n",
			[]string{"import std::fmt", "import std::io::self", "import std::io::Read", "import crate::a::b", "import super::*", "import renamed", "import mod child",
				"module inline 6-8", "func f 7-7", "struct S 9-9", "method S.fmt 11-13", "trait Tr 15-15", "method Tr.sig 15-15", "method Tr.def 15-15",
				"const N 16-16", "enum E 17-17", "macro mac 18-18", "func last 19-19"}},
	})
}

func TestUsesInModulesWithABodyAreSaidFromTheFile(t *testing.T) {
	t.Parallel()
	checkSamples(t, []sample{
		{"in.rs", "mod a {\n    use super::x;\n    use self::y;\n    use super::super::z;\n    mod b {\n        mod file;\n        use super::{self, super::w};\n    }\n}\n#[cfg(x)]\n#[path = \"../o.rs\"]\npub(crate) mod other;\nuse crate::r#type::T;\nfn f() { self.0.g(); }\n",
			[]string{"import self::x", "import self::a::y", "import super::z", "import mod a::b::file", "import self::a::self", "import self::w", "import mod other ../o.rs",
				"import crate::type::T", "module a 1-9", "module b 5-8", "func f 14-14"}},
	})
}

func TestFactsOfC(t *testing.T) {
	t.Parallel()
	checkSamples(t, []sample{
		{"a.c", "#include <stdio.h>\n#  include \"lib/a.h\"\n#define MAX(a, b) \\\n  ((a) > (b) ? (a) : (b))\nstruct point {\n  int x;\n};\ntypedef struct { int y; } other;\ntypedef int (*callback)(int);\nstatic int table[] = { 1, 2 };\nint proto(int);\nint main(int argc, char **argv)\n{\n#ifdef A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n  return '}';\n}\nint after(void) { return 0; }\n",
			[]string{"import <stdio.h>", "import lib/a.h", "macro MAX 3-3", "struct point 5-7", "type other 8-8", "type callback 9-9", "func main 12-21", "func after 22-22"}},
		{"a.cpp", "namespace n { namespace m {\nclass A final : public B<int> {\n public:\n  A() : x_(1), y_{2} {}\n  int get() const noexcept { return 1'000; }\n  void decl();\n};\ntemplate <class T> T pick(T a) { return a; }\nvoid A::decl() { auto s = R\"x(})\" )x\"; }\nenum class Color { red };\n}}\nextern \"C\" {\nint c_fn() { return 1; }\n}\n",
			[]string{"class A 2-7", "method A.A 4-4", "method A.get 5-5", "func pick 8-8", "method A.decl 9-9", "enum Color 10-10", "func c_fn 13-13"}},
	})
}
