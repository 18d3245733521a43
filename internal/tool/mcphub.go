package tool

import (
	"bytes"
	"context"
)

// Gateway is what mcphub says of one server that it may pass calls on to. A pointer is nil where it did not say.
type Gateway struct {
	Server     string   `json:"server"`
	Registered bool     `json:"registered"`
	Enabled    bool     `json:"enabled"`
	OnPath     bool     `json:"on_path"`
	Remote     bool     `json:"remote"`
	Handshake  *bool    `json:"handshake_ok"`
	Tools      *int     `json:"tool_count"`
	ProbeError string   `json:"probe_error"`
	Agents     []string `json:"agents"`
	Proxied    int      `json:"proxied_calls"`
	Unused     bool     `json:"unused"`
	Detail     string   `json:"detail,omitempty"`
}

// McphubDoctor asks whether a server is registered with mcphub. With probe it starts the server and shakes hands with it.
// Both forms of its answer are read: one object about the server, and the list of all its checks, whose status is 1 when
// any of them failed, also one of another server. A version that cannot be asked about one server is asked about all.
func (r Runner) McphubDoctor(ctx context.Context, server string, probe bool) (Gateway, Answer) {
	args := []string{"doctor", "--server", server, "--json"}
	if probe {
		args = append(args, "--probe")
	}
	a := r.run(ctx, call{tool: Mcphub, operation: "doctor", args: args, repeat: true})
	if a.Class == Failed && a.refusesFlag("server") {
		a = a.followedBy(r.run(ctx, call{tool: Mcphub, operation: "doctor", args: []string{"doctor", "--json"}, repeat: true}))
	}
	return parseGateway(&a, server), a
}

func parseGateway(a *Answer, server string) Gateway {
	none := Gateway{Server: server}
	if text := bytes.TrimSpace(a.Stdout); len(text) > 0 && text[0] == '[' {
		return parseChecks(a, server)
	}
	var said Gateway
	if !a.decode(&said, "server", "registered", "enabled") {
		return none
	}
	if !a.same("server", said.Server, server) {
		return none
	}
	if said.Proxied < 0 || said.Tools != nil && *said.Tools < 0 {
		a.partly("its counts are below zero")
		return none
	}
	said.ProbeError, said.Detail = clip(said.ProbeError, 300), clip(said.Detail, 300)
	said.Agents = said.Agents[:min(len(said.Agents), 32)]
	return said
}

// parseChecks finds the server in the list of all checks.
func parseChecks(a *Answer, server string) Gateway {
	out := Gateway{Server: server}
	if a.Class == Failed && a.Exit == 1 {
		a.Class, a.Cause = Authoritative, "" // some check failed; which one is in the list
	}
	checks, ok := listOf[struct {
		Name   string `json:"name"`
		OK     *bool  `json:"ok"`
		Detail string `json:"detail"`
	}](a)
	if !ok {
		return out
	}
	if len(checks) == 0 {
		a.partly("its answer is not the list of checks that it documents")
		return out
	}
	for _, c := range checks {
		if c.Name == "" || c.OK == nil {
			a.partly("its answer is not the list of checks that it documents")
			return out
		}
		if c.Name == "server:"+server {
			out.Registered, out.Enabled, out.OnPath, out.Detail = true, true, *c.OK, clip(c.Detail, 300)
		}
	}
	return out
}
