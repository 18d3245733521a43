package proc

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object that ends with its last handle, so also when Cortex itself is killed. A process that the child
// starts in the instant before it is put into the job stays outside.
type group struct{ job windows.Handle }

func newGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	return &group{job}, nil
}

// adopt puts the child into the job. A child that is gone already, or that the system keeps in a job of its own, is left.
func (g *group) adopt(pid int) {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(h)
	_ = windows.AssignProcessToJobObject(g.job, h) // without the job only the child itself can be killed
}

// awaitLeader leaves the wait to the caller: a job has no number that a stranger could get.
func (*group) awaitLeader(int) bool { return false }

func (g *group) kill(int) {
	_ = windows.TerminateJobObject(g.job, 1) // fails only when the job is empty
}

func (g *group) close() { windows.CloseHandle(g.job) }

func sweep(string) {}

func descendants(int) []*os.Process { return nil }

// exitedBySelf cannot be told from a termination here: a child that was asked to end counts as killed.
func exitedBySelf(*os.ProcessState) bool { return false }

func signalOf(*os.ProcessState) string { return "" }

// Alive says whether the process is there and has not ended.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}
