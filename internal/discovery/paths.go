package discovery

import (
	"strings"

	"cortex/internal/code"
	"cortex/internal/gitrepo"
)

// withoutJunk drops matches in vendored, built or cached directories and counts them. A directory that the caller asked
// for is never junk.
func withoutJunk(matches []gitrepo.Match, under string) ([]gitrepo.Match, int) {
	kept := make([]gitrepo.Match, 0, len(matches))
	for _, m := range matches {
		if !code.IsJunk(strings.TrimPrefix(m.File, strings.TrimSuffix(under, "/")+"/")) {
			kept = append(kept, m)
		}
	}
	return kept, len(matches) - len(kept)
}
