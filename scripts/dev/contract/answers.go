package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// recordedAnswer reads what a command printed and its exit status.
func recordedAnswer(dir string) func(string) (any, int) {
	return func(name string) (any, int) {
		raw, err := os.ReadFile(filepath.Join(dir, name+".json"))
		must(err)
		var v any
		if json.Unmarshal(raw, &v) != nil {
			v = nil
		}
		rc, err := os.ReadFile(filepath.Join(dir, name+".rc"))
		must(err)
		exit := 0
		_, err = fmt.Sscan(string(rc), &exit)
		must(err)
		return v, exit
	}
}

// recordedContract reads the payload of a conformance scenario; "name/part" is a part of it. A refused one exits with 1.
func recordedContract(dir string) func(string) (any, int) {
	return func(name string) (any, int) {
		file, part, _ := strings.Cut(name, "/")
		raw, err := os.ReadFile(filepath.Join(dir, file+".json"))
		must(err)
		var doc struct{ Payload any }
		must(json.Unmarshal(raw, &doc))
		v := doc.Payload
		if part != "" {
			v = v.(map[string]any)[part]
		}
		if at(v, "ok") == "false" {
			return v, 1
		}
		return v, 0
	}
}

// keys lists the paths of all object members; elements of arrays share the path "x[]".
func keys(v any) map[string]bool {
	out := map[string]bool{}
	var walk func(prefix string, v any)
	walk = func(prefix string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				path := strings.TrimPrefix(prefix+"."+key, ".")
				out[path] = true
				walk(path, member)
			}
		case []any:
			for _, element := range v {
				walk(prefix+"[]", element)
			}
		}
	}
	walk("", v)
	return out
}

// at returns the member of a dotted path as text; a number selects an element.
func at(v any, path string) string {
	for key := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[key]
		case []any:
			i := 0
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(node) {
				return ""
			}
			v = node[i]
		default:
			return ""
		}
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
