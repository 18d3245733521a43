package code

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// scriptPackage is what a package.json says about how its package is imported.
type scriptPackage struct {
	dir     string
	entries []string                   // files that a bare import may mean, relative to dir
	exports map[string]json.RawMessage // subpath, or condition
	imports map[string]json.RawMessage // "#name"
}

// scriptSettings is the part of a tsconfig.json that changes how names are resolved.
type scriptSettings struct {
	base  string // directory of baseUrl, "" without
	paths map[string][]string
	from  string // directory that paths are relative to
}

type packageFile struct {
	Name                                 string
	Main, Module, Types, Typings, Source string
	Exports, Imports                     json.RawMessage
}

func (w *world) readPackages(manifests map[string][]byte) {
	w.packages, w.owners, w.settings = map[string]scriptPackage{}, map[string]scriptPackage{}, map[string]scriptSettings{}
	for name, text := range manifests {
		switch base := path.Base(name); {
		case base == "package.json":
			var f packageFile
			if json.Unmarshal(text, &f) != nil {
				continue // a package that cannot be read has no names
			}
			p := scriptPackage{dir: path.Dir(name), entries: []string{f.Source, f.Types, f.Typings, f.Module, f.Main}}
			if json.Unmarshal(f.Exports, &p.exports) != nil && len(f.Exports) > 0 {
				p.exports = map[string]json.RawMessage{".": f.Exports}
			}
			_ = json.Unmarshal(f.Imports, &p.imports) // none when it has another form
			w.owners[p.dir] = p
			if old, known := w.packages[f.Name]; f.Name != "" && (!known || p.dir < old.dir) {
				w.packages[f.Name] = p
			}
		case base == "tsconfig.json" || base == "jsconfig.json":
			w.settings[path.Dir(name)] = readSettings(name, manifests, 0)
		}
	}
}

// maxExtends bounds a chain of settings that extend each other.
const maxExtends = 5

