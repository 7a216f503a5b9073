//go:build linux

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestWithoutHome: without HOME and XDG_CACHE_HOME, no folder for XLA plugins is known. backend list
// succeeds nevertheless, and prints nothing on standard error, where the XLA packages would log a
// warning. backend install fails, and says which variables to set.
func TestWithoutHome(t *testing.T) {
	c := command(t, "backend", "list")
	c.Env = slices.DeleteFunc(c.Env, func(variable string) bool {
		return strings.HasPrefix(variable, "HOME=") || strings.HasPrefix(variable, "XDG_CACHE_HOME=")
	})
	var errs strings.Builder
	c.Stderr = &errs
	if out, err := c.Output(); err != nil || errs.Len() != 0 {
		t.Errorf("backend list: %v\n%s\nand on standard error, want nothing\n%s", err, out, &errs)
	}

	c = command(t, "backend", "install", "cpu")
	c.Env = append(c.Env, "HOME=", "XDG_CACHE_HOME=") // empty counts as unset
	out, err := c.CombinedOutput()
	const want = "agekit: install cpu: no folder for it: set HOME or XDG_CACHE_HOME to an absolute path\n"
	if err == nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("backend install: %v, printed %s; want an error and %s", err, out, want)
	}
}
