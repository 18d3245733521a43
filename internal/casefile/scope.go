package casefile

// Where a change stands against the declared boundary.
const (
	ScopeWithin     = "within_boundary"
	ScopeDrift      = "drift_detected"
	ScopeNoBoundary = "no_boundary"
)

// RiskUnknown is the risk of a scope that cannot be judged, as when the base commit of the case is gone.
const RiskUnknown Risk = "unknown"

// Scope compares what changed with what the plan allowed. Its lists hold at most MaxScopeFiles paths; the totals are
// set when there are more.
type Scope struct {
	Scope           string   `json:"scope"`
	UnexpectedFiles []string `json:"unexpectedFiles,omitempty"`
	Risk            Risk     `json:"risk"` // low: none unexpected, medium: up to 3, high: more
	Action          string   `json:"action,omitempty"`
	ChangedFiles    []string `json:"changedFiles,omitempty"`
	UnexpectedTotal int      `json:"unexpectedTotal,omitempty"`
	OutsideAllowed  []string `json:"outsideAllowedPaths,omitempty"` // what may not change at all
	OutsideTotal    int      `json:"outsideAllowedTotal,omitempty"`
	ChangedTotal    int      `json:"changedTotal,omitempty"`
}

// Drift judges changed files against c's boundary. They are relative to the workspace, "../x" for a file of the
// repository outside it, which no boundary can cover.
func Drift(c *Case, changed []string) Scope {
	s := Scope{Scope: ScopeWithin, Risk: RiskLow}
	s.ChangedFiles, s.ChangedTotal = cutList(changed)
	s.OutsideAllowed, s.OutsideTotal = cutList(c.outsideAllowed(changed))
	if len(c.ChangeBoundary.Files) == 0 {
		s.Scope, s.Risk = ScopeNoBoundary, RiskUnknown
		return s
	}
	var unexpected []string
	for _, file := range changed {
		if !c.ChangeBoundary.Covers(file) {
			unexpected = append(unexpected, file)
		}
	}
	if len(unexpected) == 0 {
		return s
	}
	s.Scope, s.Risk = ScopeDrift, RiskMedium
	if len(unexpected) > 3 {
		s.Risk = RiskHigh
	}
	s.UnexpectedFiles, s.UnexpectedTotal = cutList(unexpected)
	s.Action = "revert the unexpected files, or verify with the drift acknowledged"
	return s
}

// cutList returns the first MaxScopeFiles entries, and the whole number when some were left out.
func cutList(list []string) ([]string, int) {
	if len(list) <= MaxScopeFiles {
		return list, 0
	}
	return list[:MaxScopeFiles], len(list)
}
