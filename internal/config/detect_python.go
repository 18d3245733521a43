package config

import (
	"path"
	"slices"
	"strings"
	"time"
)

const maxDetectTests = 50 // test files of one directory that are looked at

// python proposes pytest, which runs tests of unittest too, unless the repository plainly has only the latter.
func (d *detector) python() (Detected, bool) {
	markers := []string{"pyproject.toml", "pytest.ini", "tox.ini", "setup.py", "setup.cfg", "requirements.txt"}
	i := slices.IndexFunc(markers, func(name string) bool { return d.has(name) })
	if i < 0 {
		return Detected{}, false
	}
	one := Detected{Name: "python", Argv: []string{"python3", "-m", "pytest"}, Kind: "unit_test", Timeout: 5 * time.Minute, Reason: markers[i]}
	switch {
	case d.has("uv.lock"):
		one.Argv = []string{"uv", "run", "pytest"}
	case d.has("poetry.lock"):
		one.Argv = []string{"poetry", "run", "pytest"}
	case d.has("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py") || slices.ContainsFunc(markers, d.mentionsPytest):
	default:
		d.unittest(&one)
	}
	return one, true
}

// mentionsPytest looks at what the project needs; a comment is enough, for pytest runs both.
func (d *detector) mentionsPytest(name string) bool {
	_, text, ok := d.read(name)
	return ok && strings.Contains(text, "pytest")
}

// unittest proposes unittest where tests are of it and none is of pytest: those are functions, or speak of it.
func (d *detector) unittest(one *Detected) {
	for _, dir := range []string{".", "tests", "test"} {
		found := ""
		for _, name := range d.pythonTests(dir) {
			_, text, _ := d.read(name)
			if strings.Contains(text, "pytest") || strings.Contains("\n"+text, "\ndef test") {
				return
			}
			if found == "" && strings.Contains(text, "unittest") && strings.Contains(text, "TestCase") {
				found = name
			}
		}
		if found == "" {
			continue
		}
		one.Argv, one.Reason = []string{"python3", "-m", "unittest"}, found+" is of unittest"
		if dir != "." && !d.has(dir+"/__init__.py") {
			one.Argv = append(one.Argv, "discover", "-s", dir)
		}
		return
	}
}

// pythonTests are the files of a directory that unittest takes for tests, by name.
func (d *detector) pythonTests(dir string) []string {
	f, err := d.dir.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, "test") && strings.HasSuffix(name, ".py") {
			names = append(names, path.Join(dir, name))
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxDetectTests)]
}
