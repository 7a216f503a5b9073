package main

import (
	"encoding/json"

	"github.com/agekit/age/agekit/input"
)

// endsCmd is `agekit ends`, by which the Python package finds the ends in a frame of edges.
type endsCmd struct {
	Edges string `required:"" placeholder:"FILE" help:"The first rows of a table of edges, with a header."`
	Nodes string `placeholder:"FILE" help:"The ids of the nodes, with a header."`
}

func (c *endsCmd) Run(rt *Runtime) error {
	hasHeader := true
	ends, err := input.FindEnds(rt.Context, input.Source{Edges: c.Edges, Nodes: c.Nodes, Header: &hasHeader})
	if err != nil {
		return err
	}
	newConsole(rt.Stderr).data(ends.Notes, ends.Warnings)
	return json.NewEncoder(rt.Stdout).Encode(ends)
}
