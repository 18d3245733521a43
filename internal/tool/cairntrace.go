package tool

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// doctorTimeout bounds the look at the browsers, for which cairn starts programs of its own.
const doctorTimeout = 20 * time.Second

// Browsers is which browser backends cairn could use.
type Browsers struct {
	Backend string // the only one that is ready; "" when several are, or when it is not known
	Install string // what to do when none is ready
}

// Browsers asks cairn which of its backends have a browser. When none has, the answer is Blocked: cairn itself would call
// every flow failed. An answer that cannot be read leaves open whether one is ready.
func (r Runner) Browsers(ctx context.Context) (Browsers, Answer) {
	a := r.run(ctx, call{tool: Cairntrace, operation: "doctor", args: []string{"doctor", "--format", "json"}, timeout: doctorTimeout, repeat: true})
	return parseBrowsers(&a), a
}

func parseBrowsers(a *Answer) Browsers {
	var said struct {
		Checks []struct {
			Name   string `json:"name"`
			OK     *bool  `json:"ok"`
			Detail string `json:"detail"`
		} `json:"checks"`
	}
	if a.Class == Failed && a.Exit > 0 && json.Valid(a.Stdout) { // it ends so when any of its checks is not met
		a.Class, a.Cause = Authoritative, ""
	}
	if !a.decode(&said, "checks") {
		return Browsers{}
	}
	state, detail := map[string]bool{}, map[string]string{}
	for _, c := range said.Checks {
		if c.OK != nil {
			state[c.Name], detail[c.Name] = *c.OK, printable(c.Detail, 200)
		}
	}
	agent, knowsAgent := state["agent-browser"]
	chromium, knowsChromium := state["playwright-chromium"]
	library, knowsLibrary := state["playwright-package"]
	playwright := chromium && (library || !knowsLibrary)
	switch {
	case !knowsAgent && !knowsChromium:
		a.partly("it says nothing about a browser")
	case agent && playwright:
	case agent:
		return Browsers{Backend: "agent-browser"}
	case playwright:
		return Browsers{Backend: "playwright"}
	default:
		a.downgrade(Blocked, "no browser is installed for it")
		var missing []string
		for _, name := range []string{"agent-browser", "playwright-package", "playwright-chromium"} {
			if ok, said := state[name]; said && !ok {
				missing = append(missing, name+": "+detail[name])
			}
		}
		return Browsers{Install: clip(strings.Join(missing, "; "), 500)}
	}
	return Browsers{}
}

// BrowserFlow has cairn run one spec, whose path is relative to the workspace, in the backend or, for "", in the one that
// its configuration chooses. Cairn keeps what it records in a directory of its own.
func (r Runner) BrowserFlow(ctx context.Context, spec, backend string) (Flow, Answer) {
	args := []string{"run", spec, "--json"}
	if backend != "" {
		args = append(args, "--backend", backend)
	}
	a := r.run(ctx, call{tool: Cairntrace, operation: "run", flow: true, args: args})
	f := r.flowOf(&a, spec)
	if f.Status == FlowErrored && a.Exit == 2 && len(a.Stdout) == 0 {
		f.Reason = "it could not read the spec: " + a.Cause
	}
	r.kept(&f, "")
	return f, a
}

// AffectedBrowserSpecs asks cairn for its specs; with a commit, for those that the change since it affects, which cairn
// asks codemap for.
func (r Runner) AffectedBrowserSpecs(ctx context.Context, since string) (Selection, Answer) {
	args := []string{"run", ".", "--select-only", "--json"}
	if since != "" {
		args = append(args, "--since-codemap", since)
	}
	a := r.run(ctx, call{tool: Cairntrace, operation: "select", args: args, repeat: true})
	return r.selection(&a, "selected"), a
}
