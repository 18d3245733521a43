package tool

import "testing"

// TestWhatIsSaidTwiceIsNoAnswer has the second of two members, or of two spellings of one, say that all is well.
func TestWhatIsSaidTwiceIsNoAnswer(t *testing.T) {
	t.Parallel()
	r := Runner{Workspace: t.TempDir()}
	for text, read := range map[string]func(*Answer){
		`{"registered":true,"nodes":1,"stale":7,"stale":0}`:                                        func(a *Answer) { parseIndex(a) },
		`{"registered":true,"nodes":0,"Nodes":1}`:                                                  func(a *Answer) { parseIndex(a) },
		goodReview[:len(goodReview)-1] + `,"Stale":false}`:                                         func(a *Answer) { r.parseReview(a, "working") },
		`{"checks":[{"name":"vault","status":"fail","status":"ok"}]}`:                              func(a *Answer) { parseVaultHealth(a) },
		`{"id":"fc_1","files":[{"path":"a","size":2,"size":1}]}`:                                   func(a *Answer) { parseStashInfo(a, "fc_1") },
		`[{"name":"server:cortex","ok":false,"ok":true}]`:                                          func(a *Answer) { parseGateway(a, "cortex") },
		`{"schemaVersion":2,"schemaVersion":1,"specs":[]}`:                                         func(a *Answer) { r.selection(a, "specs") },
		bobEnvelope("context", `{"schema_version":2,`+bobContextData(r.Workspace, "clean")[1:]):    func(a *Answer) { r.parseBobContext(a) },
		`{"ok":true,"evidence":[],"code_matches":[],"evidence":[{"time_seconds":1,"ocr":"fine"}]}`: func(a *Answer) { r.parseVideo(a) },
	} {
		a := printed(text, 0)
		if read(a); a.Class != Partial || a.Cause == "" {
			t.Errorf("%s: %s (%q), want partial", text, a.Class, a.Cause)
		}
	}
}

// TestBytesThatAreNoJSONAreNoAnswer holds decoding to what a program on another system may print around its answer.
func TestBytesThatAreNoJSONAreNoAnswer(t *testing.T) {
	t.Parallel()
	const good = `{"registered":true,"nodes":1}`
	for _, text := range []string{"\ufeff" + good, good + good, good + "\ndone", good + "\x00", "\xff\xfe{\x00}\x00", good[:20], `{"registered":true,"nodes":1e999}`, `{"registered":true,"nodes":1.5}`} {
		a := printed(text, 0)
		if parseIndex(a); a.Class != Partial || a.Cause == "" {
			t.Errorf("%q: %s (%q), want partial", text, a.Class, a.Cause)
		}
	}
}
