package caseops

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"cortex/internal/casefile"
	"cortex/internal/op"
	"cortex/internal/problem"
	"cortex/internal/verifier"
)

func (d *desk) open(seeds ...string) (op.Envelope, error) {
	return d.Open(d.t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}, SeedPaths: seeds})
}

func TestASeedIsCutAtACharacterAfterItWasMasked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ0123"
	d.repo.Write("long.txt", strings.Repeat("x", casefile.MaxSeedClaim-1)+"äöü")
	d.repo.Write("hidden.txt", strings.Repeat("x", casefile.MaxSeedClaim-20)+" "+secret)
	d.must(d.open("long.txt", "hidden.txt"))
	var records []casefile.Evidence
	for line := range strings.Lines(d.file("evidence.jsonl")) {
		var e casefile.Evidence
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		records = append(records, e)
	}
	long, hidden := records[1], records[2]
	if want := "seed note long.txt: " + strings.Repeat("x", casefile.MaxSeedClaim-1); long.Claim != want || !utf8.ValidString(long.Claim) {
		t.Errorf("claim %q, want %q", long.Claim, want)
	}
	if long.Kind != casefile.KindModelInference || long.Confidence != casefile.ConfidenceMedium || long.Sensitivity != casefile.SensitivityNormal || long.Location.File != "long.txt" {
		t.Errorf("record %+v", long)
	}
	if strings.Contains(d.file("evidence.jsonl"), secret[:12]) || hidden.Sensitivity != casefile.SensitivitySensitive {
		t.Errorf("record of a secret %+v, want it masked before it is cut, and sensitive", hidden)
	}
	for _, e := range records[1:] {
		id := e.RawRef[strings.LastIndex(e.RawRef, "/")+1:]
		if text := d.file(filepath.Join("raw", id+".txt")); text == "" || strings.Contains(text, secret) {
			t.Errorf("%s keeps %q, want the whole text, masked", e.RawRef, text)
		}
	}
}

func TestNoCaseIsOpenedWhenAnySeedCannotBeUsed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("outside\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.repo.Write("good.txt", "good\n")
	d.repo.Write("full.txt", strings.Repeat("x", casefile.MaxSeed))
	d.repo.Write("large.txt", strings.Repeat("x", casefile.MaxSeed+1))
	d.repo.Write("binary.bin", "a\xff")
	d.repo.Write("nul.txt", "a\x00b")
	d.repo.Write("empty.txt", " \n")
	cases := map[string]problem.Code{
		"large.txt": problem.TooLarge, "binary.bin": problem.InvalidInput, "nul.txt": problem.InvalidInput, "empty.txt": problem.InvalidInput,
		"gone.txt": problem.InvalidInput, ".": problem.InvalidInput, "..": problem.PathOutside, "../outside.txt": problem.PathOutside,
		"sub/../../x": problem.PathOutside, outside: problem.PathOutside, " ": problem.InvalidInput, strings.Repeat("x", casefile.MaxLocator+1): problem.TooLarge,
	}
	if runtime.GOOS != "windows" {
		for name, target := range map[string]string{"out.txt": outside, "dir": filepath.Dir(outside), "good-link.txt": "good.txt"} {
			if err := os.Symlink(target, d.repo.Path(name)); err != nil {
				t.Fatal(err)
			}
		}
		cases["out.txt"], cases["dir/outside.txt"] = problem.PathOutside, problem.PathOutside
	}
	for path, want := range cases {
		if _, err := d.open("good.txt", path); !problem.Is(err, want) {
			t.Errorf("seed %.60q: got %v, want %s", path, err, want)
		}
	}
	if _, err := d.open(strings.Split("123456789", "")...); !problem.Is(err, problem.TooLarge) {
		t.Errorf("nine seeds: %v, want %s", err, problem.TooLarge)
	}
	if entries, err := os.ReadDir(d.Store.Dir()); err == nil && len(entries) > 0 {
		t.Errorf("a case was opened: %v", entries)
	}
	good := []string{"good.txt", "./good.txt", "full.txt", filepath.Join(d.Workspace, "good.txt")}
	if runtime.GOOS != "windows" {
		good = append(good, "good-link.txt")
	}
	out, err := d.open(good...)
	if want := 1 + len(good) - 2; err != nil || len(out.Facts) != want {
		t.Errorf("good seeds: %d facts, %v, want %d: one path given thrice counts once", len(out.Facts), err, want)
	}
}

func TestArgumentsOfTheWire(t *testing.T) {
	t.Parallel()
	in, err := openTask.Decode([]byte(`{"goal":"g","seedPaths":["a"],"allowedPaths":["src/**"],"acceptanceCriteria":[{"id":"a","statement":"s"},{"id":"b","statement":"t","kind":"process"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	open := in.(OpenInput)
	if open.SeedPaths[0] != "a" || open.AllowedPaths[0] != "src/**" || open.Criteria[0].Kind != "" || open.Criteria[1].Kind != casefile.CriterionProcess {
		t.Errorf("open: %+v", open)
	}
	if _, err := openTask.Decode([]byte(`{"goal":"g","acceptanceCriteria":[{"id":"a","statement":"s","kind":"other"}]}`)); !problem.Is(err, problem.InvalidInput) {
		t.Errorf("an unknown kind: %v, want %s", err, problem.InvalidInput)
	}
	in, err = verify.Decode([]byte(`{"attestations":[{"id":"a","evidence":["ev_1"],"note":"n","statement":"s"},{"claimId":"b","evidence":["ev_2"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := in.(VerifyInput).rules()
	if err != nil || rules.Attest[0].ID != "a" || rules.Attest[0].Note != "n" || rules.Attest[0].Statement != "s" || rules.Attest[1].ID != "b" || rules.Attest[1].Evidence[0] != "ev_2" {
		t.Errorf("verify: %+v, %v", rules.Attest, err)
	}
	if _, err := verify.Decode([]byte(`{"attestations":[{"id":"a","proof":"x"}]}`)); !problem.Is(err, problem.InvalidInput) {
		t.Errorf("an unknown field: %v, want %s", err, problem.InvalidInput)
	}
}

func TestAttestationsAloneExecuteNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeChange, Risk: casefile.RiskLow, Process: []Criterion{{ID: "read", Statement: "two people read it"}}}}))
	d.must(d.Plan(t.Context(), onePlan()))
	d.must(d.BeginChange(t.Context(), BeginChangeInput{Actor: "agent-a"}))
	d.repo.Write("a.txt", "two\n")
	runs := 0
	d.check = func(c verifier.Check) verifier.Run { runs++; return passedRun(c) }
	d.must(d.Verify(t.Context(), VerifyInput{}))
	out, err := d.Verify(t.Context(), VerifyInput{Attestations: []Attestation{{ID: "read", Evidence: []string{"ev_orientation_git"}}}})
	if err != nil || runs != 1 || !out.Green() || len(out.Receipts) != 2 {
		t.Errorf("%d runs, outcome %s, receipts %+v, %v; want the one earlier run and verified", runs, out.Outcome, out.Receipts, err)
	}
	s, err := d.Status(context.Background(), StatusInput{})
	if err != nil || len(s.AttestedCriteria) != 1 || len(s.StaleVerification) != 0 {
		t.Errorf("status: attested %v, stale %v, %v", s.AttestedCriteria, s.StaleVerification, err)
	}
}
