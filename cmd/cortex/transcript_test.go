package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A transcript in testdata/mcp is a session with a server of the profile that it is named after, on a fresh repository
// with one check. A line is
//
//	> METHOD PARAMS       a request
//	> TOOL ARGUMENTS      a tool call
//	< JSON                what the result, or a tool's structured content, must hold at least
//	! JSON                the same for a refusal
//	$ ARGUMENTS           cortex by command line, which must succeed
//	= FILE TEXT           a file of the repository, \n for line ends
//
// and everything else a comment. In JSON "*" stands for anything that is there, and "$name" for anything the first time
// and for the same from then on; arrays may go on behind what is given.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/mcp/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			profile, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "_")
			s := newSession(t, profile)
			for i, line := range strings.Split(string(raw), "\n") {
				s.where = fmt.Sprintf("%s:%d", file, i+1)
				s.play(line)
			}
		})
	}
}

// session is a transcript being played.
type session struct {
	*workbench
	agent *agent
	names map[string]string
	where string

	content map[string]any // of the last answer
	isError bool
}

func newSession(t *testing.T, profile string) *session {
	environ, home := isolated(t)
	environ = append(environ, "CORTEX_APPROVE_COMMANDS=1")
	w := &workbench{t: t, environ: environ, home: home, repo: sumRepository(t, environ)}
	agent := startAgent(t, cortexCommand(t, environ, w.repo, "serve", "--profile", profile))
	return &session{workbench: w, agent: agent, names: map[string]string{}}
}

var placeholder = regexp.MustCompile(`\$[a-zA-Z]+`)

func (s *session) play(line string) {
	s.t.Helper()
	sign, rest, _ := strings.Cut(line, " ")
	word, tail, _ := strings.Cut(rest, " ")
	switch sign {
	case ">":
		s.send(word, s.fill(tail))
	case "<", "!":
		if s.isError != (sign == "!") {
			s.t.Fatalf("%s: refused: %v\n%s", s.where, s.isError, pretty(s.content))
		}
		var want any
		s.decode(rest, &want)
		if fault := s.match(want, s.content, ""); fault != "" {
			s.t.Errorf("%s: %s\n%s", s.where, fault, pretty(s.content))
		}
	case "$":
		run(s.t, cortexCommand(s.t, s.environ, s.repo, strings.Fields(s.fill(rest))...))
	case "=":
		write(s.t, filepath.Join(s.repo, word), strings.ReplaceAll(tail, `\n`, "\n"))
	}
}

func (s *session) send(to, arguments string) {
	s.t.Helper()
	if arguments == "" {
		arguments = "{}"
	}
	var args map[string]any
	s.decode(arguments, &args)
	s.content, s.isError = nil, false
	if strings.HasPrefix(to, "cortex_") {
		s.content, s.isError = s.agent.call(to, args)
		return
	}
	s.agent.request(to, args, &s.content)
}

func (s *session) decode(text string, v any) {
	s.t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		s.t.Fatalf("%s: %v in %s", s.where, err, text)
	}
}

// fill puts what was captured in place of its name.
func (s *session) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		if value, known := s.names[name]; known {
			return value
		}
		return name
	})
}

// match says in which way got does not hold want; empty when it does.
func (s *session) match(want, got any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if fault := s.match(want[name], object[name], path+"."+name); fault != "" {
				return fault
			}
		}
		return ""
	case []any:
		list, _ := got.([]any)
		if len(list) < len(want) {
			return fmt.Sprintf("%s has %d elements, want %d", path, len(list), len(want))
		}
		for i, element := range want {
			if fault := s.match(element, list[i], fmt.Sprintf("%s[%d]", path, i)); fault != "" {
				return fault
			}
		}
		return ""
	case string:
		return s.matchText(want, got, path)
	}
	if want != got {
		return fmt.Sprintf("%s is %v, want %v", path, got, want)
	}
	return ""
}

func (s *session) matchText(want string, got any, path string) string {
	known, named := s.names[want]
	text, isText := got.(string)
	switch {
	case want == "*" && got != nil:
		return ""
	case placeholder.FindString(want) == want && !named && isText:
		s.names[want] = text
		return ""
	case named:
		want = known
	}
	if !isText || text != want {
		return fmt.Sprintf("%s is %v, want %q", path, got, want)
	}
	return ""
}

func pretty(v any) string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(raw)
}
