package casestore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"cortex/internal/casefile"
	"cortex/internal/problem"
	"cortex/internal/redact"
)

// form is how a value lies in a file.
type form int

const (
	snapshotForm form = iota // indented JSON, < > & as they are, one final newline
	recordForm               // one line of JSON, < > & escaped
	textForm                 // the string itself
)

// encoder turns values into the bytes of files. It is the only place that does, so nothing reaches a file unmasked.
type encoder struct {
	mask *redact.Redactor
}

// encode returns the bytes of v in a form, masked and within max. Prev is what the file holds now; its unknown members
// are carried over (snapshots only). The name is for messages.
func (e encoder) encode(f form, name string, max int, prev []byte, v any) ([]byte, error) {
	if at := notText(reflect.ValueOf(v), ""); at != "" {
		return nil, problem.New(problem.InvalidInput, "%s of %s is not valid UTF-8.", at, name).
			On(at, nil, "UTF-8 text").Without("give the text in UTF-8")
	}
	out, err := e.masked(f, prev, v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	if len(out) > max {
		return nil, problem.New(problem.TooLarge, "%s would be %d bytes; its limit is %d.", name, len(out), max).
			Without("shorten the texts or split the work into child cases")
	}
	return out, nil
}

func (e encoder) masked(f form, prev []byte, v any) ([]byte, error) {
	if f == textForm {
		return []byte(e.mask.Text(reflect.ValueOf(v).String())), nil
	}
	if f == recordForm {
		raw, err := json.Marshal(v)
		return append(e.mask.JSON(raw), '\n'), err
	}
	var raw, out bytes.Buffer
	enc := json.NewEncoder(&raw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	whole := merge(prev, bytes.TrimSuffix(raw.Bytes(), []byte("\n")), reflect.TypeOf(v))
	if err := json.Indent(&out, e.mask.JSON(whole), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// notText returns the JSON path of the first string inside v that is not UTF-8, or "". The JSON encoder would replace
// the bytes without a word.
func notText(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return orWhole(path)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return notText(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at := notText(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); at != "" {
				return at
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if at := notText(it.Key(), path); at != "" {
				return at
			}
			if at := notText(it.Value(), path); at != "" {
				return at
			}
		}
	case reflect.Struct:
		return notTextIn(v, path)
	}
	return ""
}

func notTextIn(v reflect.Value, path string) string {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name := jsonName(field)
		if path != "" {
			name = path + "." + name
		}
		if at := notText(v.Field(i), name); at != "" {
			return at
		}
	}
	return ""
}

func orWhole(path string) string {
	if path == "" {
		return "the text"
	}
	return path
}

// sensitive returns ev with its sensitivity set, to sensitive when masking changes what it says or where it points.
func (e encoder) sensitive(ev casefile.Evidence) casefile.Evidence {
	texts := []string{ev.Claim, ev.Source.URI}
	if ev.Location != nil {
		texts = append(texts, ev.Location.File, ev.Location.Symbol)
	}
	if ev.Sensitivity == "" {
		ev.Sensitivity = casefile.SensitivityNormal
	}
	if e.changesAny(texts...) {
		ev.Sensitivity = casefile.SensitivitySensitive
	}
	return ev
}

// clipped returns c with its note within casefile.MaxAuditNoteRunes. It masks before it cuts: half a secret would pass.
func (e encoder) clipped(c casefile.CommandRecord) casefile.CommandRecord {
	if utf8.RuneCountInString(c.Note) > casefile.MaxAuditNoteRunes {
		masked := []rune(e.mask.Text(c.Note))
		c.Note = string(masked[:min(len(masked), casefile.MaxAuditNoteRunes)])
	}
	return c
}

// sameTerms reports whether two cases have the same immutable part, as it lies on disk: a caller may still hold the words
// that were masked when the case was created.
func (e encoder) sameTerms(a, b *casefile.Case) bool {
	return slices.EqualFunc(a.AcceptanceCriteria, b.AcceptanceCriteria, func(x, y casefile.Criterion) bool {
		return x.ID == y.ID && x.Kind == y.Kind && e.mask.Text(x.Statement) == e.mask.Text(y.Statement)
	}) && slices.EqualFunc(a.AllowedPaths, b.AllowedPaths, func(x, y string) bool { return e.mask.Text(x) == e.mask.Text(y) })
}

func (e encoder) changesAny(texts ...string) bool {
	for _, t := range texts {
		if e.mask.Changed(t) {
			return true
		}
	}
	return false
}
