//go:build !windows

package main

import (
	"io"
	"os/exec"
	"syscall"
)

// alive is a pipe to the watcher of endWithUs, which is open as long as this process lives.
var alive io.Closer

// endWithUs starts a watcher that ends gopls, whose socket lies in dir, once this process is gone: after a
// hard kill gopls would stay, with 155 MB. It sets alive.
func endWithUs(dir string) (err error) {
	// cat ends when the pipe is closed, which the system does for a killed process. $0 is dir.
	watcher := exec.Command("sh", "-c", `cat; pkill -f -- "-listen unix;$0/"`, dir)
	watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Jupyter interrupts the kernel's group
	if alive, err = watcher.StdinPipe(); err != nil {
		return err
	}
	return watcher.Start()
}
