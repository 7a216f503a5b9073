package main

import (
	"fmt"
	"io"
	"os"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/engine"
)

type workerCmd struct {
	Smooth workerSmoothCmd `cmd:"" help:"Smooth a block of feature columns of a graph's folder."`
	Run    workerRunCmd    `cmd:"" help:"Do tasks of one stage of agekit fit --engine. Their numbers are read from standard input, one per line."`
}

type workerRunCmd struct {
	Stage string `arg:"" help:"The stage's file."`
}

func (c *workerRunCmd) Run(rt *Runtime) error {
	return engine.Serve(rt.Context, c.Stage, os.Stdin, rt.Stdout)
}

type workerSmoothCmd struct {
	Folder string  `arg:"" help:"A folder of agekit graph build, with features."`
	From   int     `required:"" placeholder:"COLUMN" help:"First column, from 0."`
	To     int     `required:"" placeholder:"COLUMN" help:"Column after the last."`
	K      float64 `name:"k" required:"" placeholder:"NUMBER" help:"k of the filter I − kL̃: a positive number."`
	Layers int     `required:"" placeholder:"T" help:"Layers t of the filter."`
	Memory inBytes `default:"1GB" placeholder:"8GB" help:"Memory for two buffers of a tile of columns (default: ${default})."`
	Out    string  `required:"" placeholder:"FILE" help:"The file: float32 numbers, little endian, row by row, and at the end what was computed, with its checksum."`
	jsonFlag
}

func (c *workerSmoothCmd) Run(rt *Runtime) error {
	there, err := engine.Smooth{
		Folder: c.Folder, From: c.From, To: c.To, Filter: laplacian.Filter{K: c.K, Layers: c.Layers}, Memory: int64(c.Memory), Out: c.Out,
	}.Run(rt.Context)
	if err != nil {
		return err
	}
	// "there" says that it was made before.
	return c.emit(rt, map[string]any{"out": c.Out, "there": there}, func(w io.Writer) {
		if there {
			fmt.Fprintf(w, "%s is there, with its checksum\n", c.Out)
		} else {
			fmt.Fprintf(w, "%s: columns %d to %d of %s, smoothed by %d layers\n", c.Out, c.From, c.To, c.Folder, c.Layers)
		}
	})
}
