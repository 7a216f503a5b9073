//go:build !linux

package system

import "os/exec"

func endWithThis(*exec.Cmd, bool) {}
