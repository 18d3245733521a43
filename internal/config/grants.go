package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cortex/internal/problem"
)

// GrantsFile is the name of the file of grants in the configuration directory. It lies outside every repository, so that
// no repository can grant execution to itself.
const GrantsFile = "command-grants.json"

// Grant is a person's permission to run one verifier's command line in one workspace.
type Grant struct {
	Workspace  string    `json:"workspace"`
	Name       string    `json:"name"`
	Argv       []string  `json:"argv"`
	ArgvDigest string    `json:"argvDigest"` // ArgvDigest(Argv)
	GrantedAt  time.Time `json:"grantedAt"`
}

// ArgvDigest returns sha256:HEX over each argument followed by one NUL, the form of the published grants.
func ArgvDigest(argv []string) string {
	h := sha256.New()
	for _, arg := range argv {
		h.Write([]byte(arg))
		h.Write([]byte{0})
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// LoadGrants reads the grants in a configuration directory; a missing file means none. The error is a *problem.Problem of
// code invalid_config, and then nothing is granted.
func LoadGrants(dir string) ([]Grant, error) {
	path := filepath.Join(dir, GrantsFile)
	data, err := readRegular(os.Stat, func(p string) (*os.File, error) { return os.Open(p) }, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, grantsProblem(path, plain(err), err)
	}
	var grants []Grant
	if err := json.Unmarshal(data, &grants); err != nil {
		return nil, grantsProblem(path, "it is not a JSON array of grants", err)
	}
	return grants, nil
}

func grantsProblem(path, what string, cause error) error {
	return problem.New(problem.InvalidConfig, "%s cannot be used: %s. Repair it, or move it away and grant again.", path, what).
		Because(cause).With(problem.Step{Op: "setup", Args: map[string]any{"trustCommands": true}, Why: "grants the configured commands anew, after the file was moved away"})
}

// Granted reports whether exactly this command line (Verifier.TrustArgv) was granted to a verifier of the workspace, which
// is its canonical path.
func Granted(grants []Grant, workspace, name string, argv []string) bool {
	digest := ArgvDigest(argv)
	for _, g := range grants {
		if g.Workspace == workspace && g.Name == name && g.ArgvDigest == digest {
			return true
		}
	}
	return false
}
