package op

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// FromText reads one value as a command line gives it: the field's value, or one element of a slice or map. The result
// is what Bind takes.
func (f Field) FromText(word string) (any, error) {
	t := f.elem()
	if !utf8.ValidString(word) {
		return nil, fmt.Errorf("must be valid UTF-8")
	}
	if isText(t) {
		v := reflect.New(t)
		if err := v.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(word)); err != nil {
			return nil, err
		}
		return v.Elem().Interface(), nil
	}
	switch kind := t.Kind(); {
	case kind == reflect.String:
		return word, nil
	case kind == reflect.Bool:
		b, err := strconv.ParseBool(word)
		if err != nil {
			return nil, fmt.Errorf("must be true or false (got %s)", quoted(word))
		}
		return b, nil
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		if _, err := strconv.ParseInt(word, 10, 64); err != nil {
			return nil, fmt.Errorf("must be an integer (got %s)", quoted(word))
		}
		return json.Number(word), nil
	case kind == reflect.Float64:
		if _, err := strconv.ParseFloat(word, 64); err != nil {
			return nil, fmt.Errorf("must be a number (got %s)", quoted(word))
		}
		return json.Number(word), nil
	}
	return nil, fmt.Errorf("has no form on a command line; give it with --input")
}

// words writes a value as FromText reads it, one word for each element. ok is false when it has no such form.
func (f Field) words(value any) (out []string, ok bool) {
	v := reflect.ValueOf(value)
	switch {
	case !v.IsValid():
		return nil, false
	case f.Slice() && v.Kind() == reflect.Slice:
		for i := range v.Len() {
			w, ok := word(v.Index(i).Interface())
			if !ok {
				return nil, false
			}
			out = append(out, w)
		}
		return out, true
	case f.Map() && v.Kind() == reflect.Map:
		for _, k := range v.MapKeys() {
			w, ok := word(v.MapIndex(k).Interface())
			if !ok {
				return nil, false
			}
			out = append(out, k.String()+"="+w)
		}
		slices.Sort(out)
		return out, true
	}
	w, ok := word(value)
	return []string{w}, ok
}

func word(value any) (string, bool) {
	if m, ok := value.(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		return string(text), err == nil
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		return word(v.Elem().Interface())
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float64:
		return fmt.Sprint(value), true
	}
	return "", false
}

// quoted shows a received value in a message, cut to a readable length.
func quoted(s string) string {
	const most = 80 // bytes: enough to recognise the value, too little to flood a message
	if len(s) > most {
		return strconv.Quote(clip(s, most)) + "…"
	}
	return strconv.Quote(s)
}

// clip cuts s to at most n bytes at a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
