package config

import (
	"strings"
	"testing"
)

func TestReportOfAVerifierIsOneOfItsForms(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"auto": "auto", "exit": "exit", "tap": "tap", "junit:build/report.xml": "junit:build/report.xml",
		"junit:./a//b.xml": "junit:a/b.xml", "'junit:with space.xml'": "junit:with space.xml",
		"": "", "junit": "", "'junit:'": "", "junit:.": "", "junit:a/": "", "junit:/abs.xml": "", "junit:../up.xml": "", "junit:a/../../up.xml": "",
		`"junit:a\nb.xml"`: "", "TAP": "", "xml:a": "", "[auto]": "", "tap:a": "",
	} {
		p := newPlace(t)
		p.write(t, "cortex.yaml", "verifiers:\n  unit:\n    argv: [a]\n    report: "+given+"\n")
		c, err := p.load()
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "verifiers.unit.report") || !strings.Contains(err.Error(), "junit:PATH") {
				t.Errorf("report %q: got error %v, want one about verifiers.unit.report", given, err)
			}
			continue
		}
		if err != nil || c.Verifiers[0].Report != want {
			t.Errorf("report %q: got %+v, error %v, want %q", given, c.Verifiers, err, want)
		}
	}
}

func TestStarterSetsNoReportThatIsNotNeeded(t *testing.T) {
	t.Parallel()
	found := []Detected{{Name: "unit", Argv: []string{"make", "test"}, Kind: "unit_test", Reason: "x"}}
	if text := StarterYAML(found); strings.Contains(text, "report:") {
		t.Errorf("got a report in\n%s", text)
	}
}
