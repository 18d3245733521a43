package op

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cortex/internal/problem"
)

func TestDecodeReadsEveryKindOfField(t *testing.T) {
	t.Parallel()
	got, err := jarAdd.Decode([]byte(`{"taskId":"task_1","claim":"jam","colour":"red","colours":["blue"],"line":5.0,"weight":1,
		"sealed":true,"limitOverrides":{"git":"1s"},"labels":[{"id":"a","text":"b"}],"parts":[{"name":"lid","tags":["x"]}],"maybe":0}`))
	if err != nil {
		t.Fatal(err)
	}
	zero := 0
	want := addInput{taskRef: taskRef{"task_1"}, Claim: "jam", Colour: "red", Colours: []colour{"blue"}, Line: 5, Weight: 1, Sealed: true,
		Limits: map[string]string{"git": "1s"}, Labels: []label{{"a", "b"}}, Parts: []part{{"lid", []string{"x"}}}, Maybe: &zero}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(addInput{})); diff != "" {
		t.Errorf("Decode (-want +got):\n%s", diff)
	}
}

func TestAbsentAndNullArgumentsTakeDefaults(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"claim":"jam"}`, `{"claim":"jam","colour":null,"weight":null,"parts":null,"maybe":null}`} {
		got, err := jarAdd.Decode([]byte(raw))
		if err != nil {
			t.Fatalf("Decode(%s): %v", raw, err)
		}
		if diff := cmp.Diff(addInput{Claim: "jam", Colour: "green", Weight: 0.5}, got, cmp.AllowUnexported(addInput{})); diff != "" {
			t.Errorf("Decode(%s) (-want +got):\n%s", raw, diff)
		}
	}
}

func TestDecodeRefusesNamingTheArgument(t *testing.T) {
	t.Parallel()
	big := `{"claim":"` + strings.Repeat("x", maxInput) + `"}`
	tests := []struct{ raw, field, message string }{
		{`{}`, "claim", "claim is required: what is in the jar"},
		{`{"claim":" "}`, "claim", "claim is required: what is in the jar"},
		{`{"claim":"x","bogus":1}`, "bogus", "bogus is not an argument here; known are: taskId, claim"},
		{`{"claim":7}`, "claim", "claim must be a string (got a number)"},
		{`{"claim":"x","colour":"pink"}`, "colour", `colour must be one of: red, green, blue (got "pink")`},
		{`{"claim":"x","colours":["red","pink"]}`, "colours", `colours must be one of: red, green, blue (got "pink")`},
		{`{"claim":"x","colours":"red"}`, "colours", "colours must be an array (got a string)"},
		{`{"claim":"x","colours":[null]}`, "colours[0]", "colours[0] must be a string (got null)"},
		{`{"claim":"x","line":1.5}`, "line", "line must be an integer (got 1.5)"},
		{`{"claim":"x","line":1e400}`, "line", "line must be an integer (got 1e400)"},
		{`{"claim":"x","weight":1e400}`, "weight", "weight is out of range"},
		{`{"claim":"x","sealed":"yes"}`, "sealed", "sealed must be true or false (got a string)"},
		{`{"claim":"x","limitOverrides":{"a":1}}`, "limitOverrides.a", "limitOverrides.a must be a string (got a number)"},
		{`{"claim":"x","labels":[{"id":"a"}]}`, "labels[0].text", "labels[0].text is required: what it says"},
		{`{"claim":"x","labels":["a=b"]}`, "labels[0]", "labels[0] must be an object (got a string)"},
		{`{"claim":"x","parts":[{"name":"a","colour":1}]}`, "parts[0].colour", "parts[0].colour is not an argument here"},
		{`{"claim":"x","claim":"y"}`, "", `"claim" is given twice`},
		{`{"claim":"x","parts":[{"name":"a","name":"b"}]}`, "", `"name" is given twice`},
		{"{\"claim\":\"\xff\"}", "claim", "claim is not valid UTF-8"},
		{`[1]`, "", "want an object, got an array"},
		{`{"claim":"x"} {}`, "", "something follows the value"},
		{`{"claim":`, "", "EOF"},
		{big, "", "the limit is 2097152"},
	}
	for _, tt := range tests {
		_, err := jarAdd.Decode([]byte(tt.raw))
		var p *problem.Problem
		if !errors.As(err, &p) {
			t.Errorf("Decode(%.60s) = %v, want a Problem", tt.raw, err)
			continue
		}
		want := problem.InvalidInput
		if len(tt.raw) > maxInput {
			want = problem.TooLarge
		}
		if p.Code != want || p.Field != tt.field || !strings.Contains(p.Message, tt.message) {
			t.Errorf("Decode(%.60s) = code %s, field %q, message %q; want %s, %q, %q", tt.raw, p.Code, p.Field, p.Message, want, tt.field, tt.message)
		}
		if len(p.Next) == 0 && p.NoStep == "" {
			t.Errorf("Decode(%.60s) offers no way on", tt.raw)
		}
	}
}

func TestRefusedCallIsOfferedCorrected(t *testing.T) {
	t.Parallel()
	_, err := jarAdd.Decode([]byte(`{"claim":"jam","colour":"pink","sealed":true,"taskId":"` + strings.Repeat("t", 3000) + `"}`))
	e := toys().Refusal(err, "/w")
	if len(e.Actions) != 1 {
		t.Fatalf("actions = %+v, want one", e.Actions)
	}
	a := e.Actions[0]
	wantArgs := map[string]any{"claim": "jam", "sealed": true, "workspace": "/w", "operation": "add"}
	if diff := cmp.Diff(wantArgs, a.Arguments); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"taskId", "colour"}, a.Inputs); diff != "" {
		t.Errorf("inputs (-want +got): an argument too long to repeat is asked for again\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"colour": {"red", "green", "blue"}}, a.Candidates); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
	if want := "cortex -C /w jar add jam --sealed"; a.Command != want {
		t.Errorf("command = %q, want %q", a.Command, want)
	}
}

func TestMalformedDeclarationsPanic(t *testing.T) {
	t.Parallel()
	type unknownWord struct {
		A string `json:"a" op:"flg=b" jsonschema:"a"`
	}
	type reserved struct {
		W string `json:"workspace" jsonschema:"a"`
	}
	type badDefault struct {
		N int `json:"n" op:"default=x" jsonschema:"a"`
	}
	type noHelp struct {
		A string `json:"a"`
	}
	type afterRest struct {
		A string `json:"a" op:"args" jsonschema:"a"`
		B string `json:"b" op:"arg" jsonschema:"b"`
	}
	twice := reflect.StructOf([]reflect.StructField{ // vet refuses it as a declared type
		{Name: "A", Type: reflect.TypeFor[string](), Tag: `json:"a" jsonschema:"a"`},
		{Name: "B", Type: reflect.TypeFor[string](), Tag: `json:"a" jsonschema:"b"`},
	})
	for _, in := range []any{unknownWord{}, reflect.Zero(twice).Interface(), reserved{}, badDefault{}, noHelp{}, afterRest{}} {
		if !panics(func() { (&Def{Spec: Spec{Name: "x"}, Input: reflect.TypeOf(in)}).Fields() }) {
			t.Errorf("Fields of %T did not panic", in)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{}`, `{"claim":"x","parts":[{"name":"a"}]}`, `{"claim":"x","line":1e3}`, `[[[[`, `{"a":{"a":{"a":1}}}`,
		"{\"claim\":\"\xff\"}", `{"claim":"\ud800"}`, `nul`, `{"limitOverrides":{"":""},"claim":"x"}`} {
		f.Add([]byte(seed))
	}
	reg := toys()
	tool := reg.Tools(Agent)[0]
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := jarAdd.Decode(raw)
		if err != nil {
			reg.Refusal(err, "/w") // panics when it offers what is not declared
			_, err = tool.Decode(raw)
			reg.Refusal(err, "/w")
			return
		}
		again, err := json.Marshal(in)
		if err != nil {
			t.Fatalf("input %q cannot be encoded: %v", raw, err)
		}
		if _, err := jarAdd.Decode(again); err != nil {
			t.Fatalf("Decode(%q) was accepted, its own encoding %s is not: %v", raw, again, err)
		}
	})
}
