package code

import (
	"path"
	"slices"
	"strings"
)

// vouchShare of the score of a test goes to the file that it tests: what a test speaks of is what its subject does.
const vouchShare = 0.4

// vouching is the score of the best test by what it may be a test of, as subject names it.
type vouching map[string]float64

func (v vouching) note(c candidate) {
	if ClassOf(c.path) != TestFile {
		return
	}
	for _, subject := range subjectsOf(c.path) {
		v[subject] = max(v[subject], c.score)
	}
}

// apply adds to the scores of the subjects and sorts.
func (v vouching) apply(best []candidate) {
	for i, c := range best {
		if ClassOf(c.path) == CodeFile {
			best[i].score += vouchShare * v[withoutExt(c.path)]
		}
	}
	slices.SortFunc(best, byCandidate)
}

func withoutExt(file string) string { return strings.ToLower(strings.TrimSuffix(file, path.Ext(file))) }

// subjectsOf names, without extension and in lower case, the files that a test may be a test of: those that it is called
// after, beside it or beside its directory.
func subjectsOf(test string) []string {
	dir, base := path.Split(withoutExt(test))
	subject := base
	for _, mark := range []string{"_test", ".test", "_spec", ".spec", "tests", "test"} {
		if cut, found := strings.CutSuffix(base, mark); found {
			subject = cut
			break
		}
	}
	if cut, found := strings.CutPrefix(base, "test_"); found {
		subject = cut
	}
	if subject == base || subject == "" {
		return nil
	}
	dir = path.Clean(dir)
	return []string{path.Join(dir, subject), path.Join(path.Dir(dir), subject), path.Join(strings.Replace(dir, "src/test/", "src/main/", 1), subject)}
}
