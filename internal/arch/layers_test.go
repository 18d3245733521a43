package arch

import (
	"fmt"
	"slices"
	"strings"
)

// layers says for each package which packages of this module it may import, from the bottom to the top. A package may
// name only packages above it in this list, so there are no cycles; what it does not name it may not import.
func layers() []layer {
	rules := []string{"problem", "ids", "redact", "casefile"}
	stores := []string{"durable", "durable/osfs", "casestore"}
	outside := []string{"proc", "config", "gitrepo", "verifier", "tool", "code", "discovery"}
	return []layer{
		{"problem", nil},
		{"ids", nil},
		{"redact", nil},
		{"casefile", []string{"problem"}},

		{"durable", []string{"problem", "ids"}},
		{"durable/osfs", []string{"durable", "problem"}},
		{"durable/crashfs", []string{"durable"}},
		{"casestore", join([]string{"durable", "durable/osfs"}, rules)},

		{"proc", []string{"problem"}},
		{"config", []string{"problem", "casefile", "durable"}},
		{"gitrepo", []string{"proc", "problem", "durable"}},
		{"verifier", []string{"proc", "problem", "casefile"}},
		{"tool", []string{"proc", "problem"}},
		{"code", []string{"gitrepo", "problem", "durable", "redact"}},
		{"discovery", []string{"gitrepo", "problem", "code", "tool"}},

		{"op", []string{"problem", "redact"}},
		{"caseops", join([]string{"op"}, rules, stores, outside)},
		{"codeops", []string{"op", "problem", "redact", "gitrepo", "code"}},
		{"hostops", join([]string{"op"}, rules, stores, outside)},

		{"mcpserver", []string{"op", "problem", "redact"}},
		{"cli", join([]string{"op", "caseops", "codeops", "hostops", "mcpserver"}, rules, stores, outside)},

		{"testkit", []string{"ids"}},
		{"arch", nil},
	}
}

// layer is a package below internal and what it may import.
type layer struct {
	name    string
	imports []string
}

func join(lists ...[]string) []string { return slices.Concat(lists...) }

// pure are the packages that may import nothing but the standard library besides what layers allows them.
func pure() []string { return []string{"problem", "ids", "redact", "casefile"} }

// forbidden are parts of the standard library that would give a pure package I/O, processes or the environment.
func forbidden() []string { return []string{"os", "os/exec", "net", "net/http", "io/ioutil", "log"} }

// importRule holds the direction of imports.
func importRule(t tree) []violation {
	allowed := map[string][]string{}
	for _, l := range layers() {
		allowed[l.name] = l.imports
	}
	var out []violation
	for _, s := range t.sources {
		for _, spec := range s.syntax.Imports {
			target := strings.Trim(spec.Path.Value, `"`)
			what := importFault(s, target, allowed)
			if spec.Name != nil && spec.Name.Name == "." {
				what = "imports " + target + " into its own names"
			}
			if what != "" {
				out = append(out, violation{s.at(spec.Pos()), what})
			}
		}
		name, ok := strings.CutPrefix(s.dir, "internal/")
		if _, known := allowed[name]; ok && !known {
			allowed[name] = nil // said once
			out = append(out, violation{s.dir, "has no place in layers()"})
		}
	}
	return out
}

func importFault(s *source, target string, allowed map[string][]string) string {
	from, isInternal := strings.CutPrefix(s.dir, "internal/")
	to, ours := strings.CutPrefix(target, module+"/internal/")
	switch {
	case target == "C":
		return "imports C: the binary is static"
	case !ours:
		return outsideFault(s, from, target)
	case strings.HasPrefix(s.dir, "scripts/"):
		return "imports " + to + ": a script stands beside the program"
	case !isInternal:
		return faultUnless(to == "cli", from, to, "only cli starts the program")
	case forTests("internal/"+to) && !s.test:
		return "imports " + to + ", which is for tests"
	case s.test:
		return faultUnless(to == from || strings.HasPrefix(to, from+"/") || forTests("internal/"+to) || reaches(from, to, allowed), from, to, "not even a test imports upwards")
	}
	return faultUnless(slices.Contains(allowed[from], to), from, to, "see layers()")
}

func faultUnless(fine bool, from, to, why string) string {
	if fine {
		return ""
	}
	return fmt.Sprintf("%s may not import %s: %s", from, to, why)
}

// outsideFault judges an import from outside the module.
func outsideFault(s *source, from, target string) string {
	if !slices.Contains(pure(), from) || s.test {
		return ""
	}
	first, _, _ := strings.Cut(target, "/")
	if strings.Contains(first, ".") || slices.Contains(forbidden(), target) {
		return fmt.Sprintf("%s may not import %s: it holds rules and does no I/O", from, target)
	}
	return ""
}

// reaches reports whether from imports to, directly or through others.
func reaches(from, to string, allowed map[string][]string) bool {
	for _, next := range allowed[from] {
		if next == to || reaches(next, to, allowed) {
			return true
		}
	}
	return false
}
