package casestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"cortex/internal/problem"
)

// Identity is what makes a repository the same one, wherever it is looked at from. Paths are canonical: absolute,
// symbolic links resolved.
type Identity struct {
	Root      string // of the main worktree; the workspace itself when there is no repository
	CommonDir string // git's common directory, the same in every worktree; "" when there is no repository
	Name      string // readable name
	Workspace string // the directory the work is done in, inside Root or another worktree
}

// claimFile names the repository that a store below the central directory belongs to.
const claimFile = ".repository.json"

type claim struct {
	Root      string `json:"root"`
	CommonDir string `json:"commonDir"`
}

// maxClaims bounds how often Claim looks again when other repositories take the directory it had found.
const maxClaims = 4

// Slug returns the readable directory name of a repository: characters outside [A-Za-z0-9._-] become "-", "-" and "."
// go from both ends, and nothing left is "workspace".
func Slug(name string) string {
	slug := strings.Map(func(r rune) rune {
		if r == '.' || r < 0x80 && onlyIDCharacters(string(r)) {
			return r
		}
		return '-'
	}, name)
	if slug = strings.Trim(slug, "-."); slug == "" {
		return "workspace"
	}
	return slug
}

// Locate returns the directory of repo's cases below sessionsRoot, which may not exist yet. It reads only. The directory
// is the one that repo has claimed; else the one of its slug, when that is unclaimed and holds no case of another
// existing repository; else the slug with a hash of the identity. Slugs are compared without case, because some disks do.
func Locate(sessionsRoot string, repo Identity) (dir string, err error) {
	entries, err := entriesOf(sessionsRoot)
	if err != nil {
		return "", err
	}
	slug := Slug(repo.Name)
	own := slug + "-" + repo.hash()
	var sameName []string
	var unreadable error
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		path := filepath.Join(sessionsRoot, e.Name())
		switch held, err := readClaim(path); {
		case err != nil && (strings.EqualFold(e.Name(), slug) || strings.EqualFold(e.Name(), own)):
			unreadable = err // it may be this repository's
		case err != nil:
			// Another repository's, by its name: that is for those who work there to hear.
		case held != nil && held.of(repo):
			return path, nil
		case held == nil && strings.EqualFold(e.Name(), own):
			own = e.Name() // made by a process that stopped before its claim
		}
		if strings.EqualFold(e.Name(), slug) {
			sameName = append(sameName, path)
		}
	}
	if unreadable != nil {
		return "", unreadable
	}
	for _, path := range sameName {
		if held, err := readClaim(path); err == nil && held == nil && mayTake(path, repo) {
			return path, nil
		}
	}
	if len(sameName) > 0 {
		return filepath.Join(sessionsRoot, own), nil
	}
	return filepath.Join(sessionsRoot, slug), nil
}

// Claim is Locate for a writer: it creates the directory and notes in it that it belongs to repo, so that neither a
// worktree nor another repository of the name can go elsewhere or come in later.
func Claim(ctx context.Context, sessionsRoot string, repo Identity) (dir string, err error) {
	for range maxClaims {
		dir, err := Locate(sessionsRoot, repo)
		if err != nil {
			return "", err
		}
		held, err := readClaim(dir)
		if err != nil || held != nil && held.of(repo) {
			return dir, err
		}
		err = writeClaim(ctx, dir, repo)
		if err == nil || !errors.Is(err, errClaimed) {
			return dir, err
		}
	}
	return "", problem.New(problem.Busy, "The store of %s is being claimed by other repositories; try again.", repo.Name).
		Without("call again")
}

// errClaimed says that another repository was first.
var errClaimed = errors.New("claimed by another repository")

func decodeClaim(raw []byte, dir string) (*claim, error) {
	var c claim
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, problem.New(problem.CaseNeedsFsck, "%s cannot be read: %v.", filepath.Join(dir, claimFile), err).
			Without("restore that file, or remove it to let the repository claim the directory again").Because(err)
	}
	return &c, nil
}

func (c *claim) of(repo Identity) bool {
	if c.CommonDir != "" && repo.CommonDir != "" {
		return c.CommonDir == repo.CommonDir
	}
	return c.CommonDir == repo.CommonDir && c.Root == repo.Root
}

// hash tells repositories of one name apart: 8 hex digits over the common directory, or the root where there is none.
func (repo Identity) hash() string {
	whole := repo.CommonDir
	if whole == "" {
		whole = repo.Root
	}
	sum := sha256.Sum256([]byte(whole))
	return hex.EncodeToString(sum[:4])
}

// mayTake reports whether the unclaimed store in dir, left by the public program, can be repo's: it holds a case of
// repo, or none of another repository that still exists.
func mayTake(dir string, repo Identity) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	others := false
	for _, e := range entries {
		root := caseRoot(filepath.Join(dir, e.Name(), caseFile))
		switch {
		case root == "":
		case within(repo.Root, root) || repo.Workspace != "" && within(repo.Workspace, root):
			return true
		default:
			_, err := os.Stat(root)
			others = others || err == nil
		}
	}
	return !others
}

// caseRoot returns the canonical workspace root in a case.json, or "" when there is none to be had.
func caseRoot(file string) string {
	raw, err := readSmall(file)
	if err != nil {
		return ""
	}
	var c struct {
		Workspace struct {
			Root string `json:"root"`
		} `json:"workspace"`
	}
	if json.Unmarshal(raw, &c) != nil || !filepath.IsAbs(c.Workspace.Root) {
		return ""
	}
	if real, err := filepath.EvalSymlinks(c.Workspace.Root); err == nil {
		return real
	}
	return filepath.Clean(c.Workspace.Root)
}
