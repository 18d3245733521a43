package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxTailBytes bounds what an append may cut away, and what a replay reads behind its offset: several times the longest
// ledger line that is read (4 MiB).
const maxTailBytes = 16 << 20

// splice says how an append that may have been carried out before, in part or in full, is finished: the file becomes
// its first keep bytes and tail.
//
// Behind the offset a replay may find only what the interrupted append can have left: its own bytes, bytes that it was
// to cut away, and zeros for blocks that a power loss took. Other whole lines are of another program: ErrNeedsFsck. A
// file that ends before the offset lost bytes that nobody promised; a line of zeros stands for them, which is no record.
func (e *entry) splice(h io.ReaderAt, size int64) (keep int64, tail []byte, err error) {
	if size < e.off {
		return e.fill(size)
	}
	behind := size - e.off
	if behind > maxTailBytes+int64(len(e.data)) {
		return 0, nil, fmt.Errorf("%w: %d bytes behind offset %d", ErrNeedsFsck, behind, e.off)
	}
	have := make([]byte, behind)
	if _, err := h.ReadAt(have, e.off); err != nil && !errors.Is(err, io.EOF) {
		return 0, nil, err
	}
	if len(e.old) == 0 && bytes.HasPrefix(have, e.data) {
		return size, nil, nil
	}
	if !e.explains(have) && bytes.IndexByte(have, '\n') >= 0 {
		return 0, nil, fmt.Errorf("%w: whole lines behind offset %d", ErrNeedsFsck, e.off)
	}
	return e.off, e.data, nil
}

// fill bridges a gap with zeros and a line end, so that data starts on a line of its own at the recorded offset.
func (e *entry) fill(size int64) (int64, []byte, error) {
	gap := e.off - size
	if gap > maxTailBytes {
		return 0, nil, fmt.Errorf("%w: %d bytes are missing before offset %d", ErrNeedsFsck, gap, e.off)
	}
	tail := make([]byte, gap, gap+int64(len(e.data)))
	tail[gap-1] = '\n'
	return size, append(tail, e.data...), nil
}

// explains reports whether the interrupted append can have left these bytes behind its offset.
func (e *entry) explains(have []byte) bool {
	for i, b := range have {
		own := i < len(e.data) && b == e.data[i]
		cut := i < len(e.old) && b == e.old[i]
		if b != 0 && !own && !cut {
			return false
		}
	}
	return true
}
