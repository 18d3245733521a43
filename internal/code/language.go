package code

import (
	"path"
	"strings"
)

// language is a configuration row of the lexer and the rules that read its tokens.
type language struct {
	name string

	slashComments bool // "//" and "/* */"
	nestComments  bool // block comments nest
	hashComments  bool // "#"
	quotes        string
	multiline     string // of quotes, those whose text may span lines
	raw           string // of quotes, those without escapes
	triple        bool   // three quotes open a text of many lines
	template      bool   // back quotes hold ${code}
	regex         bool   // a slash may open a regular expression
	markup        bool   // "<" may open a JSX element
	lifetimes     bool   // 'a is a lifetime, 'a' a character
	directives    bool   // "#" at the start of a line belongs to the preprocessor
	rawPrefix     bool   // r"…" and r#"…"#
	delimited     bool   // R"x(…)x"

	read func(*reader)
	tier Tier
}

// Tier says how far a fact about a language can be relied on.
type Tier string

// The tiers of definitions and import edges.
const (
	TierHigh      Tier = "high"      // resolver and rules were measured against the language's own tools
	TierCandidate Tier = "candidate" // names were matched; include paths and macros were not known
)

// languageOf is the row of a path, or nil for what is no source.
func languageOf(name string) *language {
	base := path.Base(name)
	switch strings.ToLower(path.Ext(base)) {
	case ".go":
		return &language{name: "go", slashComments: true, quotes: "\"'`", multiline: "`", raw: "`", read: readGo, tier: TierHigh}
	case ".ts", ".mts", ".cts":
		return script("typescript", false)
	case ".tsx":
		return script("typescript", true)
	case ".js", ".jsx", ".mjs", ".cjs":
		return script("javascript", true)
	case ".py", ".pyi":
		return &language{name: "python", hashComments: true, quotes: "\"'", triple: true, read: readPython, tier: TierHigh}
	case ".java":
		return &language{name: "java", slashComments: true, quotes: "\"'", triple: true, read: readJava, tier: TierHigh}
	case ".rs":
		return &language{name: "rust", slashComments: true, nestComments: true, quotes: "\"'", multiline: "\"", lifetimes: true,
			rawPrefix: true, read: readRust, tier: TierHigh}
	case ".c", ".h":
		return &language{name: "c", slashComments: true, quotes: "\"'", directives: true, delimited: true, read: readC, tier: TierCandidate}
	case ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp", ".inl":
		return &language{name: "cpp", slashComments: true, quotes: "\"'", directives: true, delimited: true, read: readC, tier: TierCandidate}
	}
	return nil
}

func script(name string, markup bool) *language {
	return &language{name: name, slashComments: true, quotes: "\"'", template: true, regex: true, markup: markup,
		read: readScript, tier: TierHigh}
}
