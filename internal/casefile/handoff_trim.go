package casefile

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"cortex/internal/problem"
)

// trimmer shortens what goes into a packet and remembers whether it did.
type trimmer struct {
	text int // bytes of one text
	cut  bool
	kept int // bytes of the texts that were kept
}

// shorten returns a copy of v in which every text, at any depth, is at most t.text bytes and an ellipsis, cut at a
// character, and every list has at most most elements.
func shorten[T any](t *trimmer, v T, most int) T {
	return t.copy(reflect.ValueOf(&v).Elem(), most).Interface().(T)
}

func (t *trimmer) copy(v reflect.Value, most int) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		return v
	case v.Kind() == reflect.String:
		out.SetString(t.clip(v.String()))
	case v.Kind() == reflect.Pointer && !v.IsNil():
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(t.copy(v.Elem(), most))
	case v.Kind() == reflect.Slice && !v.IsNil():
		n := min(v.Len(), most)
		t.cut = t.cut || n < v.Len()
		out.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			out.Index(i).Set(t.copy(v.Index(i), most))
		}
	case v.Kind() == reflect.Struct:
		out.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(t.copy(v.Field(i), most))
			}
		}
	default:
		return v
	}
	return out
}

func (t *trimmer) clip(s string) string {
	if len(s) > t.text {
		t.cut = true
		s = clip(s, t.text) + "…"
	}
	t.kept += len(s)
	return s
}

// first keeps the first n elements, last the last ones.
func first[T any](t *trimmer, list []T, n int) []T {
	t.cut = t.cut || len(list) > n
	return list[:min(len(list), n)]
}

func last[T any](t *trimmer, list []T, n int) []T {
	t.cut = t.cut || len(list) > n
	return newest(list, n)
}

// shortenSteps bounds steps without making one wrong: an argument that is too long becomes an input that the reader must
// supply, a candidate that is too long is left out.
func shortenSteps(t *trimmer, steps []problem.Step, most int) []problem.Step {
	out := slices.Clone(steps)
	for i, s := range out {
		out[i].Args, out[i].Candidates = map[string]any{}, nil
		out[i].Inputs, out[i].BlockedBy = slices.Clone(s.Inputs), shorten(t, s.BlockedBy, most)
		out[i].Why = t.clip(s.Why)
		for _, name := range slices.Sorted(maps.Keys(s.Args)) {
			if raw, err := json.Marshal(s.Args[name]); err == nil && len(raw) <= t.text {
				out[i].Args[name] = s.Args[name]
				continue
			}
			t.cut = true
			out[i].Inputs = append(out[i].Inputs, name)
		}
		for name, values := range s.Candidates {
			short := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) > t.text })
			short = first(t, short, most)
			t.cut = t.cut || len(short) < len(values)
			if out[i].Candidates == nil {
				out[i].Candidates = map[string][]string{}
			}
			out[i].Candidates[name] = short
		}
	}
	return out
}
