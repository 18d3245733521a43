package casefile

import "strings"

// FactConfidence is how far a fact of a tool can be trusted. What was found by search is a hint (low), what was
// resolved by structure or observed by running is sure (high), matches by name lie between. resolution is the tool's own
// word for how it resolved a symbol, "" when it has none; errored says that a run did not end as it should.
func FactConfidence(tool, kind, resolution string, errored bool) Confidence {
	switch {
	case kind == "tool_unavailable":
		return ConfidenceUnknown
	case kind == KindUnitTest, kind == KindBuild, kind == KindLint, strings.HasSuffix(kind, "_run"):
		if errored {
			return ConfidenceMedium
		}
		return ConfidenceHigh
	case kind == KindSemanticSearch, kind == KindModelInference:
		return ConfidenceLow
	}
	switch tool {
	case "vecgrep", "git grep", "fcheap", "vidtrace", "veclite", "code":
		return ConfidenceLow
	case "git":
		if kind == KindCodeLocation && resolution == "grep" {
			return ConfidenceLow
		}
		return ConfidenceHigh
	}
	switch resolution {
	case "precise", "resolved":
		return ConfidenceHigh
	case "unresolved", "none":
		return ConfidenceLow
	}
	if errored {
		return ConfidenceLow
	}
	if resolution == "" && kind == KindCodeGraph {
		return ConfidenceHigh
	}
	return ConfidenceMedium
}

// NoteConfidence is the confidence of a note: low or medium, which is the default. Nobody is sure of a note.
func NoteConfidence(given Confidence) (Confidence, error) {
	switch given {
	case "":
		return ConfidenceMedium, nil
	case ConfidenceLow, ConfidenceMedium:
		return given, nil
	}
	return "", invalid("confidence", string(given), "low, medium", "confidence must be one of: low, medium (got %q)", given)
}
