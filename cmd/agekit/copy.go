package main

import (
	"fmt"

	"github.com/agekit/age/agekit/run"
)

// copyCmd is `agekit copy`, by which the Python package saves and loads runs.
type copyCmd struct {
	From    string `arg:"" name:"run" placeholder:"RUN" help:"A folder of agekit fit --out or AGE.save."`
	Out     string `required:"" placeholder:"DIR" help:"The folder to write to, as agekit fit --out does."`
	Changed bool   `help:"Take the files of RUN as they are, whatever its manifest says."`
}

func (c *copyCmd) Run(rt *Runtime) error {
	if err := run.Copy(rt.Context, c.From, c.Out, c.Changed); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}
