package program

import (
	"os/exec"
	"syscall"
)

// endWithThis has the system send SIGTERM to the program when this one is gone,
// even if it was killed.
func endWithThis(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
