package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// maxVaultNames bounds how many names of a vault are read.
const maxVaultNames = 1000

// VaultHealth is what tvault says of its vault. It ends with status 0 even where there is none.
type VaultHealth struct {
	Ready  bool   // there is a vault that can be asked
	Detail string // why not
}

// TvaultProjects lists the names of the projects of the vault. A vault that is locked or not there is Unavailable, and the
// cause says what a person has to do. Nothing but names is read, and nothing but names is left in the answer.
func (r Runner) TvaultProjects(ctx context.Context) ([]string, Answer) {
	a := r.run(ctx, call{tool: Tvault, operation: "projects", args: []string{"projects", "list", "--json", "--names-only"}, repeat: true})
	return parseVaultNames(&a), a
}

// parseVaultNames reads a list of names, or of objects that have one. Whatever else was printed is dropped.
func parseVaultNames(a *Answer) []string {
	defer func() {
		a.Stdout, a.Stderr = []byte("(only the names are read from a vault, and not kept)"), nil
	}()
	if a.locked() {
		return nil
	}
	if a.Exit > 0 && len(bytes.TrimSpace(a.Stderr)) == 0 {
		a.Cause = fmt.Sprintf("exit %d", a.Exit) // not a line of the output, which may be anything
	}
	entries, ok := listOf[json.RawMessage](a)
	if !ok {
		return nil
	}
	names := []string{}
	for _, raw := range entries[:min(len(entries), maxVaultNames)] {
		name, ok := nameIn(raw)
		if !ok {
			a.partly("its list holds something that is no name")
			continue
		}
		names = append(names, name)
	}
	if len(entries) > maxVaultNames {
		a.partly("it lists %d names, of which %d are read", len(entries), maxVaultNames)
	}
	return names
}

// locked says what a person has to do before the vault answers, from the status and the code of a refusal.
func (a *Answer) locked() bool {
	said, _ := a.refused()
	switch {
	case a.TimedOut || a.Class == Unavailable:
		return false
	case a.Exit == 3 || said.Code == "vault_locked":
		a.downgrade(Unavailable, "the vault is locked: unlock it for this session, then call again")
	case a.Exit == 5:
		a.downgrade(Unavailable, "there is no vault: tvault init makes one")
	case a.Exit == 6:
		a.downgrade(Unavailable, "the vault could not be opened: its passphrase was wrong; unlock it, then call again")
	default:
		return false
	}
	return true
}

func nameIn(raw json.RawMessage) (string, bool) {
	var name string
	if json.Unmarshal(raw, &name) != nil {
		var entry struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &entry) != nil {
			return "", false
		}
		name = entry.Name
	}
	return name, vaultName(name)
}

func vaultName(name string) bool {
	return name != "" && len(name) <= 256 && !strings.ContainsFunc(name, unicode.IsControl)
}

// parseVaultHealth reads what tvault says of itself.
func parseVaultHealth(a *Answer) VaultHealth {
	var said struct {
		Checks []struct {
			Name   string `json:"name"`
			Status string `json:"status"`
			Detail string `json:"detail"`
		} `json:"checks"`
	}
	if !a.decode(&said, "checks") {
		return VaultHealth{Detail: a.Cause}
	}
	h := VaultHealth{Ready: true}
	seen := false
	for _, c := range said.Checks {
		seen = seen || c.Name == "vault"
		switch c.Status {
		case "ok", "pass", "info":
		case "warn":
			if c.Name != "vault" {
				continue
			}
			h = VaultHealth{Detail: clip(c.Detail, 120)}
		case "fail", "error":
			return VaultHealth{Detail: clip(c.Name+": "+c.Detail, 120)}
		default:
			a.partly("its check %q has the status %q, which is not understood", clip(c.Name, 40), clip(c.Status, 40))
			return VaultHealth{Detail: a.Cause}
		}
	}
	if !seen {
		a.partly("it says nothing about a vault")
		return VaultHealth{Detail: a.Cause}
	}
	return h
}
