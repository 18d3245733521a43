// Package caseops holds the verbs of the case kernel, one file each: load the records, let the rules of casefile decide,
// change the case in one transaction.
//
// It must not hold rules (casefile), file layout (casestore), git (gitrepo), or anything about how an answer is shown.
//
// Invariants: a verb reads and writes a case only through casestore; no lock is held while git or a check runs; a verb
// that answers success has made everything it says durable; every refusal is a *problem.Problem with a way on.
package caseops
