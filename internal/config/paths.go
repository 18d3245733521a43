package config

import (
	"os"
	"path/filepath"
	"strings"
)

// Paths are the directories of Cortex: absolute, or empty when neither the environment nor a home directory says where.
type Paths struct{ ConfigDir, StateDir, CacheDir, DataDir string }

// ResolvePaths finds the directories. For each: its own variable (CORTEX_CONFIG_DIR, CORTEX_STATE_DIR,
// CORTEX_CACHE_DIR), then CORTEX_HOME or an existing ~/.cortex, then the XDG variable with "cortex" below it, then the XDG
// default below home. XDG_DATA_HOME alone precedes CORTEX_HOME, as in the published layout.
//
// A relative CORTEX_ path is made absolute against the working directory; a relative XDG path is ignored, as the XDG
// base directory specification asks, and so is a relative home, which would put the state into the worktree.
func ResolvePaths(env Env, home string) Paths {
	if !filepath.IsAbs(home) {
		home = ""
	}
	base := absolute(env("CORTEX_HOME"), home)
	if base == "" && home != "" && isDir(filepath.Join(home, ".cortex")) {
		base = filepath.Join(home, ".cortex")
	}
	p := Paths{
		ConfigDir: first(absolute(env("CORTEX_CONFIG_DIR"), home), base, xdg(env("XDG_CONFIG_HOME")), below(home, ".config")),
		StateDir:  first(absolute(env("CORTEX_STATE_DIR"), home), base, xdg(env("XDG_STATE_HOME")), below(home, ".local/state")),
		CacheDir:  absolute(env("CORTEX_CACHE_DIR"), home),
		DataDir:   xdg(env("XDG_DATA_HOME")),
	}
	if base != "" {
		p.CacheDir = first(p.CacheDir, filepath.Join(base, "cache"))
		p.DataDir = first(p.DataDir, filepath.Join(base, "data"))
	}
	p.CacheDir = first(p.CacheDir, xdg(env("XDG_CACHE_HOME")), below(home, ".cache"))
	p.DataDir = first(p.DataDir, below(home, ".local/share"))
	return p
}

// absolute expands a leading ~ and resolves a relative path against the working directory; empty stays empty.
func absolute(path, home string) string {
	if path == "" {
		return ""
	}
	abs, err := filepath.Abs(expandHome(path, home))
	if err != nil {
		return "" // no working directory: as if the variable were unset
	}
	return abs
}

// expandHome replaces a leading "~" or "~/".
func expandHome(path, home string) string {
	if home == "" || path != "~" && !strings.HasPrefix(path, "~/") && !strings.HasPrefix(path, `~\`) {
		return path
	}
	return filepath.Join(home, path[1:])
}

func xdg(value string) string {
	if !filepath.IsAbs(value) {
		return ""
	}
	return filepath.Join(value, "cortex")
}

func below(home, dir string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(dir), "cortex")
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
