// Package casefile holds the case: its records as they are on disk and on the wire, and the rules about them (phases,
// lease, planning gate, evidence, hypotheses, receipts and their one assessment, completion, limits).
//
// It must not hold I/O, a clock, the environment, or anything about git or processes: rules take their facts, and the
// time, as arguments and return a value or a *problem.Problem.
//
// Invariants: JSON names, order and omissions are those of the published case format (docs/formats/case.md); enumerated
// values read from disk are never rejected, only writes are checked; there is exactly one assessment of receipts, Judge.
package casefile
