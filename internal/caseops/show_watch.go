package caseops

// Watching is what a watcher of the case must know: its id, and whether the case has ended.
func (v *Shown) Watching() (taskID string, ended bool) { return v.Case.ID, v.Case.Status.Terminal() }
