package caseops

import (
	"encoding/json"
	"fmt"
	"slices"

	"cortex/internal/casefile"
)

// newestShare returns the newest elements that take up the given share of the bytes of all, and one at least.
func newestShare[T any](all []T, share float64) []T {
	room := share * float64(jsonSize(all))
	for i := len(all) - 1; i >= 0; i-- {
		if room -= float64(jsonSize(all[i])); room < 0 {
			return all[min(i+1, len(all)-1):]
		}
	}
	return all
}

// without is newestShare for an answer that is to become excess bytes shorter by this list alone.
func without[T any](all []T, excess int) []T {
	size := jsonSize(all)
	if excess <= 0 || size == 0 {
		return all
	}
	return newestShare(all, max(0, float64(size-excess)/float64(size)))
}

// jsonSize is about how many bytes v takes in an answer.
func jsonSize(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0 // the answer itself will say so
	}
	return len(raw)
}

// Shrink leaves out the oldest children.
func (v *Status) Shrink(excess int) {
	all := len(v.Children)
	if v.Children = without(v.Children, excess); len(v.Children) == all {
		return
	}
	v.ChildTaskIDs = v.ChildTaskIDs[len(v.ChildTaskIDs)-min(len(v.ChildTaskIDs), len(v.Children)):]
	v.Warn(fmt.Sprintf("%d older children are not listed", all-len(v.Children)))
}

// Shrink leaves out receipts, first those that passed.
func (r *VerifyResult) Shrink(excess int) {
	all := len(r.Receipts)
	passedFirst := slices.Clone(r.Receipts)
	slices.SortStableFunc(passedFirst, func(a, b casefile.Receipt) int {
		return rank(a.Status != casefile.StatusPassed) - rank(b.Status != casefile.StatusPassed)
	})
	if kept := without(passedFirst, excess); len(kept) < all {
		r.Receipts = kept
		r.Warn(fmt.Sprintf("%d receipts of this call are not listed; show has them", all-len(kept)))
	}
}

func rank(later bool) int {
	if later {
		return 1
	}
	return 0
}
