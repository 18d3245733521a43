package op

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// JSONWithin is JSON in at most limit bytes, as far as v can be made shorter. Over the limit it leaves the blanks out, has
// a Shrinker leave out what it can, and then cuts long texts, which it says in a warning. It changes v, a pointer.
func (c Call) JSONWithin(v any, limit int) ([]byte, error) {
	raw, err := c.compact(v, limit)
	if shrinker, can := v.(Shrinker); can {
		for range 3 { // what it leaves out is replaced by a cursor and a count, so that one round may not be enough
			if err != nil || len(raw) <= limit {
				return raw, err
			}
			shrinker.Shrink(len(raw) - limit)
			raw, err = c.compact(v, limit)
		}
	}
	most := 0
	for _, most = range []int{128 << 10, 64 << 10, 32 << 10, 16 << 10, 4 << 10, 1 << 10, 256} {
		if err != nil || len(raw) <= limit {
			return raw, err
		}
		if cutTexts(reflect.ValueOf(v), most) == 0 {
			continue
		}
		if raw, err = c.compact(v, limit-roomForWarning); err == nil && len(raw) <= limit-roomForWarning {
			break
		}
	}
	if warned, can := v.(Warned); can {
		warned.Warn(fmt.Sprintf("texts over %d bytes are cut in this answer and end in …", most))
	}
	if err != nil {
		return nil, err
	}
	return c.compact(v, limit)
}

// roomForWarning is what the warning about cut texts takes at most.
const roomForWarning = 128

// compact is JSON, without its blanks when it is over limit with them.
func (c Call) compact(v any, limit int) ([]byte, error) {
	raw, err := c.JSON(v)
	if err != nil || len(raw) <= limit {
		return raw, err
	}
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return nil, fmt.Errorf("compact the result: %w", err)
	}
	return append(out.Bytes(), '\n'), nil
}

// cutTexts cuts every text below v over most bytes at a character, and returns how many it cut. Actions stay as they are:
// what they hold is to be sent back.
func cutTexts(v reflect.Value, most int) int {
	n := 0
	switch v.Kind() {
	case reflect.Pointer:
		return cutTexts(v.Elem(), most)
	case reflect.Slice:
		for i := range v.Len() {
			n += cutTexts(v.Index(i), most)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Action]() {
			return 0
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "NextActions" { // the prose of the actions
				n += cutTexts(v.Field(i), most)
			}
		}
	case reflect.String:
		if v.CanSet() && v.Len() > most {
			v.SetString(Cut(v.String(), most))
			n++
		}
	}
	return n
}

// Cut returns text in at most most bytes, at a character and with … at its end when something is missing. most is at
// least three.
func Cut(text string, most int) string {
	const mark = "…"
	if len(text) <= most {
		return text
	}
	end := most - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
