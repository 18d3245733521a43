package config

import (
	"path/filepath"
	"strings"
)

// applyEnvironment lets the environment win over the files.
func applyEnvironment(c *Config, env Env, home string, faults *faults) {
	e := environment{env, home, faults}
	for _, b := range bounds(&c.Budget) {
		if v := env(b.env); v != "" {
			if expected := b.set(v); expected != "" {
				e.wrong(b.env, v, expected)
			}
		}
	}
	for literal := range strings.SplitSeq(env("CORTEX_REDACT_LITERALS"), ",") {
		if literal = strings.TrimSpace(literal); literal != "" {
			c.RedactLiterals = append(c.RedactLiterals, literal)
		}
	}
	if v := env("CORTEX_CASES_DIR"); v != "" {
		dir, expected := resolveCasesDir(v, c.Workspace, home, false)
		if expected != "" {
			e.wrong("CORTEX_CASES_DIR", v, expected)
		} else {
			c.CasesDir = dir
		}
	}
	e.recall(&c.Recall)
	c.ApproveCommands = truthy(env("CORTEX_APPROVE_COMMANDS"))
	c.ApproveExternal = truthy(env("CORTEX_APPROVE_EXTERNAL"))
}

type environment struct {
	env    Env
	home   string
	faults *faults
}

func (e environment) wrong(name, value, expected string) {
	e.faults.add(fault{file: "the environment", key: name, received: value, expected: expected})
}

func (e environment) recall(r *Recall) {
	switch v := e.env("CORTEX_RECALL_ENABLED"); {
	case truthy(v):
		r.Enabled = true
	case falsy(v):
		r.Enabled = false
	case v != "":
		e.wrong("CORTEX_RECALL_ENABLED", v, "true or false")
	}
	if v := expandHome(e.env("CORTEX_RECALL_DB"), e.home); filepath.IsAbs(v) {
		r.DBPath = filepath.Clean(v)
	} else if v != "" {
		e.wrong("CORTEX_RECALL_DB", v, "an absolute path")
	}
	if v := e.env("CORTEX_RECALL_EMBED_MODEL"); v != "" {
		r.EmbedModel = v
	}
	if v := e.env("CORTEX_RECALL_EMBED_URL"); v != "" {
		if expected := checkEmbedURL(v, r.RemoteApproved); expected != "" {
			e.wrong("CORTEX_RECALL_EMBED_URL", "", expected) // the address may hold credentials
		} else {
			r.EmbedURL = v
		}
	}
}

// truthy reports whether a switch is on: 1, true, yes or on, in any case.
func truthy(v string) bool { return oneOf(v, "1", "true", "yes", "on") }

func falsy(v string) bool { return oneOf(v, "0", "false", "no", "off") }

func oneOf(v string, words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(strings.TrimSpace(v), w) {
			return true
		}
	}
	return false
}
