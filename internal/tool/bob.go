package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of what bob may say.
const (
	maxBobAnswer     = 64 << 10 // bytes of an envelope
	maxBobContext    = 6144     // bytes of a compact context, without white space
	maxBobPath       = 8192     // the same of the answer about a path
	maxBobInvariants = 8
)

// MaxBobPaths is how many paths bob is asked about for one plan.
const MaxBobPaths = 16

// bobManifest is the file by which a repository says that bob manages it.
const bobManifest = "bob.yaml"

// BobContract is what bob says of the repository as a whole.
type BobContract struct {
	Digest     string // of the context
	Recipe     string // such as "go-agent-tool 5"
	Product    string // this and the invariants as bob has them, within its context
	Managed    int    // files that bob owns
	Drifted    bool   // some of them are not as the recipe has them
	Invariants []string
}

// BobPath is what bob says of one path.
type BobPath struct {
	Path           string
	Classification string // who owns it, such as "managed"
	State          string
	Effect         string // what an edit by hand leads to, such as "will_conflict"
}

// BobApplies reports whether bob is installed and the workspace has a manifest that is a regular file.
func (r Runner) BobApplies() bool {
	info, err := os.Lstat(filepath.Join(r.Workspace, bobManifest))
	return err == nil && info.Mode().IsRegular() && r.Installed(Bob)
}

// BobContext asks bob for the contract of the workspace. Without a manifest it is Unavailable.
func (r Runner) BobContext(ctx context.Context) (BobContract, Answer) {
	a := r.run(ctx, call{tool: Bob, operation: "context", args: []string{"--json", "context", r.Workspace, "--profile", "compact"}, repeat: true})
	return r.parseBobContext(&a), a
}

// BobPath asks bob who owns a path of the workspace, relative and with slashes.
func (r Runner) BobPath(ctx context.Context, path string) (BobPath, Answer) {
	if !filepath.IsLocal(path) {
		a := Answer{Tool: Bob, Operation: "path", Exit: -1}
		a.downgrade(Failed, "%q is not a path of the workspace", clip(path, 60))
		return BobPath{}, a
	}
	a := r.run(ctx, call{tool: Bob, operation: "path", args: []string{"--json", "path", "--workspace", r.Workspace, "--", path}, repeat: true})
	return r.parseBobPath(&a, path), a
}

func (r Runner) parseBobContext(a *Answer) BobContract {
	var said struct {
		Version   int    `json:"schema_version"`
		Workspace string `json:"workspace"`
		Digest    string `json:"context_digest"`
		Recipe    struct {
			ID      string `json:"id"`
			Version int    `json:"version"`
		} `json:"recipe"`
		Product struct {
			Name string `json:"name"`
		} `json:"product"`
		Repository struct {
			State   string `json:"state"`
			Managed int    `json:"managed_files"`
		} `json:"repository"`
		Invariants []struct {
			Statement string `json:"statement"`
		} `json:"invariants"`
	}
	if !a.bob("context", maxBobContext, &said) || !a.schema(said.Version, 1) || !a.same("workspace", said.Workspace, r.Workspace) {
		return BobContract{}
	}
	if !slices.Contains([]string{"clean", "drifted"}, said.Repository.State) {
		a.partly("it says that the repository is %q, which is not understood", clip(said.Repository.State, 40))
		return BobContract{}
	}
	out := BobContract{
		Digest: clip(said.Digest, 100), Recipe: clip(fmt.Sprintf("%s %d", said.Recipe.ID, said.Recipe.Version), 100), Product: said.Product.Name,
		Managed: max(said.Repository.Managed, 0), Drifted: said.Repository.State == "drifted",
	}
	for _, one := range said.Invariants[:min(len(said.Invariants), maxBobInvariants)] {
		out.Invariants = append(out.Invariants, one.Statement)
	}
	return out
}

func (r Runner) parseBobPath(a *Answer, path string) BobPath {
	var said struct {
		Version        int    `json:"schema_version"`
		Workspace      string `json:"workspace"`
		Path           string `json:"path"`
		Classification string `json:"classification"`
		State          string `json:"state"`
		Effect         string `json:"human_edit_effect"`
	}
	if !a.bob("path", maxBobPath, &said) || !a.schema(said.Version, 1) || !a.same("workspace", said.Workspace, r.Workspace) || !a.same("path", said.Path, path) {
		return BobPath{}
	}
	out := BobPath{Path: path, Classification: said.Classification, State: said.State, Effect: said.Effect}
	for _, word := range []string{out.Classification, out.State, out.Effect} {
		if !keyword(word) {
			a.partly("it calls the path %q, which is no keyword", clip(word, 40))
			return BobPath{}
		}
	}
	return out
}

// bob reads the envelope strictly, member for member, and its data into v.
func (a *Answer) bob(command string, most int, v any) bool {
	if a.TimedOut || a.Truncated || a.Class == Unavailable {
		return false
	}
	if len(a.Stdout) > maxBobAnswer {
		a.partly("its answer of %d bytes is longer than the %d it documents", len(a.Stdout), maxBobAnswer)
		return false
	}
	var said struct {
		Version     *int              `json:"schema_version"`
		OK          *bool             `json:"ok"`
		Command     string            `json:"command"`
		Data        json.RawMessage   `json:"data"`
		Warnings    []json.RawMessage `json:"warnings"`
		NextActions []json.RawMessage `json:"next_actions"`
	}
	if err := strictly(a.Stdout, &said); err != nil || said.Version == nil || said.OK == nil || said.Command != command || saysTwice(a.Stdout) {
		a.partly("its answer is not the envelope that it documents")
		return false
	}
	if !a.schema(*said.Version, 1) {
		return false
	}
	if !*said.OK {
		a.bobRefused(said.Data)
		return false
	}
	var short bytes.Buffer
	if !a.OK() || json.Compact(&short, said.Data) != nil || short.Len() > most {
		a.partly("its data of %d bytes is longer than the %d it documents", short.Len(), most)
		return false
	}
	if err := json.Unmarshal(said.Data, v); err != nil {
		a.partly("its data is not what it documents: %s", clip(err.Error(), 120))
		return false
	}
	return true
}

// bobRefused is the reason in an envelope that is not ok.
func (a *Answer) bobRefused(data json.RawMessage) {
	var said struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &said) != nil || said.Error.Code == "" {
		a.downgrade(Failed, "it refused without saying why")
		return
	}
	class := Failed
	if said.Error.Code == "missing_manifest" {
		class = Unavailable
	}
	a.downgrade(class, "%s: %s", clip(said.Error.Code, 60), clip(strings.ToValidUTF8(said.Error.Message, "\uFFFD"), 200))
}

// same holds an answer to be about what was asked.
func (a *Answer) same(what, said, asked string) bool {
	if said == asked {
		return true
	}
	a.partly("it answers about the %s %q", what, clip(said, 120))
	return false
}

// strictly decodes one JSON value, with no member that v does not have and nothing after it.
func strictly(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("something follows the answer")
	}
	return nil
}

// keyword reports whether a word is one of those that programs use for states.
func keyword(word string) bool {
	return word != "" && len(word) <= 60 && !strings.ContainsFunc(word, func(c rune) bool { return (c < 'a' || c > 'z') && c != '_' && (c < '0' || c > '9') })
}
