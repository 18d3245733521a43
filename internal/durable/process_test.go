package durable_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"cortex/internal/durable"
	"cortex/internal/durable/osfs"
)

// The test binary starts itself as another process; these name its part and its directory.
const (
	childPart = "DURABLE_TEST_CHILD"
	childDir  = "DURABLE_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childPart) {
	case "":
		os.Exit(m.Run())
	case "append":
		childAppends()
	case "hold":
		childHolds()
	}
}

const linesPerWriter = 10

// childAppends prints every line that was acknowledged.
func childAppends() {
	fsys, err := osfs.Open(os.Getenv(childDir))
	if err != nil {
		panic(err)
	}
	for _, line := range appendLines(context.Background(), durable.New(fsys), fmt.Sprint("process ", os.Getpid())) {
		fmt.Println(line)
	}
}

// childHolds takes the lock in the middle of a change, says so, and waits to be killed.
func childHolds() {
	fsys, err := osfs.Open(os.Getenv(childDir))
	if err != nil {
		panic(err)
	}
	err = durable.New(fsys).Update(context.Background(), func(tx *durable.Tx) error {
		fmt.Println("held")
		time.Sleep(time.Minute)
		return tx.Put("never.txt", nil)
	})
	fmt.Println(err)
}

// appendLines adds lines through changes of both forms and returns what was acknowledged.
func appendLines(ctx context.Context, dir *durable.Dir, writer string) []string {
	var acknowledged []string
	for i := range linesPerWriter {
		line := fmt.Sprintf("%s line %d", writer, i)
		err := dir.Update(ctx, func(tx *durable.Tx) error {
			if i%3 == 0 {
				if err := tx.Put("last.txt", []byte(line)); err != nil {
					return err
				}
			}
			return tx.Append("evidence.jsonl", []byte(line+"\n"))
		})
		if err == nil {
			acknowledged = append(acknowledged, line)
		}
	}
	return acknowledged
}

func newOSDir(t *testing.T) (path string, fsys *osfs.FS) {
	t.Helper()
	path = t.TempDir()
	fsys, err := osfs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fsys.Close(); err != nil {
			t.Error(err)
		}
	})
	return path, fsys
}

func child(t *testing.T, part, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childPart+"="+part, childDir+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestAcknowledgedByManyIsRecordedOnce(t *testing.T) {
	t.Parallel()
	path, _ := newOSDir(t)
	var mu sync.Mutex
	var acknowledged []string
	collect := func(lines []string) {
		mu.Lock()
		defer mu.Unlock()
		acknowledged = append(acknowledged, lines...)
	}
	var wg sync.WaitGroup
	for range 3 {
		cmd := child(t, "append", path)
		wg.Go(func() {
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("child: %v", err)
			}
			collect(strings.Split(strings.TrimSpace(string(out)), "\n"))
		})
	}
	for i := range 4 {
		wg.Go(func() {
			fsys, err := osfs.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer fsys.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			collect(appendLines(ctx, durable.New(fsys), fmt.Sprint("goroutine ", i)))
		})
	}
	wg.Wait()
	if len(acknowledged) < 4*linesPerWriter {
		t.Errorf("%d lines acknowledged, want at least the %d of the goroutines", len(acknowledged), 4*linesPerWriter)
	}
	recorded := map[string]int{}
	text, err := os.ReadFile(path + "/evidence.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		recorded[strings.TrimSuffix(line, "\n")]++
	}
	for _, line := range acknowledged {
		if recorded[line] != 1 {
			t.Errorf("acknowledged %q is recorded %d times, want once", line, recorded[line])
		}
	}
	if len(recorded) < len(acknowledged) {
		t.Errorf("%d lines recorded, %d acknowledged", len(recorded), len(acknowledged))
	}
}

func TestKilledHolderOfTheLockBlocksNobody(t *testing.T) {
	t.Parallel()
	path, fsys := newOSDir(t)
	cmd := child(t, "hold", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("child said %q, %v, want held", line, err)
	}
	dir := durable.New(fsys)
	put := func(tx *durable.Tx) error { return tx.Put("a.txt", []byte("a")) }
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := dir.Update(short, put); !errors.Is(err, durable.ErrBusy) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("update beside a living holder = %v, want ErrBusy and the deadline", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := dir.Update(t.Context(), put); err != nil {
		t.Errorf("update after the kill: %v", err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("update after the kill took %v, want under a second", took)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the killed child ended well")
	}
	if _, err := os.Stat(path + "/never.txt"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of what the killed child staged = %v, want absent", err)
	}
}

func TestCanceledWaitIsNotBusy(t *testing.T) {
	t.Parallel()
	_, fsys := newOSDir(t)
	unlock, err := fsys.TryLock(true)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = durable.New(fsys).Update(ctx, func(*durable.Tx) error { return nil })
	if !errors.Is(err, context.Canceled) || errors.Is(err, durable.ErrBusy) {
		t.Errorf("update with a canceled context = %v, want context.Canceled", err)
	}
}
