//go:build !linux

package program

import "os/exec"

func endWithThis(*exec.Cmd, bool) {}
