package crashfs

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is a file or a directory: as processes see it, as the disk has it for certain, and the changes between the two.
type node struct {
	isDir            bool
	data, safe       []byte
	names, safeNames map[string]*node
	pending          []change
}

func newDir() *node {
	return &node{isDir: true, names: map[string]*node{}, safeNames: map[string]*node{}}
}

// change is one thing that a sync has not covered.
type change struct {
	seq  int
	kind changeKind

	off   int64 // changeWrite, changeSize
	bytes []byte

	name  string // changeLink, changeUnlink
	from  string // changeLink: the name that a rename within the directory takes away
	child *node
}

type changeKind int

const (
	changeWrite changeKind = iota
	changeSize
	changeLink
	changeUnlink
)

func (n *node) apply(c change) {
	switch c.kind {
	case changeWrite:
		n.resize(max(int64(len(n.data)), c.off+int64(len(c.bytes))))
		copy(n.data[c.off:], c.bytes)
	case changeSize:
		n.resize(c.off)
	case changeLink:
		if c.from != "" {
			delete(n.names, c.from)
		}
		n.names[c.name] = c.child
	case changeUnlink:
		delete(n.names, c.name)
	}
}

func (n *node) resize(size int64) {
	if size <= int64(len(n.data)) {
		n.data = n.data[:size:size]
		return
	}
	n.data = append(n.data, make([]byte, size-int64(len(n.data)))...)
}

// settle makes what is seen the durable state.
func (n *node) settle() {
	n.pending = nil
	n.safe = slices.Clone(n.data)
	n.safeNames = maps.Clone(n.names)
}

// cloner copies nodes, each once: as they are, or as a power loss leaves them.
type cloner struct {
	live     bool
	survives map[int]bool
	clones   map[*node]*node
}

func (c *cloner) clone(n *node) *node {
	if n == nil {
		return nil
	}
	if have, ok := c.clones[n]; ok {
		return have
	}
	out := &node{isDir: n.isDir}
	c.clones[n] = out
	out.safe, out.safeNames = slices.Clone(n.safe), c.cloneNames(n.safeNames)
	if c.live {
		out.data, out.names = slices.Clone(n.data), c.cloneNames(n.names)
	} else {
		out.data, out.names = slices.Clone(n.safe), c.cloneNames(n.safeNames)
	}
	for _, p := range n.pending {
		if !c.live && !c.survives[p.seq] {
			continue
		}
		p.child = c.clone(p.child)
		if c.live {
			out.pending = append(out.pending, p)
		} else {
			out.apply(p)
		}
	}
	if !c.live {
		out.settle()
	}
	return out
}

func (c *cloner) cloneNames(names map[string]*node) map[string]*node {
	if names == nil {
		return nil
	}
	out := make(map[string]*node, len(names))
	for name, child := range names {
		out[name] = c.clone(child)
	}
	return out
}

func (n *node) image(b *strings.Builder, path string) {
	if !n.isDir {
		b.WriteString(path + " " + strconv.Itoa(len(n.data)) + "\n")
		b.Write(n.data)
		b.WriteByte('\n')
		return
	}
	b.WriteString(path + "/\n")
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		n.names[name].image(b, path+"/"+name)
	}
}
