package caseops

import "cortex/internal/op"

// Ops lists the verbs of the case kernel in the order of the documentation.
func Ops() []*op.Def {
	return []*op.Def{
		openTask, startTask, investigate, plan, beginChange, leaseRenew, leaseRelease,
		verify, resolve, note, criterionAdd, decisionRequest, decisionAnswer, decisionResume, decisionList,
		remember, abort, reopen,
		status, show, list, readEvidence, recallCases, readArtifact, handoff, fsck,
	}
}
