// Package redact holds the one pattern redactor: it finds what looks like a secret in text or in the strings of a JSON
// document and puts Mask in its place.
//
// It must not hold I/O, a list of who redacts what, truncation (callers mask first and cut afterwards), or anything about
// cases and documents. It imports the standard library only.
//
// Invariants: masking is idempotent up to the bound of maxRounds; text without a secret is returned as it is, without an
// allocation; valid JSON stays valid JSON; the time is linear in the input; nothing is built before the first use; commit
// hashes, digests, UUIDs, our identifiers, integrity strings and times are never taken for a secret by their shape. When
// the text itself gives a value a secret's name, it is masked even if it is bare hexadecimal: false positives are
// preferred to leaks.
package redact
