package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func groupAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitLeader waits for the end of the child and leaves it as a zombie, which holds the group's number: killing the group
// before the child is reaped cannot hit a stranger that got the same number.
// It is false when it could not wait.
func (*group) awaitLeader(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// sweepPasses bounds how often sweep looks again for what was started while it looked.
const sweepPasses = 20

// sweep kills every process that has mark, "NAME=value", in its environment. It looks until it has found nothing twice: a
// process that is just executing another program shows no environment for a moment.
func sweep(mark string) {
	quiet := 0
	for range sweepPasses {
		if killMarked([]byte(mark)) > 0 {
			quiet = 0
		} else if quiet++; quiet == 2 {
			return
		}
		time.Sleep(2 * time.Millisecond) // the killed ones need a moment to end
	}
}

// descendants finds everything that descends from pid, which has to be alive, by way of parents that are alive as well: also
// what left the group and wiped its environment. The caller releases the handles.
func descendants(pid int) []*os.Process {
	children := map[int][]int{}
	for _, p := range processes() {
		if parent := parentOf(p); parent > 0 {
			children[parent] = append(children[parent], p)
		}
	}
	var found []*os.Process
	for parents := []int{pid}; len(parents) > 0; parents = parents[1:] {
		for _, child := range children[parents[0]] {
			p, err := os.FindProcess(child)
			if err != nil {
				continue // it ended
			}
			// Asked again with a handle on the process: the first answer may have been about an earlier owner of the number.
			if parentOf(child) == parents[0] {
				found, parents = append(found, p), append(parents, child)
			}
		}
	}
	return found
}

// parentOf is the number of the parent of a process, 0 when it ended.
func parentOf(pid int) int {
	fields := statOf(pid)
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return parent
}

// statOf are the fields of a process from its state on; none when it ended.
func statOf(pid int) [][]byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	// "PID (NAME) STATE PARENT …"; NAME may hold anything, so count from its last parenthesis.
	return bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
}

// processes are the numbers of all processes that can be seen.
func processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func killMarked(mark []byte) (killed int) {
	for _, pid := range processes() {
		if killIfMarked(pid, mark) {
			killed++
		}
	}
	return killed
}

func killIfMarked(pid int, mark []byte) bool {
	if !marked(pid, mark) {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	// Asked again with a handle, as above.
	return marked(pid, mark) && p.Kill() == nil
}

func marked(pid int, mark []byte) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false // ended, or of another user
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(entry, mark) {
			return true
		}
	}
	return false
}

// Alive says whether the process is there and has not ended; a zombie has.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	fields := statOf(pid)
	return len(fields) > 0 && !bytes.ContainsAny(fields[0], "ZXx")
}
