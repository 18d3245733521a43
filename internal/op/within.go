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
	for room := limit; ; {
		if err := c.shorten(v, room); err != nil {
			return nil, err
		}
		raw, err := c.JSON(v)
		if err == nil && len(raw) > limit {
			raw, err = compact(raw)
		}
		excess := len(raw) - limit
		if err != nil || excess <= 0 || excess >= room || room < limit {
			return raw, err
		}
		room -= excess // masks have made it longer
	}
}

// shorten makes the unmasked JSON of v fit into limit bytes without blanks. Masking takes longer than all the rest, and
// most of what is too long is left out anyway.
func (c Call) shorten(v any, limit int) error {
	size, err := plainSize(v)
	if shrinker, can := v.(Shrinker); can {
		for rounds := 0; err == nil && size > limit && rounds < 3; rounds++ { // a cursor or a count may take what was won
			shrinker.Shrink(size - limit)
			size, err = plainSize(v)
		}
	}
	if err != nil || size <= limit {
		return err
	}
	most := 0
	for _, most = range []int{128 << 10, 64 << 10, 32 << 10, 16 << 10, 4 << 10, 1 << 10, 256} {
		if CutTexts(v, most, c.Text) == 0 {
			continue
		}
		if size, err = plainSize(v); err != nil || size <= limit-roomForWarning {
			break
		}
	}
	if warned, can := v.(Warned); can {
		warned.Warn(fmt.Sprintf("texts over %d bytes are cut in this answer and end in …", most))
	}
	return err
}

// roomForWarning is what the warning about cut texts takes at most.
const roomForWarning = 128

// plainSize is the size of v's JSON without blanks and masks.
func plainSize(v any) (int, error) {
	var size counter
	enc := json.NewEncoder(&size)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return 0, fmt.Errorf("encode the result: %w", err)
	}
	return int(size), nil
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func compact(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return nil, fmt.Errorf("compact the result: %w", err)
	}
	return append(out.Bytes(), '\n'), nil
}

// CutTexts cuts every text below v, a pointer, over most bytes at a character, and returns how many it cut. Each is masked
// first: half a secret is not recognised. Actions stay as they are: what they hold is to be sent back.
func CutTexts(v any, most int, mask func(string) string) int {
	return cutTexts(reflect.ValueOf(v), most, mask)
}

func cutTexts(v reflect.Value, most int, mask func(string) string) int {
	n := 0
	switch v.Kind() {
	case reflect.Pointer:
		return cutTexts(v.Elem(), most, mask)
	case reflect.Slice:
		for i := range v.Len() {
			n += cutTexts(v.Index(i), most, mask)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Action]() {
			return 0
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "NextActions" { // the prose of the actions
				n += cutTexts(v.Field(i), most, mask)
			}
		}
	case reflect.String:
		if v.CanSet() && v.Len() > most {
			v.SetString(Cut(mask(v.String()), most))
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
