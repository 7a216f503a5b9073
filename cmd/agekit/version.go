package main

import (
	"fmt"
	"io"

	"github.com/agekit/age/internal/version"
)

// VersionCmd is `agekit version`.
type VersionCmd struct{ jsonFlag }

// Run prints the version.
func (c *VersionCmd) Run(rt *Runtime) error {
	v := version.Program()
	return c.emit(rt, v, func(w io.Writer) { fmt.Fprintln(w, v) })
}
