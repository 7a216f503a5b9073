package main

import (
	"fmt"
	"io"

	"github.com/agekit/age/internal/version"
)

type versionCmd struct{ jsonFlag }

func (c *versionCmd) Run(rt *Runtime) error {
	v := version.Program()
	return c.emit(rt, v, func(w io.Writer) { fmt.Fprintln(w, v) })
}
