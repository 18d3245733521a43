package ids

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"time"
)

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford base32

// Source makes identifiers and tells the time. The zero value is not usable: take System or set both fields. It is
// safe for concurrent use when its fields are.
type Source struct {
	Now  func() time.Time
	Rand io.Reader
}

// System returns the source of a running program: the wall clock in UTC and the system's randomness.
func System() Source {
	return Source{Now: func() time.Time { return time.Now().UTC() }, Rand: rand.Reader}
}

// New returns a fresh identifier such as "task_06H2VPRM4KDG25WQ". It panics when the randomness fails, which
// crypto/rand never does.
func (s Source) New(prefix string) string {
	return prefix + "_" + s.body(s.Now())
}

func (s Source) body(at time.Time) string {
	var raw [10]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(raw[:6], ms[2:])
	if _, err := io.ReadFull(s.Rand, raw[6:]); err != nil {
		panic("ids: no randomness: " + err.Error())
	}
	return encode(raw)
}

// encode writes 80 bits as 16 symbols of 5 bits, most significant first.
func encode(raw [10]byte) string {
	out := make([]byte, 0, 16)
	var acc uint32
	bits := 0
	for _, b := range raw {
		acc = acc<<8 | uint32(b)
		bits += 8
		for bits >= 5 {
			bits -= 5
			out = append(out, alphabet[acc>>bits&31])
		}
	}
	return string(out)
}
