package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

func TestTwoProcessesAnswerAtOnceAndExactlyOneWins(t *testing.T) {
	t.Parallel()
	environ, _ := isolated(t)
	repo := sumRepository(t, environ)
	run(t, cortexCommand(t, environ, repo, "open", "Choose", "--mode", "investigate", "--json"))
	for range 3 {
		run(t, cortexCommand(t, environ, repo, "decision", "request", "--question", "Which?",
			"--option", "safe=Safe|slow", "--option", "fast=Fast|risky", "--json"))
		winner := answerAtOnce(t, environ, repo)
		var listed struct {
			Decisions []struct{ Status, Answer, EvidenceID string }
		}
		if err := json.Unmarshal(run(t, cortexCommand(t, environ, repo, "decision", "list", "--json")), &listed); err != nil {
			t.Fatal(err)
		}
		last := listed.Decisions[len(listed.Decisions)-1]
		if last.Status != "answered" || last.Answer != winner || last.EvidenceID == "" {
			t.Errorf("recorded is %+v, but %q was acknowledged", last, winner)
		}
	}
	var shown struct {
		Evidence []struct{ Category string }
		Case     struct{ Status string }
	}
	if err := json.Unmarshal(run(t, cortexCommand(t, environ, repo, "show", "--json")), &shown); err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, e := range shown.Evidence {
		if e.Category == "decision" {
			records++
		}
	}
	if records != 3 || shown.Case.Status != "investigating" {
		t.Errorf("%d records of 3 answers, phase %s", records, shown.Case.Status)
	}
}

// answerAtOnce runs two processes that answer differently, and returns the option that was acknowledged. The other one
// must be a conflict that names who answered what.
func answerAtOnce(t *testing.T, environ []string, repo string) (winner string) {
	t.Helper()
	options, decision := []string{"safe", "fast"}, pendingDecision(t, environ, repo)
	commands, outputs := make([]*exec.Cmd, 2), make([]bytes.Buffer, 2)
	for i, option := range options {
		commands[i] = cortexCommand(t, environ, repo, "decision", "answer", decision, "--answer", option, "--responder", "person-"+option, "--json")
		commands[i].Stdout = &outputs[i]
		if err := commands[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	lost := ""
	for i, cmd := range commands {
		err := cmd.Wait()
		switch code := cmd.ProcessState.ExitCode(); {
		case err == nil && winner == "":
			winner = options[i]
		case code == 4 && lost == "":
			lost = outputs[i].String()
		default:
			t.Fatalf("answer %s: exit status %d\n%s", options[i], code, outputs[i].String())
		}
	}
	if !strings.Contains(lost, `"decision_answered"`) || !strings.Contains(lost, "person-"+winner) {
		t.Errorf("the loser is not told that person-%s answered:\n%s", winner, lost)
	}
	return winner
}

func pendingDecision(t *testing.T, environ []string, repo string) string {
	t.Helper()
	var st struct{ PendingDecision struct{ ID string } }
	if err := json.Unmarshal(run(t, cortexCommand(t, environ, repo, "status", "--json")), &st); err != nil {
		t.Fatal(err)
	}
	return st.PendingDecision.ID
}
