package casefile

import (
	"strings"
	"testing"
	"unicode/utf8"

	"cortex/internal/problem"
)

func TestTextIsBoundedTrimmedUTF8(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
		code             problem.Code
	}{
		{"plain", "fix it", "fix it", ""},
		{"trimmed", " \n fix it\t", "fix it", ""},
		{"longest", strings.Repeat("é", MaxGoal/2), strings.Repeat("é", MaxGoal/2), ""},
		{"blanks around the longest", " " + strings.Repeat("x", MaxGoal) + " ", strings.Repeat("x", MaxGoal), ""},
		{"empty", " \n", "", problem.InvalidInput},
		{"too long", strings.Repeat("x", MaxGoal+1), "", problem.TooLarge},
		{"not UTF-8", "fix \xff it", "", problem.InvalidInput},
		{"NUL", "fix\x00it", "", problem.InvalidInput},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := CheckGoal(tt.text)
			if got != tt.want {
				t.Errorf("CheckGoal(%q) = %q, want %q", tt.text, got, tt.want)
			}
			if tt.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if p := refused(t, err, tt.code); p.Field != "goal" || !strings.Contains(p.Message, "goal") {
				t.Errorf("field %q, message %q: want both to name the goal", p.Field, p.Message)
			}
		})
	}
}

func TestTooLargeNamesTheLimit(t *testing.T) {
	t.Parallel()
	_, err := CheckGoal(strings.Repeat("x", 5000))
	if p := refused(t, err, problem.TooLarge); !strings.Contains(p.Message, "5000") || !strings.Contains(p.Message, "4096") {
		t.Errorf("message %q names neither size nor limit", p.Message)
	}
}

func TestActors(t *testing.T) {
	t.Parallel()
	secret := func(s string) bool { return strings.HasPrefix(s, "ghp_") }
	tests := map[string]problem.Code{
		"agent-a":                 "",
		"team/x_1.2:codex@host":   "",
		"":                        problem.InvalidInput,
		"two words":               problem.InvalidInput,
		"ägent":                   problem.InvalidInput,
		"a\u202eb":                problem.InvalidInput,
		"ghp_abcdef":              problem.SecretInInput,
		strings.Repeat("a", 257):  problem.TooLarge,
		strings.Repeat("a", 256):  "",
		"agent;rm":                problem.InvalidInput,
		"agent\nstatus: complete": problem.InvalidInput,
	}
	for actor, code := range tests {
		_, err := CheckActor(actor, secret)
		if code == "" {
			if err != nil {
				t.Errorf("CheckActor(%q): %v", actor, err)
			}
			continue
		}
		if p := refused(t, err, code); code == problem.SecretInInput && strings.Contains(p.Message, actor) {
			t.Errorf("the refusal of a secret repeats it: %q", p.Message)
		}
	}
}

func TestCriteria(t *testing.T) {
	t.Parallel()
	got, err := CheckCriteria([]Criterion{{ID: " a-1 ", Statement: " it sums "}, {ID: "b_2", Statement: "it is reviewed", Kind: "process"}}, nil)
	if err != nil || len(got) != 2 || got[0] != (Criterion{ID: "a-1", Statement: "it sums"}) {
		t.Errorf("got %+v, error %v", got, err)
	}
	for name, bad := range map[string][]Criterion{
		"no id":        {{Statement: "x"}},
		"id with dot":  {{ID: "a.b", Statement: "x"}},
		"no statement": {{ID: "a"}},
		"twice":        {{ID: "a", Statement: "x"}, {ID: "a", Statement: "y"}},
		"kind":         {{ID: "a", Statement: "x", Kind: "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := CheckCriteria(bad, nil)
			refused(t, err, problem.InvalidInput)
		})
	}
	_, err = CheckCriteria(make([]Criterion, MaxCriteria+1), nil)
	refused(t, err, problem.TooLarge)
	_, err = CheckCriteria([]Criterion{{ID: strings.Repeat("a", MaxCriterionID+1), Statement: "x"}}, nil)
	refused(t, err, problem.TooLarge)
}

func TestParseCriterion(t *testing.T) {
	t.Parallel()
	if got, err := ParseCriterion("sum = a=b holds"); err != nil || got != (Criterion{ID: "sum", Statement: "a=b holds"}) {
		t.Errorf("got %+v, error %v", got, err)
	}
	_, err := ParseCriterion("no equals sign")
	refused(t, err, problem.InvalidInput)
}

func TestTaskIDsAreNeverCleaned(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		"task_06H2VPRM4KDG25WQ": true, "task_a-b_c": true, "task_": false,
		"": false, "06H2": false, "Task_1": false, "task_../x": false, "task_a/b": false, "task_é": false, "task_a b": false,
		"task_" + strings.Repeat("a", 251): true, "task_" + strings.Repeat("a", 252): false,
	} {
		err := CheckTaskID(id)
		if ok && err != nil {
			t.Errorf("CheckTaskID(%q): %v", id, err)
		}
		if !ok {
			refused(t, err, problem.InvalidInput)
		}
	}
}

func TestGoalsAreComparedByTheirWords(t *testing.T) {
	t.Parallel()
	if got, want := NormalGoal("  Fix\tthe   SUM\n"), "fix the sum"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestClipCutsAtACharacter(t *testing.T) {
	t.Parallel()
	for limit := range 12 {
		got := clip("aé€😀b", limit)
		if !utf8.ValidString(got) || len(got) > limit {
			t.Errorf("clip to %d = %q", limit, got)
		}
	}
	if got := clip("héllo", 100); got != "héllo" {
		t.Errorf("a short text became %q", got)
	}
}
