package op

// Prose renders actions as the sentences of nextActions, so that the two can never disagree.
func Prose(actions []Action) []string {
	var out []string
	for _, a := range actions {
		what := a.Command
		if a.Verb != "" {
			what = "cortex " + a.Verb
		}
		if a.Reason != "" {
			what += " — " + a.Reason
		}
		out = append(out, what)
	}
	return out
}
