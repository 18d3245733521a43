package caseops

import (
	"slices"
	"testing"

	"cortex/internal/casefile"
	"cortex/internal/code"
)

func TestAnAnswerOfTheStructureIsNotCalledWeak(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Config.CacheDir = t.TempDir()
	d.Config.Budget.MaxCandidateFilesReturned, d.Config.Budget.MaxRawOutputBytesPerTool = 8, 32768
	d.shop(2)
	d.must(d.Open(t.Context(), OpenInput{Terms: Terms{Goal: "g", Mode: casefile.ModeInvestigate, Risk: casefile.RiskLow}}))
	for question, want := range map[string]bool{
		"what breaks in the billing of the warehouse if I change DiscountA": false,
		"how is the billing of the warehouse held against DiscountA":        true,
	} {
		if got := slices.Contains(d.investigated(InvestigateInput{Question: question}).Warnings, code.NoStrongCandidate); got != want {
			t.Errorf("%q: called weak %t, want %t", question, got, want)
		}
	}
}
