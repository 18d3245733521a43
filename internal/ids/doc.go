// Package ids holds the one source of identifiers and of the time.
//
// It must not hold anything that knows what an identifier stands for.
//
// Invariants: an identifier is a prefix, an underscore and 16 characters of Crockford base32 over 48 bits of Unix
// milliseconds and 32 random bits, so identifiers of one prefix sort by creation to the millisecond.
package ids
