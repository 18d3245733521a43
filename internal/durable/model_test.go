package durable_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"cortex/internal/durable"
)

// auditName is the ledger of which a power loss may take the last lines.
const auditName = "commands.jsonl"

// op is one Update of a script.
type op struct {
	puts     map[string]string
	appends  map[string]string // whole lines
	repairs  map[string]string // as appends, after cutting an incomplete tail
	removes  []string
	installs map[string]string
	taken    string // of an Install whose refusal, for the name is taken, the caller drops
	audit    string
}

// record is one ledger line that spans several blocks of a crashfs disk.
func record(n int) string {
	return fmt.Sprintf("{\"n\":%d,\"pad\":%q}\n", n, strings.Repeat(string(rune('a'+n%26)), 70))
}

func (o op) stage(tx *durable.Tx) error {
	var errs []error
	for name, data := range o.installs {
		errs = append(errs, tx.Install(name, []byte(data)))
	}
	if o.taken != "" {
		if err := tx.Install(o.taken, nil); !errors.Is(err, fs.ErrExist) {
			errs = append(errs, fmt.Errorf("install of a taken name: %w", err))
		}
	}
	for name, data := range o.puts {
		errs = append(errs, tx.Put(name, []byte(data)))
	}
	for name, data := range o.appends {
		errs = append(errs, tx.Append(name, []byte(data)))
	}
	for name, data := range o.repairs {
		errs = append(errs, repair(tx, name), tx.Append(name, []byte(data)))
	}
	for _, name := range o.removes {
		errs = append(errs, tx.Remove(name))
	}
	if o.audit != "" {
		errs = append(errs, tx.AppendAudit(auditName, []byte(o.audit)))
	}
	return errors.Join(errs...)
}

// files is how many files the op changes at once.
func (o op) files() int {
	n := len(o.puts) + len(o.appends) + len(o.repairs) + len(o.removes)
	if o.audit != "" {
		n++
	}
	return n
}

// repair cuts what readers skip at the end of a ledger.
func repair(tx *durable.Tx, name string) error {
	data, err := tx.ReadFile(name, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if good := len(wholeLines(string(data))); good < len(data) {
		return tx.Truncate(name, int64(good))
	}
	return nil
}

// wholeLines drops a last line that is not a record.
func wholeLines(text string) string {
	text = text[:strings.LastIndexByte(text, '\n')+1]
	last := strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n') + 1
	if strings.ContainsRune(text[last:], 0) {
		return text[:last]
	}
	return text
}

// world is what a directory must hold.
type world struct {
	files map[string]string
	audit []string
	// certain is how many audit lines no power loss may take, but for those from doubt[0] to before doubt[1], whose
	// sync failed.
	certain int
	doubt   [2]int
}

func (w world) with(o op) world {
	out := world{files: maps.Clone(w.files), audit: slices.Clone(w.audit), certain: w.certain, doubt: w.doubt}
	if out.files == nil {
		out.files = map[string]string{}
	}
	maps.Copy(out.files, o.installs)
	maps.Copy(out.files, o.puts)
	for _, lines := range []map[string]string{o.appends, o.repairs} {
		for name, text := range lines {
			out.files[name] = wholeLines(out.files[name]) + text
		}
	}
	for _, name := range o.removes {
		delete(out.files, name)
	}
	if o.audit != "" {
		out.audit = append(out.audit, strings.Split(strings.TrimSuffix(o.audit, "\n"), "\n")...)
		if len(o.puts)+len(o.appends)+len(o.repairs)+len(o.removes) == 0 {
			out.certain = len(out.audit)
		}
	}
	return out
}

// unacknowledged is w when the Update that leads to it has not returned: its audit lines, and those before, are as
// uncertain as they were.
func (w world) unacknowledged(before *world) *world {
	w.certain = before.certain
	return &w
}

// seen is what a reader makes of a directory.
type seen struct {
	files map[string]string
	audit []string
}

// observe reads everything through a snapshot, as a reader that skips what is no record.
func observe(s *durable.Snapshot) (seen, error) {
	out := seen{files: map[string]string{}}
	for _, dir := range []string{".", "raw"} {
		names, err := s.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return out, err
		}
		for _, name := range names {
			if name == "raw" {
				continue
			}
			if dir != "." {
				name = dir + "/" + name
			}
			data, err := s.ReadFile(name, 1<<20)
			if err != nil {
				return out, err
			}
			out.add(name, string(data))
		}
	}
	return out, nil
}

func (v *seen) add(name, text string) {
	switch {
	case name == auditName:
		for line := range strings.Lines(text) {
			if json.Valid([]byte(line)) {
				v.audit = append(v.audit, strings.TrimSuffix(line, "\n"))
			}
		}
	case strings.HasSuffix(name, ".jsonl"):
		v.files[name] = wholeLines(text)
	default:
		v.files[name] = text
	}
}

// matches says why a reader's view is not the world, or nil. Files that an unfinished Install left do not count.
func (w world) matches(v seen, orphans map[string]string) error {
	for name, want := range w.files {
		got, ok := v.files[name]
		if want = ledgerText(name, want); !ok || got != want {
			return fmt.Errorf("%s = %q (there: %t), want %q", name, got, ok, want)
		}
	}
	for name := range v.files {
		_, wanted := w.files[name]
		if _, orphan := orphans[name]; !wanted && !orphan {
			return fmt.Errorf("%s is there and must not be", name)
		}
	}
	return w.matchesAudit(v.audit)
}

func ledgerText(name, text string) string {
	if strings.HasSuffix(name, ".jsonl") {
		return wholeLines(text)
	}
	return text
}

// matchesAudit wants the certain lines, and of the others some, in order.
func (w world) matchesAudit(got []string) error {
	next := 0
	for i, want := range w.audit {
		if next < len(got) && got[next] == want {
			next++
			continue
		}
		if i < w.certain && (i < w.doubt[0] || i >= w.doubt[1]) {
			return fmt.Errorf("audit line %q is lost, have %q", want, got)
		}
	}
	if next < len(got) {
		return fmt.Errorf("audit line %q is no record that was written, want some of %q", got[next], w.audit)
	}
	return nil
}
