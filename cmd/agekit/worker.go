package main

import (
	"os"

	"github.com/agekit/age/internal/engine"
)

type workerCmd struct {
	Run workerRunCmd `cmd:"" help:"Do tasks of one stage of agekit fit --engine. Their numbers are read from standard input, one per line."`
}

type workerRunCmd struct {
	Stage string `arg:"" help:"The stage's file."`
}

func (c *workerRunCmd) Run(rt *Runtime) error {
	return engine.Serve(rt.Context, c.Stage, os.Stdin, rt.Stdout)
}
