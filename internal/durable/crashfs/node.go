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
	// lost are the blocks, by offset, whose sync failed: processes still read them, no later sync writes them, and only
	// a new write to the block does.
	lost map[int64]bool
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

// settle makes what is seen the durable state, but for the lost blocks.
func (n *node) settle(block int64) {
	before := n.safe
	n.safe, n.safeNames = slices.Clone(n.data), maps.Clone(n.names)
	for off := range n.lost {
		for i := off; i < min(off+block, int64(len(n.safe))); i++ {
			n.safe[i] = 0
			if i < int64(len(before)) {
				n.safe[i] = before[i]
			}
		}
	}
	var kept []change
	for _, c := range n.pending {
		if left := int64(len(n.data)) - c.off; c.kind == changeWrite && n.lost[c.off-c.off%block] && left > 0 {
			c.bytes = c.bytes[:min(left, int64(len(c.bytes)))] // the durable length stays
			kept = append(kept, c)
		}
	}
	n.pending = kept
}

// lose is a failed sync: the kernel takes the blocks for written and forgets them.
func (n *node) lose(block int64) {
	for _, c := range n.pending {
		if c.kind == changeWrite {
			if n.lost == nil {
				n.lost = map[int64]bool{}
			}
			n.lost[c.off-c.off%block] = true
		}
	}
}

// cloner copies nodes, each once: as they are, or as a power loss leaves them.
type cloner struct {
	live     bool
	block    int64
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
		out.data, out.names, out.lost = slices.Clone(n.data), c.cloneNames(n.names), maps.Clone(n.lost)
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
		out.settle(c.block)
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
