package caseops

import "cortex/internal/op"

// Ops lists the verbs of the case kernel in the order of the documentation.
func Ops() []*op.Def {
	return []*op.Def{
		openTask, startTask, investigate, plan, beginChange, leaseRenew, leaseRelease,
		verify, resolve, note, remember, abort,
		status, show, list, readEvidence, fsck,
	}
}
