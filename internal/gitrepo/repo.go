package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"cortex/internal/proc"
)

// ErrNotRepository says that a directory lies in no git worktree.
var ErrNotRepository = errors.New("not a git repository")

// Options are what a Repo needs from its surroundings.
type Options struct {
	Environ  []string // environment of the process; HOME and PATH reach git, GIT_* does not
	CacheDir string   // directory of the stat caches, outside any repository; empty means no cache
}

// Repo is one git worktree. It is immutable and safe for concurrent use.
//
// CommonDir is the identity of the repository: it is the same for all its worktrees and for every way to spell its path.
type Repo struct {
	Root      string // canonical absolute path of the top level of the worktree
	CommonDir string // canonical absolute path of the directory that all worktrees share
	GitDir    string // canonical absolute path of what is particular to this worktree
	Name      string // readable name: that of the main worktree, or of the bare repository without ".git"

	environ   []string
	cacheDir  string
	fileMode  bool // the file system keeps executable bits: core.fileMode is not false
	exactCase bool // the file system tells names apart that differ only in case
	autoCRLF  bool // text files are checked out with CRLF without any attribute
}

// Open finds the worktree that dir lies in. It reads a few files and runs git only where the repository's configuration
// may move the worktree (a submodule, core.worktree, included files). A directory in no worktree is ErrNotRepository.
func Open(ctx context.Context, dir string, opt Options) (*Repo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	canonical, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	for at := canonical; ; at = filepath.Dir(at) {
		if gitDir, ok := gitDirOf(at); ok {
			return openAt(ctx, at, gitDir, opt)
		}
		if isGitDir(at) || filepath.Dir(at) == at {
			return nil, fmt.Errorf("%s: %w", dir, ErrNotRepository)
		}
	}
}

// openAt opens the worktree whose .git leads to gitDir.
func openAt(ctx context.Context, root, gitDir string, opt Options) (*Repo, error) {
	r := &Repo{Root: root, environ: outside(gitEnviron(opt.Environ), root), cacheDir: opt.CacheDir}
	var err error
	if r.GitDir, err = filepath.EvalSymlinks(gitDir); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if r.CommonDir, err = commonDirOf(r.GitDir); err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	config := readSmall(filepath.Join(r.CommonDir, "config")) + "\n" + readSmall(filepath.Join(r.GitDir, "config.worktree"))
	r.fileMode = !configFileMode.MatchString(config)
	r.autoCRLF = weakStat || configAutoCRLF.MatchString(config) // git for Windows is installed with core.autocrlf
	_, err = os.Lstat(filepath.Join(r.GitDir, "hEAD"))
	r.exactCase = errors.Is(err, fs.ErrNotExist)
	if configMoves.MatchString(config) {
		if r.Root, err = r.askTopLevel(ctx); err != nil {
			return nil, err
		}
	}
	r.Name = nameOf(r.CommonDir)
	return r, nil
}

// outside is environ in which git is none of the repository's own programs, unless there is no other: a home directory may
// be a repository, and hold the only git.
func outside(environ []string, root string) []string {
	without := proc.Outside(environ, root)
	if _, err := proc.Find("git", without); err != nil {
		return environ
	}
	return without
}

var (
	configFileMode = regexp.MustCompile(`(?i)\bfilemode\s*=\s*(false|no|off|0)\b`)
	configAutoCRLF = regexp.MustCompile(`(?i)\bautocrlf\s*=\s*(true|yes|on|1|input)\b`)
	// configMoves finds settings that may put the worktree elsewhere, or files that may hold such settings.
	configMoves = regexp.MustCompile(`(?i)\bworktree\s*=|\bbare\s*=\s*(true|yes|on|1)\b|\[\s*include`)
)

// askTopLevel lets git say where the worktree is.
func (r *Repo) askTopLevel(ctx context.Context) (string, error) {
	out, _, err := r.output(ctx, "rev-parse", "--show-toplevel")
	var failed *gitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("%s: %w: %w", r.Root, ErrNotRepository, err)
	}
	if err != nil {
		return "", fmt.Errorf("open repository: %w", err)
	}
	root, err := filepath.EvalSymlinks(filepath.FromSlash(strings.TrimSuffix(out, "\n")))
	if err != nil {
		return "", fmt.Errorf("open repository: %w", err)
	}
	return root, nil
}

// gitDirOf follows dir/.git, a directory or a file that names one.
func gitDirOf(dir string) (string, bool) {
	dotGit := filepath.Join(dir, ".git")
	if isGitDir(dotGit) {
		return dotGit, true
	}
	target, ok := strings.CutPrefix(readSmall(dotGit), "gitdir:")
	if !ok {
		return "", false
	}
	target = filepath.FromSlash(strings.TrimRight(strings.TrimLeft(target, " "), "\r\n"))
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return target, isGitDir(target)
}

// isGitDir reports whether dir has what git asks of its directory: a HEAD, and objects and refs of its own or shared ones.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	if _, err := os.Lstat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// commonDirOf reads where a linked worktree finds the shared part; any other repository is its own.
func commonDirOf(gitDir string) (string, error) {
	target := strings.TrimRight(readSmall(filepath.Join(gitDir, "commondir")), "\r\n")
	if target == "" {
		return gitDir, nil
	}
	target = filepath.FromSlash(target)
	if !filepath.IsAbs(target) {
		target = filepath.Join(gitDir, target)
	}
	return filepath.EvalSymlinks(target)
}

func nameOf(commonDir string) string {
	base := filepath.Base(commonDir)
	if base == ".git" {
		return filepath.Base(filepath.Dir(commonDir))
	}
	return strings.TrimSuffix(base, ".git")
}

// maxSmallFile bounds what is read of a file of git's own; a configuration is a few hundred bytes.
const maxSmallFile = 1 << 20

// readSmall returns the content of a regular file of at most maxSmallFile bytes, and nothing for any other.
func readSmall(path string) string { return string(readRegular(path, maxSmallFile)) }

// readRegular returns the content of a regular file of at most limit bytes, and nil for any other. It opens nothing that
// could block.
func readRegular(path string, limit int64) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}
