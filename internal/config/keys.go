package config

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"cortex/internal/casefile"

	"go.yaml.in/yaml/v4"
)

const (
	maxLiterals     = 256
	maxLiteralBytes = 4 << 10
	maxVerifiers    = 64
	maxArgs         = 256
	maxArgBytes     = 8 << 10
	maxVariables    = 64
	maxPathBytes    = 4 << 10
	minTimeout      = time.Second
	maxTimeout      = 2 * time.Hour
	defaultTimeout  = 2 * time.Minute
)

// config reads the top level of a file.
func (d document) config(c *Config, root *yaml.Node) {
	d.fields(root, "", map[string]func(*yaml.Node, string){
		"budget":          func(n *yaml.Node, key string) { d.budget(&c.Budget, n, key) },
		"recall":          func(n *yaml.Node, key string) { d.recall(c, n, key) },
		"redact_literals": func(n *yaml.Node, key string) { d.literals(c, n, key) },
		"cases_dir":       func(n *yaml.Node, key string) { d.casesDir(c, n, key) },
		"verifiers":       func(n *yaml.Node, key string) { d.verifiers(c, n, key) },
	})
}

// bound is a number of the budget with what it may be.
type bound struct {
	key, env string
	low, top int
	value    *int
}

// bounds lists the numbers of a budget. The tops keep one call from holding the machine or the reader's context.
func bounds(b *Budget) []bound {
	return []bound{
		{"max_parallel_calls", "CORTEX_MAX_PARALLEL_CALLS", 1, 32, &b.MaxParallelCalls},
		{"max_investigation_rounds", "CORTEX_MAX_INVESTIGATION_ROUNDS", 1, 100, &b.MaxInvestigationRounds},
		{"max_raw_output_bytes_per_tool", "CORTEX_MAX_RAW_OUTPUT_BYTES", 1 << 10, casefile.MaxRawBlob, &b.MaxRawOutputBytesPerTool},
		{"max_evidence_items_returned", "CORTEX_MAX_EVIDENCE_ITEMS", 1, 200, &b.MaxEvidenceItemsReturned},
		{"max_candidate_files_returned", "CORTEX_MAX_CANDIDATE_FILES", 1, 200, &b.MaxCandidateFilesReturned},
		{"max_auto_retries_per_tool", "CORTEX_MAX_AUTO_RETRIES", 0, 10, &b.MaxAutoRetriesPerTool},
	}
}

// set parses and stores a number; the answer is what would be right, empty when it was.
func (b bound) set(text string) (expected string) {
	n, err := strconv.Atoi(text)
	if err != nil || n < b.low || n > b.top {
		return fmt.Sprintf("a whole number from %d to %d", b.low, b.top)
	}
	*b.value = n
	return ""
}

func (d document) budget(b *Budget, n *yaml.Node, key string) {
	known := map[string]func(*yaml.Node, string){}
	for _, one := range bounds(b) {
		known[one.key] = func(n *yaml.Node, key string) {
			if expected := one.set(n.Value); expected != "" {
				d.wrong(n, key, expected)
			}
		}
	}
	d.fields(n, key, known)
}

func (d document) literals(c *Config, n *yaml.Node, key string) {
	if list, ok := d.texts(n, key, maxLiterals, maxLiteralBytes); ok {
		c.RedactLiterals = append(c.RedactLiterals, list...)
		return
	}
	last := &(*d.faults)[len(*d.faults)-1]
	last.received = "" // a literal is a secret, and the value shown may be one
}

func (d document) casesDir(c *Config, n *yaml.Node, key string) {
	text, ok := d.text(n, key, maxPathBytes)
	if !ok {
		return
	}
	dir, expected := resolveCasesDir(text, c.Workspace, d.home, d.file.local)
	if expected != "" {
		d.wrong(n, key, expected)
		return
	}
	c.CasesDir = dir
}

func (d document) recall(c *Config, n *yaml.Node, key string) {
	d.fields(n, key, map[string]func(*yaml.Node, string){
		"enabled": func(n *yaml.Node, key string) {
			switch {
			case n.Kind == yaml.ScalarNode && n.Tag == "!!bool":
				c.Recall.Enabled = truthy(n.Value)
			default:
				d.wrong(n, key, "true or false")
			}
		},
		"db_path": func(n *yaml.Node, key string) {
			if text, ok := d.text(n, key, maxPathBytes); ok {
				d.databasePath(c, n, key, text)
			}
		},
		"embed_model": func(n *yaml.Node, key string) {
			if text, ok := d.text(n, key, casefile.MaxIdentifier); ok {
				c.Recall.EmbedModel = text
			}
		},
		"embed_url": func(n *yaml.Node, key string) {
			text, ok := d.text(n, key, maxPathBytes)
			if !ok {
				return
			}
			if expected := checkEmbedURL(text, c.Recall.RemoteApproved); expected != "" {
				d.faults.add(fault{file: d.file.path(), line: n.Line, key: key, expected: expected})
				return
			}
			c.Recall.EmbedURL = text
		},
	})
}

