package system

import (
	"os/exec"
	"syscall"
)

// endWithThis has the system send a signal to the program of cmd when this program is gone, even if it was
// killed: SIGTERM or, if atOnce, SIGKILL, for a program that has nothing to clean up.
func endWithThis(cmd *exec.Cmd, atOnce bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if atOnce {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
}
