package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"time"
)

// Modes of an index entry.
const (
	linkMode    = "120000"
	execMode    = "100755"
	gitlinkMode = "160000"
)

// racyTime is how much older than the index a file must be for the stat in the index to be believed: within one tick of the
// file system's clock (4 ms on Linux, 100 ns to 16 ms elsewhere) an edit leaves the times as they were.
const racyTime = 100 * time.Millisecond

// verdict is what came of comparing a file with the index.
type verdict byte

const (
	same verdict = iota
	differs
	lineEndsDiffer // and nothing else: git may have converted them
)

// compare compares a looked-up file with its index entry. What cannot be read counts as different.
func (c *changes) compare(ctx context.Context, n *node, buf []byte) verdict {
	if c.otherKind(n) {
		return differs
	}
	if n.found == absent || n.stat.kind == kindLink || c.sameStat(n) {
		return same
	}
	return c.compareContent(ctx, n, buf)
}

// otherKind reports whether a node differs in anything but the content of a regular file.
func (c *changes) otherKind(n *node) bool {
	switch {
	case n.unmerged || n.intent:
		return true
	case n.found == absent:
		return !n.skip
	case n.found != found:
		return true
	case n.stat.kind == kindLink:
		return n.mode != linkMode || !c.sameLink(n)
	case !n.stat.regular():
		return true
	case n.mode == linkMode:
		return !weakStat
	}
	return c.repo.fileMode && !weakStat && n.stat.ownerExec != (n.mode == execMode)
}

func (c *changes) sameLink(n *node) bool {
	target, err := os.Readlink(nativePath(c.repo.Root, n.path))
	return err == nil && blobID(n.id, []byte(target)) == n.id
}

// sameStat reports whether the index remembers exactly this file, from long enough before the index was written.
func (c *changes) sameStat(n *node) bool {
	s, rec := n.stat, n.recorded
	if s.mtime > c.indexTime-int64(racyTime) || rec.mtimeSec == 0 {
		return false
	}
	if uint32(s.size) != rec.size || !sameTime(s.mtime, rec.mtimeSec, rec.mtimeNsec) {
		return false
	}
	return weakStat || s.whole && uint32(s.ino) == rec.ino && sameTime(s.ctime, rec.ctimeSec, rec.ctimeNsec)
}

func sameTime(ns int64, sec, nsec uint32) bool {
	return uint32(ns/int64(time.Second)) == sec && uint32(ns%int64(time.Second)) == nsec
}

// compareContent compares a regular file by content: the raw bytes, or the Git LFS pointer that stands for them.
func (c *changes) compareContent(ctx context.Context, n *node, buf []byte) verdict {
	blob, content := blobHash(n.id, n.stat.size), sha256.New()
	text := buffer{limit: maxTextBytes}
	if err := readStable(ctx, nativePath(c.repo.Root, n.path), n.stat, buf, io.MultiWriter(blob, content, &text)); err != nil {
		return differs
	}
	switch {
	case hex.EncodeToString(blob.Sum(nil)) == n.id,
		blobID(n.id, lfsPointer(content.Sum(nil), n.stat.size)) == n.id:
		return same
	case !text.over && sameButLineEnds(n, text.data):
		return lineEndsDiffer
	}
	return differs
}

// lfsPointer is the text that Git LFS commits in place of content.
func lfsPointer(sum []byte, size int64) []byte {
	return fmt.Appendf(nil, "version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sum, size)
}
