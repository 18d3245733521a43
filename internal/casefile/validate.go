package casefile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"cortex/internal/problem"
)

// CheckText returns text without the blanks around it. It refuses an empty one, one that is not UTF-8 or holds a NUL,
// and one of more than limit bytes; field is its wire name.
func CheckText(field, text string, limit int) (string, error) {
	text, err := CheckOptional(field, text, limit)
	if err == nil && text == "" {
		return "", invalid(field, "", "text", "%s is empty.", field)
	}
	return text, err
}

// CheckOptional is CheckText for text that may be missing.
func CheckOptional(field, text string, limit int) (string, error) {
	switch {
	case !utf8.ValidString(text):
		return "", invalid(field, nil, "UTF-8 text", "%s is not valid UTF-8.", field)
	case strings.ContainsRune(text, 0):
		return "", invalid(field, nil, "text without NUL", "%s holds a NUL character.", field)
	}
	text = strings.TrimSpace(text)
	if len(text) > limit {
		return "", tooLarge(field, len(text), limit, "bytes")
	}
	return text, nil
}

// CheckGoal is CheckText for the goal of a case.
func CheckGoal(goal string) (string, error) { return CheckText("goal", goal, MaxGoal) }

// NormalGoal is the form in which two goals are compared: lower case, words separated by one blank.
func NormalGoal(goal string) string { return strings.ToLower(strings.Join(strings.Fields(goal), " ")) }

// CheckLocator is CheckText for a path, URI, reference or label.
func CheckLocator(field, value string) (string, error) { return CheckText(field, value, MaxLocator) }

// CheckIdentifier is CheckText for a key or another name that must be kept as it is given: what refuses reports as
// secret-shaped is refused, because a masked identifier would name nothing. refuses may be nil.
func CheckIdentifier(field, value string, refuses func(string) bool) (string, error) {
	value, err := CheckText(field, value, MaxIdentifier)
	if err != nil {
		return "", err
	}
	if refuses != nil && refuses(value) {
		return "", problem.New(problem.SecretInInput, "%s looks like a secret and is not accepted as an identifier.", field).
			On(field, nil, "a name that is no secret").Without("choose another " + field + " and call again")
	}
	return value, nil
}

// CheckActor is CheckIdentifier for the name of an actor: ASCII letters, digits and - _ . / : @.
func CheckActor(value string, refuses func(string) bool) (string, error) {
	value, err := CheckIdentifier("actor", value, refuses)
	if err == nil && !onlyOf(value, "-_./:@") {
		return "", invalid("actor", value, "letters, digits and - _ . / : @", "actor %q holds other characters than letters, digits and - _ . / : @.", value)
	}
	return value, err
}

// CheckCriteria returns the acceptance criteria of a new case with their texts trimmed. Identifiers are unique.
func CheckCriteria(criteria []Criterion, refuses func(string) bool) ([]Criterion, error) {
	const field = "acceptanceCriteria"
	if len(criteria) > MaxCriteria {
		return nil, tooLarge(field, len(criteria), MaxCriteria, "criteria")
	}
	out := make([]Criterion, 0, len(criteria))
	for _, given := range criteria {
		id, err := checkCriterionID(field, given.ID, refuses)
		if err != nil {
			return nil, err
		}
		statement, err := CheckText(field, given.Statement, MaxClaimStatement)
		if err != nil {
			return nil, err
		}
		if given.Kind != "" && given.Kind != CriterionProcess {
			return nil, invalid(field, given.Kind, `"" or "process"`, "criterion %q has the unknown kind %q.", id, given.Kind)
		}
		if slices.ContainsFunc(out, func(c Criterion) bool { return c.ID == id }) {
			return nil, invalid(field, id, "unique ids", "criterion %q is given twice.", id)
		}
		out = append(out, Criterion{ID: id, Statement: statement, Kind: given.Kind})
	}
	return out, nil
}

// ParseCriterion reads "id=statement".
func ParseCriterion(text string) (Criterion, error) {
	id, statement, ok := strings.Cut(text, "=")
	if !ok {
		return Criterion{}, invalid("acceptanceCriteria", text, "id=statement", "criterion %q is not of the form id=statement.", text)
	}
	return Criterion{ID: strings.TrimSpace(id), Statement: strings.TrimSpace(statement)}, nil
}

func checkCriterionID(field, id string, refuses func(string) bool) (string, error) {
	id, err := CheckIdentifier(field, id, refuses)
	if err != nil {
		return "", err
	}
	if len(id) > MaxCriterionID {
		return "", tooLarge(field, len(id), MaxCriterionID, "bytes")
	}
	if !onlyOf(id, "-_") {
		return "", invalid(field, id, "letters, digits, - and _", "id %q holds other characters than letters, digits, - and _.", id)
	}
	return id, nil
}

// CheckTaskID refuses what cannot be the identifier of a case: it becomes a directory name and is never cleaned.
func CheckTaskID(id string) error {
	const prefix = "task_"
	reason := ""
	switch {
	case len(id) > MaxIdentifier:
		reason = fmt.Sprintf("must be at most %d bytes", MaxIdentifier)
	case len(id) <= len(prefix) || !strings.HasPrefix(id, prefix):
		reason = "must start with " + prefix
	case !onlyOf(id, "-_"):
		reason = "may hold only letters, digits, _ and -"
	default:
		return nil
	}
	return problem.New(problem.InvalidInput, "invalid task id: %s", reason).On("taskId", clip(id, MaxProofRef), "task_ and 16 characters").
		With(problem.Step{Op: "list", Why: "see the ids of this repository's cases"})
}

// onlyOf reports whether s consists of ASCII letters, digits and the given extra characters.
func onlyOf(s, extra string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune(extra, r)
	})
}

func invalid(field string, received any, expected, format string, args ...any) *problem.Problem {
	return problem.New(problem.InvalidInput, format, args...).On(field, received, expected).
		Without("correct " + field + " and call again")
}

func tooLarge(field string, got, limit int, unit string) *problem.Problem {
	return problem.New(problem.TooLarge, "%s is over its limit: %d of at most %d %s.", field, got, limit, unit).
		On(field, nil, fmt.Sprintf("at most %d %s", limit, unit)).Without("shorten " + field + " and call again")
}

// clip cuts s to at most limit bytes at a character.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
