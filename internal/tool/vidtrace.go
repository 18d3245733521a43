package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxVideoFacts bounds what is taken from one answer of vidtrace, of each kind.
const maxVideoFacts = 50

// VideoSource is what vidtrace looks into: a bundle that it made, in the workspace or stashed in fcheap.
type VideoSource struct {
	stash  string
	bundle string // absolute
}

// VideoMoment is what was on the screen at one time.
type VideoMoment struct {
	Seconds float64 `json:"time_seconds"`
	Text    string  `json:"ocr"`
}

// VideoMatch is a place of the workspace that is about what was on the screen.
type VideoMatch struct {
	File  string  `json:"file"`
	Line  int     `json:"line"`
	Score float64 `json:"score"`
	Text  string  `json:"text"`
}

// VideoFinding is what vidtrace made of a question.
type VideoFinding struct {
	Moments []VideoMoment
	Matches []VideoMatch
}

// VideoSource takes a reference: fcheap://stash/ID, or the path of a bundle directory in the workspace. The error says in
// one clause why it is none; a recording itself is none, for looking at it takes minutes.
func (r Runner) VideoSource(ref string) (VideoSource, error) {
	if id, ok := strings.CutPrefix(ref, "fcheap://stash/"); ok {
		if !stashID(id) {
			return VideoSource{}, fmt.Errorf("%q is not the id of a stash", clip(id, 60))
		}
		return VideoSource{stash: id}, nil
	}
	if strings.Contains(ref, "://") {
		return VideoSource{}, errors.New("it is neither fcheap://stash/ID nor a directory of the workspace")
	}
	if recording(ref) {
		return VideoSource{}, errors.New("it is a recording: have vidtrace make a bundle of it, and name the directory or its stash")
	}
	name, ok := localPath(r.Workspace, ref)
	if !ok {
		return VideoSource{}, errors.New("it is not below the workspace")
	}
	root, err := os.OpenRoot(r.Workspace)
	if err != nil {
		return VideoSource{}, fmt.Errorf("the workspace cannot be read: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(name) // refuses links that lead out of the workspace
	switch {
	case err != nil:
		return VideoSource{}, errors.New("there is no such directory inside the workspace")
	case !info.IsDir():
		return VideoSource{}, errors.New("it is no directory")
	}
	return VideoSource{bundle: filepath.Join(r.Workspace, filepath.FromSlash(name))}, nil
}

// recording reports whether a path is that of a video or sound file.
func recording(name string) bool {
	return slices.Contains([]string{
		".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".wmv", ".flv", ".mpg", ".mpeg", ".m2ts", ".mts", ".ogv", ".3gp", ".gif", ".wav", ".mp3", ".m4a",
	}, strings.ToLower(path.Ext(name)))
}

// VidtraceInvestigate asks a bundle about a question and the workspace about what it shows.
func (r Runner) VidtraceInvestigate(ctx context.Context, from VideoSource, query string, limit int) (VideoFinding, Answer) {
	args := []string{"investigate"}
	if from.stash != "" {
		args = append(args, "--stash", from.stash)
	} else {
		args = append(args, from.bundle)
	}
	limit = min(max(limit, 1), maxVideoFacts)
	args = append(args, "--query", operand(query), "--codebase", r.Workspace, "--connect", "--connect-limit", strconv.Itoa(limit), "--json")
	a := r.run(ctx, call{tool: Vidtrace, operation: "investigate", args: args, repeat: true})
	return r.parseVideo(&a), a
}

func (r Runner) parseVideo(a *Answer) VideoFinding {
	var said struct {
		OK      bool          `json:"ok"`
		Moments []VideoMoment `json:"evidence"`
		Matches []VideoMatch  `json:"code_matches"`
	}
	if !a.decode(&said, "ok", "evidence", "code_matches") {
		return VideoFinding{}
	}
	if !said.OK {
		a.partly("it says itself that the answer is not whole")
	}
	var out VideoFinding
	for _, m := range said.Moments[:min(len(said.Moments), maxVideoFacts)] {
		if m.Seconds < 0 {
			a.partly("not every moment that it names has a time")
			continue
		}
		out.Moments = append(out.Moments, m)
	}
	for _, m := range said.Matches[:min(len(said.Matches), maxVideoFacts)] {
		file, ok := r.within(m.File)
		if !ok || m.Line < 0 {
			a.partly("not every match is a place in the workspace")
			continue
		}
		m.File = file
		out.Matches = append(out.Matches, m)
	}
	return out
}
