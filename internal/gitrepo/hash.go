package gitrepo

import (
	"context"
	"errors"
	"io"
	"os"
)

// errMoved says that a file is not, or did not stay, what it was when it was looked up.
var errMoved = errors.New("file changed while it was read")

const readBufferBytes = 128 << 10

// readStable writes the content of the regular file at path into sink, if the file is the one that want describes and stays
// so to the end; errMoved if not. It never follows a link, never waits for a pipe, and ends with the context.
func readStable(ctx context.Context, path string, want fileStat, buf []byte, sink io.Writer) error {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if info, lerr := os.Lstat(path); lerr != nil || statOf(info) != want {
			return errMoved
		}
		return err
	}
	defer f.Close()
	if !unchanged(f, want) {
		return errMoved
	}
	var done int64
	for done < want.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := f.Read(buf)
		sink.Write(buf[:n]) // a hash never fails
		done += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if done != want.size || !unchanged(f, want) {
		return errMoved
	}
	return nil
}

func unchanged(f *os.File, want fileStat) bool {
	info, err := f.Stat()
	return err == nil && statOf(info) == want && want.regular()
}
