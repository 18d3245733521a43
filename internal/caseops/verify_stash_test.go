package caseops

import (
	"os"
	"strings"
	"testing"

	"cortex/internal/casefile"
)

// fcheap is a tool that holds a stash as info says, and restores what the shell command puts into $4.
func fcheap(info, restore string) map[string]string {
	return map[string]string{"fcheap": `case $1 in
info) echo '` + info + `';;
restore) cd "$4" && ` + restore + `;;
esac`}
}

func TestAnArtifactIsProvenByItsFiles(t *testing.T) {
	t.Parallel()
	const one = `{"id":"fc_1","files":[{"path":"log.txt","size":3}]}`
	for name, tt := range map[string]struct {
		tools map[string]string
		want  casefile.ReceiptStatus
		note  string
	}{
		"restored":                      {fcheap(one, "echo hi >log.txt"), casefile.StatusPassed, ""},
		"more than listed":              {fcheap(one, "echo hi >log.txt; echo x >more.txt"), casefile.StatusPassed, ""},
		"below a directory":             {fcheap(`{"id":"fc_1","files":[{"path":"d/log.txt","size":3}]}`, "mkdir d; echo hi >d/log.txt"), casefile.StatusPassed, ""},
		"empty":                         {fcheap(`{"id":"fc_1","files":[]}`, "true"), casefile.StatusFailed, "no file"},
		"another size":                  {fcheap(one, "echo hello >log.txt"), casefile.StatusFailed, "log.txt has 6 bytes, and fcheap says 3"},
		"not restored":                  {fcheap(one, "true"), casefile.StatusFailed, "not restored: log.txt"},
		"a link instead":                {fcheap(one, "ln -s /etc/hostname log.txt"), casefile.StatusFailed, "not restored"},
		"a directory instead":           {fcheap(one, "mkdir log.txt"), casefile.StatusFailed, "not restored"},
		"restore fails":                 {fcheap(one, "exit 3"), casefile.StatusInconclusive, "exit 3"},
		"unknown":                       {map[string]string{"fcheap": "echo no such stash >&2; exit 1"}, casefile.StatusInconclusive, "no such stash"},
		"only known":                    {fcheap(`{"id":"fc_1"}`, "echo hi >log.txt"), casefile.StatusInconclusive, "files"},
		"another stash":                 {fcheap(strings.Replace(one, "fc_1", "fc_2", 1), "echo hi >log.txt"), casefile.StatusInconclusive, "fc_2"},
		"a path that is none":           {fcheap(`{"id":"fc_1","files":[{"path":"../log.txt","size":3}]}`, "echo hi >log.txt"), casefile.StatusInconclusive, "path"},
		"silence":                       {map[string]string{"fcheap": "exit 0"}, casefile.StatusInconclusive, "nothing"},
		"more files than are looked at": {fcheap(one, "echo hi >log.txt; for i in $(seq 101); do echo x >f$i; done"), casefile.StatusInconclusive, "too large"},
		"more bytes than are hashed":    {fcheap(one, "echo hi >log.txt; truncate -s 65M big"), casefile.StatusInconclusive, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newObserved(t, tt.tools, casefile.RequireArtifact)
			out := o.verify(VerifyInput{FromPlan: true, ArtifactRef: "fc_1"})
			r := out.Receipts[0]
			if r.Status != tt.want || !strings.Contains(r.Notes, tt.note) || r.Claim != "artifact verification fcheap://stash/fc_1" || r.Artifact != "fcheap://stash/fc_1" || r.Surface != casefile.SurfaceArtifact {
				t.Errorf("receipt %+v, want %s and %q", r, tt.want, tt.note)
			}
			if verified := out.Outcome == casefile.OutcomeVerified; verified != (tt.want == casefile.StatusPassed) || len(out.Facts) == 0 || out.Facts[0].Kind != "artifact" {
				t.Errorf("%s, facts %+v", out.Outcome, out.Facts)
			}
			if left, _ := os.ReadDir(o.Config.CacheDir); len(left) != 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

func TestAProjectIsProvenByItsName(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		want casefile.ReceiptStatus
		note string
	}{
		"there":            {says(`["other","proj"]`, 0), casefile.StatusPassed, ""},
		"absent":           {says(`["other","project"]`, 0), casefile.StatusFailed, "no project of that name"},
		"nothing there":    {says(`[]`, 0), casefile.StatusFailed, "no project"},
		"locked":           {"echo locked >&2; exit 3", casefile.StatusBlocked, "unlock"},
		"no vault":         {"echo none >&2; exit 5", casefile.StatusBlocked, "no vault"},
		"wrong passphrase": {"exit 6", casefile.StatusBlocked, "passphrase"},
		"something else":   {says("proj", 0), casefile.StatusInconclusive, "JSON"},
		"no names":         {says(`[1,2]`, 0), casefile.StatusInconclusive, "no name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newObserved(t, map[string]string{"tvault": tt.body + "\n"}, casefile.RequireCapability)
			out := o.verify(VerifyInput{FromPlan: true, Project: "proj"})
			r := out.Receipts[0]
			if r.Status != tt.want || !strings.Contains(r.Notes, tt.note) || r.Claim != "secret verification proj" || r.Surface != casefile.SurfaceSecret {
				t.Errorf("receipt %+v, want %s and %q", r, tt.want, tt.note)
			}
			if verified := out.Outcome == casefile.OutcomeVerified; verified != (tt.want == casefile.StatusPassed) {
				t.Errorf("%s", out.Outcome)
			}
			for _, raw := range []string{"raw/*.txt", "evidence.jsonl", "commands.jsonl"} {
				if strings.Contains(o.file(raw), "other") {
					t.Errorf("%s holds the name of another project", raw)
				}
			}
		})
	}
}
