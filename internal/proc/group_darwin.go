package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

func groupAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitLeader cannot wait without reaping: the group is killed right after the child was reaped.
func (*group) awaitLeader(int) bool { return false }

func sweep(string) {}

func descendants(int) []*os.Process { return nil }

// Alive says whether the process is there and has not ended; a zombie has.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && info.Proc.P_pid == int32(pid) && info.Proc.P_stat != zombie
}
