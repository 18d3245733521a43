// Package code holds what Cortex reads from a repository's source by itself: definitions, imports, the graph of modules,
// call sites, and a ranked search.
//
// It must not hold cases, verbs or the running of git, and it must not print a coincidence of names as a fact.
//
// Invariants: reading never panics and ends in time linear in the bytes read, whatever they are; lines of definitions are
// ordered and lie in their file; what was not read is named with the reason; the cache may be deleted at any moment, and
// what it answers is what a new one would.
//
// Structure: a lexer with a row for each language cuts a file into tokens (language.go, lexer.go), a reader takes
// definitions and imports from them (read_*.go), and these facts are kept by extractor version, ending of the name and
// blob (facts_cache.go). What imports lead to is resolved anew each time (resolve*.go, graph.go), so that a changed
// manifest changes files that did not. Callers and a review read the files again that can see a name (callers.go,
// tiers.go, review.go).
//
// Search: a refresh reads the files whose path and blob the index has not seen, stores a weight for each of their terms
// (index.go, terms.go, weight.go, postings.go), and notes which documents this worktree has (live.go). A question adds up
// the weights of its words by their rarity (question.go, forms.go, score.go), demotes by what a file is for (class.go) and
// lets tests vouch for their subjects (vouch.go); then the best files are read for words that stand together, and for the
// lines to show (search.go, window.go). Whoever changes a number of this measures it with scripts/dev/questions.
package code
