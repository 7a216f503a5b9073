//go:build linux

package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestWithoutHome: the only words on standard error are this program's own.
func TestWithoutHome(t *testing.T) {
	c := command(t, "backend", "list")
	c.Env = slices.DeleteFunc(c.Env, func(variable string) bool {
		return strings.HasPrefix(variable, "HOME=") || strings.HasPrefix(variable, "XDG_CACHE_HOME=")
	})
	var errs strings.Builder
	c.Stderr = &errs
	if out, err := c.Output(); err != nil || errs.Len() != 0 {
		t.Errorf("%v\n%s\n%s", err, out, &errs)
	}
	c = command(t, "backend", "install", "cpu")
	c.Env = append(os.Environ(), "AGEKIT_TEST_COMMAND=1", "HOME=", "XDG_CACHE_HOME=")
	out, err := c.CombinedOutput()
	if err == nil || !strings.HasSuffix(string(out), "agekit: install cpu: no folder for it: set HOME or XDG_CACHE_HOME to an absolute path\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
