package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

const maxFileBytes = 1 << 20 // a configuration is some dozens of lines

// file is one possible configuration file.
type file struct {
	root  string // directory it is read below: no link out of it is followed
	name  string // path below root, with slashes
	local bool   // it belongs to the workspace and is not trusted with paths, network or execution
}

// files returns the configuration files in order of precedence, lowest first.
func files(configDir, workspace string) []file {
	list := []file{
		{workspace, ".config/cortex.yaml", true}, {workspace, "cortex.yml", true}, {workspace, "cortex.yaml", true},
	}
	if configDir == "" {
		return list
	}
	return append([]file{{configDir, "config.yaml", false}}, list...)
}

func (f file) path() string { return filepath.Join(f.root, filepath.FromSlash(f.name)) }

// load reads the file into c. A missing file is none.
func (f file) load(c *Config, home string, faults *faults) {
	data, err := f.read()
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		faults.add(fault{file: f.path(), received: plain(err), expected: "a readable regular file of at most 1 MiB", cause: err})
		return
	}
	c.Sources = append(c.Sources, f.path())
	d := document{file: f, home: home, faults: faults}
	root, err := parse(data)
	if err != nil {
		d.syntax(err)
		return
	}
	if root != nil {
		d.config(c, root)
	}
}

// read returns the bytes of a regular file. A user may link the global file elsewhere; a file of the workspace is read
// inside it only, so that a foreign repository cannot have other files shown in messages.
func (f file) read() ([]byte, error) {
	if !f.local {
		return readRegular(os.Stat, func(p string) (*os.File, error) { return os.Open(p) }, f.path())
	}
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readRegular(root.Stat, root.Open, filepath.FromSlash(f.name))
}

func readRegular(stat func(string) (fs.FileInfo, error), open func(string) (*os.File, error), name string) ([]byte, error) {
	info, err := stat(name) // before opening: a named pipe would block
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("it has %d bytes", info.Size())
	}
	opened, err := open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(io.LimitReader(opened, maxFileBytes))
}

// plain returns an error's text without the path, which the message names already.
func plain(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

// parse returns the root of the single YAML document in data, nil when there is none.
func parse(data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := loader.Load(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var second yaml.Node
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, &yaml.LoadError{Message: "a second document begins here", Mark: yaml.Mark{Line: second.Line, Column: 1}}
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 {
		return doc.Content[0], nil
	}
	return nil, nil
}

// document reads the nodes of one file and notes what is wrong.
type document struct {
	file   file
	home   string
	faults *faults
}

func (d document) syntax(err error) {
	one := fault{file: d.file.path(), received: "it is not valid YAML (" + err.Error() + ")", cause: err}
	var load *yaml.LoadError
	if errors.As(err, &load) {
		one.line = load.Mark.Line
		one.received = "it is not valid YAML (" + load.Message + ")"
	}
	d.faults.add(one)
}

func (d document) wrong(n *yaml.Node, key, expected string) {
	d.faults.add(fault{file: d.file.path(), line: n.Line, key: key, received: n.Value, expected: expected})
}

// mapping calls the reader of each key in n. Unknown and repeated keys are faults; a missing value is an empty mapping.
func (d document) mapping(n *yaml.Node, key string, read func(name *yaml.Node, key string, value *yaml.Node)) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, key, "a mapping of keys to values")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		full := strings.TrimPrefix(key+"."+name.Value, ".")
		switch {
		case name.Kind != yaml.ScalarNode || name.Tag == "!!merge":
			d.wrong(name, full, "a plain key; aliases and merges are not supported")
		case seen[name.Value]:
			d.wrong(name, full, "each key once")
		default:
			seen[name.Value] = true
			read(name, full, value)
		}
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// fields reads a mapping with a fixed set of keys.
func (d document) fields(n *yaml.Node, key string, known map[string]func(n *yaml.Node, key string)) {
	d.mapping(n, key, func(name *yaml.Node, key string, value *yaml.Node) {
		if read, ok := known[name.Value]; ok {
			read(value, key)
			return
		}
		names := make([]string, 0, len(known))
		for k := range known {
			names = append(names, k)
		}
		slices.Sort(names)
		d.faults.add(fault{
			file: d.file.path(), line: name.Line, key: key, received: name.Value, wrong: "is no key here",
			expected: "one of " + strings.Join(names, ", "),
		})
	})
}

// text reads a scalar of at most limit bytes.
func (d document) text(n *yaml.Node, key string, limit int) (string, bool) {
	if n.Kind != yaml.ScalarNode || isNull(n) || n.Value == "" || len(n.Value) > limit || strings.ContainsRune(n.Value, 0) {
		d.wrong(n, key, fmt.Sprintf("a text of 1 to %d bytes", limit))
		return "", false
	}
	return n.Value, true
}

// texts reads a list of scalars; a missing value is an empty list.
func (d document) texts(n *yaml.Node, key string, most, limit int) ([]string, bool) {
	if isNull(n) {
		return nil, true
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) > most {
		d.wrong(n, key, fmt.Sprintf("a list of at most %d texts", most))
		return nil, false
	}
	var out []string
	for i, item := range n.Content {
		text, ok := d.text(item, fmt.Sprintf("%s[%d]", key, i), limit)
		if !ok {
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}
