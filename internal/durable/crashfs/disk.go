package crashfs

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// ErrStopped is the failure of every call after the step at which the process died.
var ErrStopped = errors.New("crashfs: the process is dead")

// defaultBlock is small so that short test data has several blocks.
const defaultBlock = 64

// Disk is the state of a machine: what running processes see, and what a power loss would leave. The fields are set
// before use; the methods are safe for concurrent use.
type Disk struct {
	// BlockSize is the unit in bytes in which a write reaches the disk.
	BlockSize int
	// SkipFileSync and SkipDirSync make the sync of files or directories do nothing, to prove that tests notice.
	SkipFileSync, SkipDirSync bool

	mu     sync.Mutex
	root   *node
	seq    int // order of the pending changes
	steps  int
	stopAt int // -1: never
	fail   map[int]error
	space  int64 // bytes that may still be written; -1: without bound
	locks  map[*node]int
}

// New returns an empty disk.
func New() *Disk {
	return &Disk{
		BlockSize: defaultBlock, root: newDir(), stopAt: -1, space: -1,
		fail: map[int]error{}, locks: map[*node]int{},
	}
}

// Steps returns how many calls have changed or synced something.
func (d *Disk) Steps() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.steps
}

// StopAfter lets n more steps happen; every later call fails with ErrStopped, as for a process that died there.
func (d *Disk) StopAfter(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stopAt = d.steps + n
}

// FailStep makes the n-th step from now (0 is the next) fail with err and do nothing. A sync of a file that fails so
// is never made up for by a later one: only what is written again can become durable.
func (d *Disk) FailStep(n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail[d.steps+n] = err
}

// SetSpace sets how many bytes may still be written before writes end with ENOSPC, partly done; -1 is without bound. A
// new name costs one byte.
func (d *Disk) SetSpace(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.space = bytes
}

// step accounts for one change. The caller holds mu.
func (d *Disk) step() error {
	if err := d.alive(); err != nil {
		return err
	}
	d.steps++
	return d.fail[d.steps-1]
}

func (d *Disk) alive() error {
	if d.stopAt >= 0 && d.steps >= d.stopAt {
		return ErrStopped
	}
	return nil
}

// pend records a change of n that the next sync of n covers, and makes it seen.
func (d *Disk) pend(n *node, c change) {
	d.seq++
	c.seq = d.seq
	n.pending = append(n.pending, c)
	n.apply(c)
}

// Kill returns the machine after the death of its processes: nothing is lost, locks are free. The receiver stays usable.
func (d *Disk) Kill() *Disk { return d.copy(nil) }

// Pending returns how many changes a power loss may take.
func (d *Disk) Pending() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.unsynced())
}

// PowerLoss returns the machine after a power loss that only those pending changes survived, in the order they were
// made, for which keep is true. The receiver stays usable.
func (d *Disk) PowerLoss(keep func(i int) bool) *Disk { return d.copy(keep) }

// States calls each with states that a power loss can leave, until each returns false: all of them when there are at
// most limit, otherwise limit random ones of this seed, of which the first keeps nothing and the second everything.
func (d *Disk) States(seed uint64, limit int, each func(*Disk) bool) {
	n := d.Pending()
	if n < bits.Len(uint(limit)) {
		for set := range 1 << n {
			if !each(d.PowerLoss(func(i int) bool { return set>>i&1 == 1 })) {
				return
			}
		}
		return
	}
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for i := range limit {
		share := rng.Float64() // some states keep nearly all, some nearly nothing
		if i < 2 {
			share = float64(i)
		}
		if !each(d.PowerLoss(func(int) bool { return rng.Float64() < share })) {
			return
		}
	}
}

// unsynced lists the pending changes of all nodes in the order they were made. The caller holds mu.
func (d *Disk) unsynced() []int {
	var seqs []int
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		for _, c := range n.pending {
			seqs = append(seqs, c.seq)
			walk(c.child)
		}
		for _, names := range []map[string]*node{n.names, n.safeNames} {
			for _, child := range names {
				walk(child)
			}
		}
	}
	walk(d.root)
	slices.Sort(seqs)
	return seqs
}

// copy clones the machine; keep == nil clones what processes see and all that is pending.
func (d *Disk) copy(keep func(i int) bool) *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := New()
	out.BlockSize, out.seq = d.BlockSize, d.seq
	out.SkipFileSync, out.SkipDirSync = d.SkipFileSync, d.SkipDirSync
	c := cloner{live: keep == nil, block: int64(d.BlockSize), survives: map[int]bool{}, clones: map[*node]*node{}}
	if keep != nil {
		for i, seq := range d.unsynced() {
			c.survives[seq] = keep(i)
		}
	}
	out.root = c.clone(d.root)
	return out
}

// Image describes every name and byte that processes see, to compare two disks.
func (d *Disk) Image() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b strings.Builder
	d.root.image(&b, "")
	return b.String()
}
