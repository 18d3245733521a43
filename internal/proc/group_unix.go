//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// group is the process group of a child; its number is the child's.
type group struct{}

func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = groupAttributes()
	return &group{}, nil
}

// kill ends every process of the group. A group that is gone is no error.
func (*group) kill(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // fails only when nothing is left, or with what may not be killed
}

func (*group) adopt(int) {}

func (*group) close() {}

func exitedBySelf(s *os.ProcessState) bool { return s.Exited() }

func signalOf(s *os.ProcessState) string {
	status, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ""
	}
	return status.Signal().String()
}
