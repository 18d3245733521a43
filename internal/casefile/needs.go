package casefile

import "slices"

// ToolsOf are the specialist tools that observe the surfaces.
func ToolsOf(surfaces []Surface) []string {
	var out []string
	for _, s := range specialists() {
		if slices.Contains(surfaces, s.surface) {
			out = append(out, s.tool)
		}
	}
	return out
}

// RequirementsOf maps each specialist tool that planned requirements need to the requirement.
func RequirementsOf(required []string) map[string]string {
	out := map[string]string{}
	for _, s := range specialists() {
		if slices.Contains(required, s.requirement) {
			out[s.tool] = s.requirement
		}
	}
	return out
}
