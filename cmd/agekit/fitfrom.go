package main

import (
	"fmt"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
)

// earlier returns the run that --from names, nil without one, and how its columns became
// features.
func (c *fitCmd) earlier(rt *Runtime) (*run.Run, *input.Recipe, error) {
	if c.From == "" {
		return nil, nil, nil
	}
	if flag := rt.given("clusters", "auto", "method", "published", "layers", "k", "update", "batch", "dims", "learning-rate", "pos-start", "pos-end", "neg-start", "neg-end", "ranking", "anchors", "epoch-pairs", "sample",
		"loss", "scaling", "best", "text", "category", "number", "only", "drop"); flag != "" {
		return nil, nil, misused("--from takes the settings of the run: want no --%s", flag)
	}
	r, err := run.Load(rt.Context, c.From)
	if err != nil {
		return nil, nil, fmt.Errorf("--from: %w", err)
	}
	if r.Model == nil {
		return nil, nil, fmt.Errorf("--from: %s has no model.npz: want a run of AGE, not of %s", c.From, r.Method)
	}
	return r, r.Model.About.Recipe, nil
}
