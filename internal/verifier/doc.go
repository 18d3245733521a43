// Package verifier holds the running of one configured check and the judging of what it reports: which test runner it is,
// what the runner counted, and the one verdict that follows.
//
// It must not hold anything about cases, receipts, grants or git: its types have the words of the case, not its types. Who
// may run a check, and what a verdict proves, is decided by the caller.
//
// Invariants:
//   - A check that executed no test never passes where the runner is recognised; a report that cannot be read is
//     inconclusive, whatever the exit status.
//   - The verdict is one pure function (judge) of how the process ended and what the report says.
//   - A report is read as a stream where its format allows; memory is bounded by the kept output, the names of maxTests tests,
//     and for JSON by maxReport.
//   - Nothing that is printed turns an exit status other than zero into a pass, and a report file counts only when this run
//     wrote it.
//   - Behind a wrapper every runner is recognised by its text. Several complete ones are added; an incomplete one leaves the
//     counts unknown.
//   - Counted are leaf tests: a test with subtests counts only when it failed by itself. A test that runs twice counts twice.
//     Benchmarks count only when they fail. A package that fails without a failed test counts as one failed test.
//   - One file per report format; a new runner is such a file, a line in recognise.go, one in runner.go and one in wrapped.go.
package verifier