func (d document) databasePath(c *Config, n *yaml.Node, key, text string) {
	path := expandHome(text, d.home)
	if !d.file.local && filepath.IsAbs(path) {
		c.Recall.DBPath = filepath.Clean(path)
		return
	}
	inside, ok := insideWorkspace(c.Workspace, text)
	if !ok {
		d.wrong(n, key, "a path inside the workspace; other places are set in the global configuration or CORTEX_RECALL_DB")
		return
	}
	c.Recall.DBPath = inside
}

var (
	verifierName = lazyPattern(`^[A-Za-z0-9._-]{1,64}$`)
	variableName = lazyPattern(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
)

func (d document) verifiers(c *Config, n *yaml.Node, key string) {
	d.mapping(n, key, func(name *yaml.Node, key string, value *yaml.Node) {
		if !verifierName().MatchString(name.Value) {
			d.wrong(name, key, "a verifier's name of 1 to 64 letters, digits, dots, hyphens and underscores")
			return
		}
		v, ok := d.verifier(name.Value, value, key)
		if !ok {
			return
		}
		at, found := slices.BinarySearchFunc(c.Verifiers, v, func(a, b Verifier) int { return strings.Compare(a.Name, b.Name) })
		switch {
		case found:
			c.Verifiers[at] = v
		case len(c.Verifiers) >= maxVerifiers:
			d.wrong(name, key, fmt.Sprintf("at most %d verifiers", maxVerifiers))
		default:
			c.Verifiers = slices.Insert(c.Verifiers, at, v)
		}
	})
}

// verifier reads one verifier. One with a fault is left out whole: half a check is another check.
func (d document) verifier(name string, n *yaml.Node, key string) (Verifier, bool) {
	before := len(*d.faults)
	v := Verifier{Name: name, Kind: "unit_test", Surface: string(casefile.SurfaceCode), Timeout: defaultTimeout, Report: "auto"}
	d.fields(n, key, map[string]func(*yaml.Node, string){
		"argv":    func(n *yaml.Node, key string) { v.Argv, _ = d.texts(n, key, maxArgs, maxArgBytes) },
		"kind":    func(n *yaml.Node, key string) { d.choice(&v.Kind, n, key, "unit_test", "build", "lint") },
		"surface": func(n *yaml.Node, key string) { d.choice(&v.Surface, n, key, casefile.Surface("").Values()...) },
		"report":  func(n *yaml.Node, key string) { d.report(&v.Report, n, key) },
		"timeout": func(n *yaml.Node, key string) { d.timeout(&v.Timeout, n, key) },
		"env":     func(n *yaml.Node, key string) { v.Env = d.variables(n, key) },
	})
	if len(*d.faults) == before && len(v.Argv) == 0 {
		d.wrong(n, key+".argv", `the command as a list, such as ["go", "test", "./..."]`)
	}
	return v, len(*d.faults) == before
}

func (d document) choice(into *string, n *yaml.Node, key string, values ...string) {
	if n.Kind != yaml.ScalarNode || !slices.Contains(values, n.Value) {
		d.wrong(n, key, "one of "+strings.Join(values, ", "))
		return
	}
	*into = n.Value
}

// report reads how a check is judged. The path of junit:PATH lies below the workspace; links out of it are refused when it
// is read.
func (d document) report(into *string, n *yaml.Node, key string) {
	file, isJUnit := strings.CutPrefix(n.Value, "junit:")
	local := filepath.IsLocal(filepath.FromSlash(file)) && path.Clean(file) != "." && !strings.HasSuffix(file, "/")
	switch {
	case n.Kind == yaml.ScalarNode && slices.Contains([]string{"auto", "exit", "tap"}, n.Value):
		*into = n.Value
	case n.Kind == yaml.ScalarNode && isJUnit && local && len(file) <= maxPathBytes && !strings.ContainsFunc(file, unicode.IsControl):
		*into = "junit:" + path.Clean(file)
	default:
		d.wrong(n, key, "one of auto, exit, tap, or junit:PATH with the path of a report inside the workspace")
	}
}

func (d document) timeout(into *time.Duration, n *yaml.Node, key string) {
	t, err := time.ParseDuration(n.Value)
	if err != nil || t < minTimeout || t > maxTimeout {
		d.wrong(n, key, "a duration from 1s to 2h, such as 2m")
		return
	}
	*into = t
}

func (d document) variables(n *yaml.Node, key string) []string {
	list, ok := d.texts(n, key, maxVariables, maxArgBytes)
	if !ok {
		return nil
	}
	for i, item := range list {
		if name, _, _ := cutAssignment(item); !variableName().MatchString(name) {
			d.wrong(n.Content[i], fmt.Sprintf("%s[%d]", key, i), "NAME, which passes a variable on, or NAME=value, which sets one")
			return nil
		}
	}
	return list
}

// cutAssignment splits NAME=value; sets is false for a NAME alone.
func cutAssignment(entry string) (name, value string, sets bool) { return strings.Cut(entry, "=") }

// lazyPattern compiles on first use: reading no configuration costs no compilation.
func lazyPattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
