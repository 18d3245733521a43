package gitrepo

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Kinds of worktree entries, as they are written into a digest.
const (
	kindFile    = 'f'
	kindExec    = 'x' // a regular file with any executable bit
	kindLink    = 'l'
	kindRepo    = 'r' // a submodule or a nested repository
	kindDir     = 'd' // the directory of a submodule without a repository in it
	kindPipe    = 'p'
	kindSocket  = 's'
	kindChar    = 'c'
	kindBlock   = 'b'
	kindUnknown = '?'
)

// fileStat is what lstat says of a path. Times are in nanoseconds of the Unix epoch.
type fileStat struct {
	kind         byte // kindDir for every directory
	ownerExec    bool
	dev, ino     uint64
	size         int64
	mtime, ctime int64
	whole        bool // dev, ino and ctime are known, so that an edit cannot leave the stat as it was
}

func statOf(info fs.FileInfo) fileStat {
	mode := info.Mode()
	s := fileStat{kind: kindOf(mode), ownerExec: mode&0o100 != 0, size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.fromSystem(info)
	return s
}

// Stamp identifies one state of a file without its bytes: of two that are equal it was not written, replaced or renamed in
// between, as far as the system tells.
func Stamp(info fs.FileInfo) string { return fmt.Sprint(statOf(info)) }

func kindOf(mode fs.FileMode) byte {
	switch {
	case mode.IsRegular() && mode&0o111 != 0:
		return kindExec
	case mode.IsRegular():
		return kindFile
	case mode&fs.ModeSymlink != 0:
		return kindLink
	case mode.IsDir():
		return kindDir
	case mode&fs.ModeNamedPipe != 0:
		return kindPipe
	case mode&fs.ModeSocket != 0:
		return kindSocket
	case mode&fs.ModeCharDevice != 0:
		return kindChar
	case mode&fs.ModeDevice != 0:
		return kindBlock
	}
	return kindUnknown
}

func (s fileStat) regular() bool { return s.kind == kindFile || s.kind == kindExec }

// lookup says what came of looking for a path.
type lookup byte

const (
	notLooked lookup = iota
	found
	absent
	unreadable
)

// finder looks up paths below one root without following links. It is used by one goroutine.
type finder struct {
	root string
	dirs map[string]bool // real directories, and what is none
}

func newFinder(root string) *finder { return &finder{root: root, dirs: map[string]bool{"": true}} }

// look fills in what is at the node's path. What lies behind a linked directory is absent, as it is to git.
func (f *finder) look(n *node) {
	dir, _ := splitPath(n.path)
	if !f.realDir(dir) {
		n.found = absent
		return
	}
	info, err := os.Lstat(nativePath(f.root, n.path))
	switch {
	case err == nil:
		n.found, n.stat = found, statOf(info)
	case isAbsent(err):
		n.found = absent
	default:
		n.found = unreadable
	}
}

func (f *finder) realDir(dir string) bool {
	if real, known := f.dirs[dir]; known {
		return real
	}
	parent, _ := splitPath(dir)
	real := f.realDir(parent)
	if real {
		info, err := os.Lstat(nativePath(f.root, dir))
		real = err == nil && info.IsDir() || err != nil && !isAbsent(err)
	}
	f.dirs[dir] = real
	return real
}

func splitPath(path string) (dir, base string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

func nativePath(root, path string) string {
	if filepath.Separator != '/' {
		path = filepath.FromSlash(path)
	}
	return root + string(filepath.Separator) + path
}

// lookAll looks up the nodes that want asks for.
func lookAll(root string, nodes []node, want func(*node) bool) {
	const chunk = 256
	parallel((len(nodes)+chunk-1)/chunk, func() func(int) {
		f := newFinder(root)
		return func(i int) {
			for j := i * chunk; j < min((i+1)*chunk, len(nodes)); j++ {
				if nodes[j].found == notLooked && want(&nodes[j]) {
					f.look(&nodes[j])
				}
			}
		}
	})
}

// parallel calls work for 0 to n-1 on all processors; each goroutine makes its own work function.
func parallel(n int, worker func() func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			work := worker()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	wg.Wait()
}
