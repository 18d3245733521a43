package durable_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"cortex/internal/durable"
	"cortex/internal/durable/crashfs"
	"cortex/internal/durable/osfs"
)

// TestAgainstModel plays random changes, some of them failing, on both file systems.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	t.Run("crashfs", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) { playRandomly(rt, crashfs.New().FS(), 20) })
	})
	t.Run("osfs", func(t *testing.T) {
		t.Parallel()
		base := t.TempDir()
		rapid.Check(t, func(rt *rapid.T) {
			path, err := os.MkdirTemp(base, "")
			if err != nil {
				rt.Fatal(err)
			}
			fsys, err := osfs.Open(path)
			if err != nil {
				rt.Fatal(err)
			}
			defer fsys.Close()
			playRandomly(rt, fsys, 3)
		})
	})
}

func playRandomly(rt *rapid.T, fsys durable.FS, most int) {
	dir, now := durable.New(fsys), world{}
	for i := range rapid.IntRange(1, most).Draw(rt, "changes") {
		o := drawOp(rt, i, now)
		refuse := rapid.IntRange(0, 5).Draw(rt, "refuse") == 0
		err := dir.Update(rt.Context(), func(tx *durable.Tx) error {
			if err := o.stage(tx); err != nil || !refuse {
				return err
			}
			return errRefused
		})
		if refuse {
			if err != errRefused {
				rt.Fatalf("update = %v, want the error of its function", err)
			}
		} else if err != nil {
			rt.Fatalf("update %+v: %v", o, err)
		} else {
			now = now.with(o)
		}
		err = dir.View(rt.Context(), func(s *durable.Snapshot) error {
			v, err := observe(s)
			now.certain = len(now.audit)
			return errors.Join(err, now.matches(v, nil))
		})
		if err != nil {
			rt.Fatalf("after %+v: %v", o, err)
		}
	}
}

var errRefused = errors.New("refused by the test")

// drawOp touches each file at most once, since a script's op names its files in no order.
func drawOp(rt *rapid.T, n int, now world) op {
	o := op{puts: map[string]string{}, appends: map[string]string{}}
	for i, name := range []string{"case.json", "a.jsonl", "b.jsonl", "raw/x.txt", "raw/y.jsonl"} {
		_, there := now.files[name]
		switch action := rapid.SampledFrom([]string{"", "", "put", "append", "remove"}).Draw(rt, name); {
		case action == "put", action == "append" && i%3 == 0:
			o.puts[name] = record(n + i)
		case action == "append":
			o.appends[name] = record(n) + record(i)
		case action == "remove" && there:
			o.removes = append(o.removes, name)
		}
	}
	if rapid.Bool().Draw(rt, "audit") {
		o.audit = fmt.Sprintf("{\"audit\":%d}\n", n)
	}
	return o
}
