package op

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

func TestRegistryRefusesDoubleDeclarations(t *testing.T) {
	t.Parallel()
	alone := Define(Spec{Name: "other", Tool: "toy_other", Operation: "x", Title: "t", Help: "h", Effect: Reads, Profiles: Agent}, (*shelf).List)
	shared := Define(Spec{Name: "jar lose", Tool: "toy_jar", Operation: "drop", Title: "t", Help: "h", Effect: Reads, Profiles: Agent}, (*shelf).List)
	alias := Define(Spec{Name: "smash", Title: "t", Help: "h", Effect: Reads}, (*shelf).List)
	for name, defs := range map[string][]*Def{
		"same name":                  {jarList, jarList},
		"alias":                      {jarAdd, jarDrop, alias},
		"same operation":             {jarAdd, jarDrop, shared},
		"operation of a single tool": {alone},
		"shared without operations":  {jarAdd},
	} {
		if !panics(func() { New(defs...) }) {
			t.Errorf("New with %s did not panic", name)
		}
	}
}

func TestProfilesNest(t *testing.T) {
	t.Parallel()
	for p, want := range map[Profile][]string{CLIOnly: {}, Agent: {"toy_jar"}, All: {"toy_jar", "toy_list"}} {
		got := []string{}
		for _, tool := range toys().Tools(p) {
			got = append(got, tool.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tools of profile %d (-want +got):\n%s", p, diff)
		}
	}
}

func TestSharedToolHasTheUnionOfItsVerbs(t *testing.T) {
	t.Parallel()
	s := toys().Tools(Agent)[0].Schema()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Required   []string
		Additional *bool `json:"additionalProperties"`
		Properties map[string]struct {
			Type    string
			Enum    []string
			Default any
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"operation"}, got.Required); diff != "" {
		t.Errorf("required (-want +got):\n%s", diff)
	}
	if got.Additional == nil || *got.Additional {
		t.Errorf("schema %s allows additional properties", raw)
	}
	for name, kind := range map[string]string{"jarId": "string", "claim": "string", "labels": "array", "line": "integer",
		"weight": "number", "sealed": "boolean", "limitOverrides": "object", "workspace": "string", "maybe": "integer"} {
		if got.Properties[name].Type != kind {
			t.Errorf("type of %s = %q, want %q", name, got.Properties[name].Type, kind)
		}
	}
	if diff := cmp.Diff([]string{"add", "drop"}, got.Properties["operation"].Enum); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	if got.Properties["colour"].Default != "green" || len(got.Properties["colour"].Enum) != 3 {
		t.Errorf("colour = %+v, want its enum and default", got.Properties["colour"])
	}
	if _, hidden := got.Properties["yes"]; hidden {
		t.Errorf("schema %s shows an argument that MCP hides", raw)
	}
}

func TestToolDecodePicksTheOperation(t *testing.T) {
	t.Parallel()
	tool := toys().Tools(Agent)[0]
	req, err := tool.Decode([]byte(`{"operation":"drop","jarId":"j","workspace":"/elsewhere"}`))
	if err != nil || req.Def != jarDrop || req.Workspace != "/elsewhere" || req.Input.(dropInput).Jar != "j" {
		t.Errorf("Decode = %+v, %v; want jar drop of j in /elsewhere", req, err)
	}
	for raw, want := range map[string]string{
		`{"operation":"mend"}`:             `operation must be one of: add, drop (got "mend")`,
		`{}`:                               `operation must be one of: add, drop (got "")`,
		`{"operation":1}`:                  "operation must be a string",
		`{"operation":"drop"}`:             "jarId is required",
		`{"operation":"drop","claim":"x"}`: "claim is not an argument here",
		`{"operation":"add","claim":"x","yes":true}`:    "yes can be given on the command line only",
		`{"operation":"drop","jarId":"","workspace":1}`: "workspace must be a string",
	} {
		_, err := tool.Decode([]byte(raw))
		if !problem.Is(err, problem.InvalidInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("Decode(%s) = %v, want %q", raw, err, want)
		}
	}
}

func TestRefusalAlwaysLeadsOn(t *testing.T) {
	t.Parallel()
	r := toys()
	var unguided []problem.Code
	r.Unguided = func(p *problem.Problem) { unguided = append(unguided, p.Code) }
	e := r.Refusal(problem.New(problem.WrongPhase, "No.").About("task_1", "planned"), "/w")
	if len(e.NextActions) != 1 || e.OK || e.Error != "No." || e.Summary != "No." || e.TaskID != "task_1" || e.Phase != "planned" || e.Code != problem.WrongPhase {
		t.Errorf("envelope = %+v, want the problem with a general way on", e)
	}
	if diff := cmp.Diff([]problem.Code{problem.WrongPhase}, unguided); diff != "" {
		t.Errorf("unguided (-want +got):\n%s", diff)
	}
	if e := r.Refusal(problem.New(problem.Busy, "Busy.").Without("wait"), ""); !cmp.Equal(e.NextActions, []string{"wait"}) {
		t.Errorf("nextActions = %q, want the reason why none can help", e.NextActions)
	}
	if e := r.Refusal(errors.New("boom"), ""); e.Code != problem.Internal || len(unguided) != 1 {
		t.Errorf("envelope = %+v, want an internal problem that explains itself", e)
	}
}