func readSettings(name string, manifests map[string][]byte, depth int) scriptSettings {
	var f struct {
		Extends         json.RawMessage
		CompilerOptions struct {
			BaseURL string              `json:"baseUrl"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	dir := path.Dir(name)
	if json.Unmarshal(plainJSON(manifests[name]), &f) != nil {
		return scriptSettings{}
	}
	var s scriptSettings
	var parent string
	if json.Unmarshal(f.Extends, &parent) == nil && strings.HasPrefix(parent, ".") && depth < maxExtends {
		parent = path.Join(dir, parent)
		if path.Ext(parent) != ".json" {
			parent += ".json"
		}
		s = readSettings(parent, manifests, depth+1)
	}
	if f.CompilerOptions.BaseURL != "" {
		s.base = path.Join(dir, f.CompilerOptions.BaseURL)
		s.from = s.base
	}
	if f.CompilerOptions.Paths != nil {
		s.paths = f.CompilerOptions.Paths
		if s.from = s.base; s.base == "" {
			s.from = dir
		}
	}
	return s
}

// plainJSON takes comments and trailing commas out, which settings may have.
func plainJSON(text []byte) []byte {
	row := script("javascript", false)
	tokens := scan(row, text, nil)
	var out []byte
	for i, t := range tokens {
		piece := text[t.start:t.end]
		if string(piece) == "," && i+1 < len(tokens) && strings.IndexByte("]}", text[tokens[i+1].start]) >= 0 {
			continue
		}
		out = append(append(out, ' '), piece...)
		if t.kind == mark && text[t.start] == '-' {
			continue
		}
	}
	return out
}

// resolveScript finds the file that a module name means: relative, by the paths of the nearest tsconfig.json, or the
// name of a package of this workspace. A module of Node's is never taken for a file of that name.
func (w *world) resolveScript(from, name string) []target {
	name, _, _ = strings.Cut(name, "?")
	dir := path.Dir(from)
	switch {
	case strings.HasPrefix(name, "."):
		return w.scriptFile(path.Join(dir, name))
	case strings.HasPrefix(name, "#"):
		return w.scriptInternal(dir, name)
	case strings.HasPrefix(name, "node:") || isNodeModule(name):
		return nil
	}
	for _, up := range ancestors(dir) {
		s, known := w.settings[up]
		if !known {
			continue
		}
		if out := w.scriptMapped(s, name); len(out) > 0 {
			return out
		}
		break
	}
	return w.scriptNamed(name)
}

func (w *world) scriptMapped(s scriptSettings, name string) []target {
	patterns := make([]string, 0, len(s.paths))
	for p := range s.paths {
		patterns = append(patterns, p)
	}
	slices.SortFunc(patterns, func(a, b string) int { // the longest prefix first
		if n := len(b) - len(a); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, p := range patterns {
		prefix, suffix, wild := strings.Cut(p, "*")
		if !wild && p != name || wild && (!strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) || len(name) < len(prefix)+len(suffix)) {
			continue
		}
		middle := ""
		if wild {
			middle = name[len(prefix) : len(name)-len(suffix)]
		}
		for _, to := range s.paths[p] {
			if out := w.scriptFile(path.Join(s.from, strings.Replace(to, "*", middle, 1))); len(out) > 0 {
				return out
			}
		}
	}
	if s.base != "" {
		return w.scriptFile(path.Join(s.base, name))
	}
	return nil
}

// scriptNamed finds a package of the workspace by its name, and what follows the name inside it.
func (w *world) scriptNamed(name string) []target {
	for own := name; own != "." && own != "/"; own = path.Dir(own) {
		p, known := w.packages[own]
		if !known {
			continue
		}
		sub := strings.TrimPrefix(name[len(own):], "/")
		if sub == "" {
			return w.scriptEntry(p)
		}
		if to := subpath(p.exports, "./"+sub); to != "" {
			if out := w.scriptBuilt(p.dir, to); len(out) > 0 {
				return out
			}
		}
		return append(w.scriptFile(path.Join(p.dir, sub)), w.scriptFile(path.Join(p.dir, "src", sub))...)
	}
	return nil
}

// scriptEntry finds the source of a package's entry.
func (w *world) scriptEntry(p scriptPackage) []target {
	for _, to := range append([]string{firstText(p.exports["."], 0)}, p.entries...) {
		if to == "" {
			continue
		}
		if out := w.scriptBuilt(p.dir, to); len(out) > 0 {
			return out
		}
	}
	for _, to := range []string{"src/index", "index", "lib/index", "src"} {
		if out := w.scriptFile(path.Join(p.dir, to)); len(out) > 0 {
			return out
		}
	}
	return nil
}

// scriptBuilt finds a file, or the source that it is built from: the same path below src, less its ending and the
// directory of a variant.
func (w *world) scriptBuilt(dir, to string) []target {
	if out := w.scriptFile(path.Join(dir, to)); len(out) > 0 {
		return out
	}
	output, rest, _ := strings.Cut(path.Clean(to), "/")
	switch output {
	case "dist", "build", "lib", "out", "es", "esm":
	default:
		return nil
	}
	for _, ending := range []string{".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs"} {
		if stem, ok := strings.CutSuffix(rest, ending); ok {
			rest = stem
			break
		}
	}
	if out := w.scriptFile(path.Join(dir, "src", rest)); len(out) > 0 {
		return out
	}
	switch variant, rest, _ := strings.Cut(rest, "/"); variant {
	case "cjs", "es", "es6", "esm", "esm5", "legacy", "modern", "module", "types":
		return w.scriptFile(path.Join(dir, "src", rest))
	}
	return nil
}

func (w *world) scriptInternal(dir, name string) []target {
	for _, up := range ancestors(dir) {
		if p, known := w.owners[up]; known {
			if to := subpath(p.imports, name); to != "" {
				return w.scriptBuilt(p.dir, to)
			}
			return nil
		}
	}
	return nil
}

// subpath is what the entry for a name leads to, or the longest pattern with a star that fits it.
func subpath(entries map[string]json.RawMessage, name string) string {
	if to := firstText(entries[name], 0); to != "" {
		return to
	}
	best, most := "", ""
	for pattern, raw := range entries {
		prefix, suffix, wild := strings.Cut(pattern, "*")
		if !wild || len(name) < len(prefix)+len(suffix) || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) {
			continue
		}
		if len(pattern) > len(most) || len(pattern) == len(most) && pattern > most {
			best = strings.ReplaceAll(firstText(raw, 0), "*", name[len(prefix):len(name)-len(suffix)])
			most = pattern
		}
	}
	return best
}

// firstText is a text, or the first one among the conditions of an entry, in a fixed order.
func firstText(raw json.RawMessage, depth int) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil || depth > 4 {
		return text
	}
	var conditions map[string]json.RawMessage
	if json.Unmarshal(raw, &conditions) != nil {
		return ""
	}
	for _, key := range []string{"source", "development", "types", "import", "require", "node", "default"} {
		if text = firstText(conditions[key], depth+1); text != "" {
			return text
		}
	}
	return ""
}

// scriptEndings are tried in the order of TypeScript.
func scriptEndings() []string {
	return []string{".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".d.mts", ".mjs", ".cts", ".d.cts", ".cjs"}
}

// scriptFile finds the file that a path without or with its ending means, or the index of a directory.
func (w *world) scriptFile(name string) []target {
	if w.files[name] {
		return []target{file(name)}
	}
	for _, pair := range [][2]string{{".js", ".ts"}, {".js", ".tsx"}, {".js", ".d.ts"}, {".jsx", ".tsx"}, {".mjs", ".mts"}, {".mjs", ".d.mts"},
		{".cjs", ".cts"}, {".cjs", ".d.cts"}} {
		if stem, ok := strings.CutSuffix(name, pair[0]); ok && w.files[stem+pair[1]] {
			return []target{file(stem + pair[1])}
		}
	}
	for _, ending := range scriptEndings() {
		if w.files[name+ending] {
			return []target{file(name + ending)}
		}
	}
	if p, known := w.owners[name]; known {
		for _, to := range p.entries {
			if to = path.Join(name, to); to != name && w.files[to] {
				return []target{file(to)}
			}
		}
	}
	for _, ending := range scriptEndings() {
		if index := path.Join(name, "index"+ending); w.files[index] {
			return []target{file(index)}
		}
	}
	return nil
}

func isNodeModule(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	switch first {
	case "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram", "diagnostics_channel",
		"dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process",
		"punycode", "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls", "tty", "url", "util", "v8",
		"vm", "wasi", "worker_threads", "zlib":
		return true
	}
	return false
}
