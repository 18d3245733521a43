package hostops

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cortex/internal/casestore"
	"cortex/internal/config"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/tool"
)

var doctor = op.Define(op.Spec{
	Name: "doctor", Title: "Say what works here", Effect: op.Reads, Idempotent: true, OpenWorld: true,
	Help: `Says where cases are kept and how many there are, which specialist tools answer, and whether Cortex is registered
with mcphub. It asks only tools that are on PATH, each for 5 seconds at most, and changes nothing. With --probe mcphub
also starts the registered server and shakes hands with it, for which it gets a minute.`,
	Example: "cortex doctor\ncortex doctor --json",
}, (*Service).Doctor)

// staleAfter is how long an active case may be left alone before doctor calls it stale.
const staleAfter = 24 * time.Hour

// gatewayTime is how long mcphub may take to tell of Cortex without starting it.
const gatewayTime = 5 * time.Second

// DoctorInput says how the gateway is looked at.
type DoctorInput struct {
	GatewayServer string `json:"gatewayServer,omitempty" op:"default=cortex" jsonschema:"the name under which mcphub knows Cortex"`
	Probe         bool   `json:"probe,omitempty" jsonschema:"have mcphub start the server and shake hands with it"`
}

// DoctorReport is what works here.
type DoctorReport struct {
	Workspace string       `json:"workspace"`
	CasesDir  string       `json:"casesDir"`
	Sessions  SessionsLine `json:"sessions"`
	Tools     []tool.State `json:"tools"`
	Gateway   GatewayLine  `json:"gateway"`
	Warnings  []string     `json:"warnings,omitempty"`
}

// SessionsLine counts the cases of all stores.
type SessionsLine struct {
	Total  int    `json:"total"`
	Active int    `json:"active"`
	Stale  int    `json:"stale"` // active, and not touched for a day
	Repos  int    `json:"repos"` // stores that hold a case
	Root   string `json:"root"`
}

// GatewayLine is what mcphub says of Cortex; its names are those of mcphub.
type GatewayLine struct {
	tool.Gateway
	Supported bool `json:"supported"` // mcphub is there and answered
}

// Warn adds warnings from outside the verb.
func (r *DoctorReport) Warn(warnings ...string) { r.Warnings = append(r.Warnings, warnings...) }

// Doctor looks at stores and tools. What cannot be read is a warning.
func (s *Service) Doctor(ctx context.Context, in DoctorInput) (DoctorReport, error) {
	if strings.HasPrefix(in.GatewayServer, "-") {
		return DoctorReport{}, problem.New(problem.InvalidInput, "%q is not the name of a server.", in.GatewayServer).
			On("gatewayServer", in.GatewayServer, "a name").Without("give the name that mcphub list shows")
	}
	out := DoctorReport{Workspace: s.Workspace, CasesDir: s.CasesDir}
	out.Sessions = s.sessions(ctx, &out)
	grants, err := config.LoadGrants(s.Config.ConfigDir)
	if err != nil {
		out.Warn(err.Error())
	}
	approved := 0
	for _, v := range s.Config.Verifiers {
		if s.Config.ApproveCommands || config.Granted(grants, s.Workspace, v.Name, v.TrustArgv()) {
			approved++
		}
	}
	r := s.runner()
	op.Progress(ctx, "asking the tools that are installed")
	built := r.Built(len(s.Config.Verifiers), approved)
	if s.Broken != nil { // then nobody knows which checks there are
		i := slices.IndexFunc(built, func(state tool.State) bool { return state.Tool == "command" })
		built[i].Available, built[i].Detail, built[i].Fix = false, "the configuration cannot be used", ""
	}
	out.Tools = r.States(ctx, s.Config.Budget.MaxParallelCalls, built...)
	out.Gateway = gateway(ctx, r, in, out.Tools)
	return out, ctx.Err()
}

// sessions counts cases; a store that cannot be read is a warning and counts nothing.
func (s *Service) sessions(ctx context.Context, out *DoctorReport) SessionsLine {
	line := SessionsLine{Root: filepath.Join(s.Config.StateDir, "sessions")}
	known, err := casestore.KnownStores(ctx, s.Config.StateDir)
	if err != nil {
		out.Warn(err.Error())
	}
	now := s.IDs.Now()
	for _, dir := range casestore.StoreDirs(line.Root, known) {
		listed, err := casestore.Open(dir, casestore.Options{IDs: s.IDs}).List(ctx)
		if err != nil {
			out.Warn(fmt.Sprintf("the cases in %s cannot be counted: %v", dir, err))
			continue
		}
		if len(listed) > 0 {
			line.Repos++
		}
		line.Total += len(listed)
		for _, l := range listed {
			if l.Err == nil && l.Case.Status.Active() {
				line.Active++
				if now.Sub(l.Case.UpdatedAt) > staleAfter {
					line.Stale++
				}
			}
		}
	}
	return line
}

// gateway asks mcphub, unless that has just said nothing of itself.
func gateway(ctx context.Context, r tool.Runner, in DoctorInput, states []tool.State) GatewayLine {
	for _, state := range states {
		if state.Tool == tool.Mcphub && !state.Available {
			return GatewayLine{Gateway: tool.Gateway{Server: in.GatewayServer, Detail: state.Detail}}
		}
	}
	if !in.Probe {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, gatewayTime)
		defer cancel()
	}
	g, a := r.McphubDoctor(ctx, in.GatewayServer, in.Probe)
	line := GatewayLine{Gateway: g, Supported: a.Class == tool.Authoritative}
	line.Server = in.GatewayServer
	if a.Cause != "" {
		line.Detail = a.Cause
	}
	return line
}

// Text is the report for people.
func (r DoctorReport) Text(style op.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "workspace  %s\ncases      %s\n", r.Workspace, r.CasesDir)
	fmt.Fprintf(&b, "sessions   %d, %d active, %d of them stale, in %d repositories\n", r.Sessions.Total, r.Sessions.Active, r.Sessions.Stale, r.Sessions.Repos)
	b.WriteString(toolsText(style, r.Tools))
	if slices.ContainsFunc(r.Tools, func(state tool.State) bool { return state.Tool == tool.Mcphub && state.Installed }) {
		b.WriteString(r.Gateway.text(style))
	}
	b.WriteString(op.Envelope{Warnings: r.Warnings}.Footer(style))
	return b.String()
}

func (g GatewayLine) text(style op.Style) string {
	word := style.Warn("--")
	if g.Registered && g.Enabled && g.OnPath {
		word = style.Good("ok")
	}
	text := fmt.Sprintf("%s gateway  registered %t, enabled %t", word, g.Registered, g.Enabled)
	if g.Detail != "" {
		text += "  " + g.Detail
	}
	return text + "\n"
}
