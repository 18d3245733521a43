package gitrepo

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// digestMagic begins what is hashed. The method is described for third parties in docs/formats/digest.md.
const digestMagic = "worktree.1\n"

// entry is one path of a digest.
type entry struct {
	path     string
	kind     byte // 0 means that there is nothing at the path
	sum      [sha256.Size]byte
	children []entry  // of a repository or directory
	stat     fileStat // what was there, which is no part of the digest
}

// digestOf is the digest `worktree.1` of entries that are sorted by the bytes of their paths and unique. It is the SHA-256
// of "worktree.1\n" followed, for each entry, by
//
//	1 byte    kind: f file, x file with any executable bit, l symbolic link, r submodule or nested repository,
//	          d directory of a submodule without a repository in it, p named pipe, s socket, c and b devices, ? other
//	8 bytes   length of the path, big-endian
//	n bytes   path, relative to the top level, slash-separated, as the system stores it
//	32 bytes  f and x: SHA-256 of the raw content; l: SHA-256 of the target as stored; r and d: the digest worktree.1
//	          of that directory; others: zeros
//
// The length in front of the path and the fixed size of the rest make the encoding unambiguous for every path.
func digestOf(entries []entry) [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(digestMagic))
	var head [9]byte
	for i := range entries {
		e := &entries[i]
		head[0] = e.kind
		binary.BigEndian.PutUint64(head[1:], uint64(len(e.path)))
		h.Write(head[:])
		h.Write([]byte(e.path))
		h.Write(e.sum[:])
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum
}

func digestText(sum [sha256.Size]byte) string { return "sha256:" + hex.EncodeToString(sum[:]) }

// changedEntries appends to paths what differs between two sorted lists, looking into directories that both have.
func changedEntries(paths []string, prefix string, a, b []entry) []string {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].path < b[0].path:
			paths = append(paths, prefix+a[0].path)
			a = a[1:]
		case len(a) == 0 || b[0].path < a[0].path:
			paths = append(paths, prefix+b[0].path)
			b = b[1:]
		default:
			paths = changedEntry(paths, prefix, a[0], b[0])
			a, b = a[1:], b[1:]
		}
	}
	return paths
}

// touchedEntries appends to paths what is equal in two sorted lists and has another stat.
func touchedEntries(paths []string, prefix string, a, b []entry) []string {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].path < b[0].path:
			a = a[1:]
		case b[0].path < a[0].path:
			b = b[1:]
		default:
			if a[0].kind == b[0].kind && (a[0].kind == kindRepo || a[0].kind == kindDir) {
				paths = touchedEntries(paths, prefix+a[0].path+"/", a[0].children, b[0].children)
			} else if a[0].kind == b[0].kind && a[0].sum == b[0].sum && a[0].stat != b[0].stat {
				paths = append(paths, prefix+a[0].path)
			}
			a, b = a[1:], b[1:]
		}
	}
	return paths
}

func changedEntry(paths []string, prefix string, a, b entry) []string {
	if a.kind == b.kind && a.sum == b.sum {
		return paths
	}
	within := prefix + a.path + "/"
	if a.kind == b.kind && (a.kind == kindRepo || a.kind == kindDir) {
		return changedEntries(paths, within, a.children, b.children)
	}
	return append(paths, prefix+a.path)
}
