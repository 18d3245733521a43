package code

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// spread does n things on all processors, each with the extractor of its goroutine, and returns when all are done. What
// do leaves undone when its context has ended is its own business.
func spread(n int, do func(e *extractor, i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			var e extractor
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(&e, i)
			}
		})
	}
	workers.Wait()
}
