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

// sweep kills every process that has mark, "NAME=value", in its environment.
func sweep(mark string) {
	for range sweepPasses {
		if killMarked([]byte(mark)) == 0 {
			return
		}
		time.Sleep(2 * time.Millisecond) // the killed ones need a moment to end
	}
}

func killMarked(mark []byte) (killed int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return 0
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && killIfMarked(pid, mark) {
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
	// Asked again with a handle on the process: the first answer may have been about an earlier owner of the number.
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
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	// "PID (NAME) STATE …"; NAME may hold anything, so count from its last parenthesis.
	end := bytes.LastIndexByte(stat, ')')
	return end >= 0 && end+2 < len(stat) && !bytes.ContainsRune([]byte("ZXx"), rune(stat[end+2]))
}
