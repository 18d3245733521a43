package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPreviewFitsAnMCPResultAndSaysWhatItHolds(t *testing.T) {
	t.Parallel()
	environ, home := isolated(t)
	repo := sumRepository(t, environ)
	a := startAgent(t, cortexCommand(t, environ, repo, "serve"))
	task := a.must("cortex_open_task", map[string]any{"goal": "g", "mode": "investigate"}, "ok", true)["taskId"].(string)
	raws := filepath.Join(home, ".local/state/cortex/sessions/sum", task, "raw")
	if err := os.MkdirAll(raws, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"raw_plain": "x", "raw_quotes": `"`, "raw_wide": "☺", "raw_binary": "\x00"} {
		if err := os.WriteFile(filepath.Join(raws, name+".txt"), []byte(strings.Repeat(text, 200_000/len(text))), 0o600); err != nil {
			t.Fatal(err)
		}
		got, isError := a.call("cortex_read_artifact", map[string]any{
			"taskId": task, "ref": "case://" + task + "/raw/" + name, "maxBytes": 131072, "allowBinary": true,
		})
		content, _ := got["content"].(string)
		size := len(content)
		if got["encoding"] == "base64" {
			size = size / 4 * 3
		}
		if isError || got["truncated"] != true || got["warnings"] != nil || got["bytesReturned"] != float64(size) || size < 60_000 {
			t.Errorf("%s: error %v, truncated %v, warnings %v, %v of %d bytes", name, isError, got["truncated"], got["warnings"], got["bytesReturned"], size)
		}
	}
}
