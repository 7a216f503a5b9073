//go:build !linux

package system

import "os/exec"

// endWithThis does nothing: this system cannot do it.
func endWithThis(*exec.Cmd, bool) {}
