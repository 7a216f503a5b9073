package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/setting"
)

// publishedMethods lists the methods that have a published mode.
func publishedMethods() []string {
	return slices.DeleteFunc(method.Names(), func(name string) bool {
		m, _ := method.Find(name)
		return !m.Published
	})
}

// check reports flags that are wrong for any graph: values that the encoder's
// settings would read as "not set".
func (c *fitCmd) check(rt *Runtime) error {
	for _, name := range c.Export {
		if run.Exports[name] == "" {
			return misused("--export: unknown format %q: want %s", name, strings.Join(slices.Sorted(maps.Keys(run.Exports)), ", "))
		}
	}
	if len(c.Export) > 0 && c.Out == "" {
		return misused("--export: want a folder for the files, --out DIR")
	}
	if err := cmp.Or(c.Settings.Check(), c.checkMethod()); err != nil {
		return usageError{err}
	}
	return c.trainingFlags.check()
}

// check reports flags that are wrong for any training.
func (c *trainingFlags) check() error {
	if c.Checkpoint < 0 {
		return misused("--checkpoint-every is %v: want a time that is not negative", c.Checkpoint)
	}
	if most := int64(math.MaxInt64 >> 20); c.ScratchAbove < 0 || c.ScratchAbove > most {
		return misused("--scratch-above is %d: want a size in MB, at most %d", c.ScratchAbove, most)
	}
	return nil
}

// checkMethod reports a method that does not exist, or not with a protocol of its own.
func (c *fitCmd) checkMethod() error {
	m, ok := method.Find(c.Method)
	switch {
	case !c.Others() && c.Published:
		return misused("--published is for --method %s", strings.Join(publishedMethods(), ", "))
	case !c.Others():
		return nil
	case !ok:
		return misused("%s: unknown method %q: want AGE, %s", message.Option("method"), c.Method, strings.Join(method.Names(), ", "))
	case c.Published && !m.Published:
		return misused("--published: %s has one protocol only: want --method %s", c.Method, strings.Join(publishedMethods(), ", "))
	}
	return nil
}

// options returns the options that the flags give, and the run to start from.
func (c *fitCmd) options(from *run.Run) *run.Options {
	o := &run.Options{Settings: c.Settings, From: from, Views: c.Views, Map: c.Map && c.Out != "", Training: c.training()}
	if c.Engine != "none" { // as others would need all nodes in this process
		o.Auto, o.Views, o.Map = new(false), false, false
	}
	return o
}

// training returns how AGE runs.
func (c *trainingFlags) training() encoder.Options {
	return encoder.Options{CheckpointEvery: c.Checkpoint, ScratchAbove: c.ScratchAbove << 20}
}

// earlier returns the run that --from names, nil without one, and how its columns became
// features.
func (c *fitCmd) earlier(rt *Runtime) (*run.Run, *recipe.Recipe, error) {
	if c.From == "" {
		return nil, nil, nil
	}
	flag := rt.given("text", "category", "number", "only", "drop")
	for _, s := range setting.Given(&c.Settings) {
		if s.Name != "epochs" && s.Name != "seed" {
			flag = cmp.Or(flag, s.Flag)
		}
	}
	if flag != "" {
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

// other returns the method that --method names, with the flags' settings.
func (c *fitCmd) other(o *run.Options, g *graph.Graph, choice backend.Choice) (*run.Method, error) {
	t := c.AGE(g.Catalogue)
	s := method.Settings{Filter: t.Filter, Layers: c.Layers, Epochs: c.Epochs, Published: c.Published, Loss: t.Loss}
	m, err := method.New(c.Method, s)
	if err != nil {
		return nil, err
	}
	mode := "fair"
	if c.Published {
		mode = "published"
	}
	options := method.Options{Seed: c.Seed, Scaling: t.Scaling, Backend: choice, Checkpoints: o.Training.Checkpoints}
	fit := func(ctx context.Context, g *graph.Graph, clusters int, progress func(encoder.Event)) (*run.Found, error) {
		start := time.Now()
		options.Clusters = clusters
		options.Progress = func(e encoder.Event) {
			if e.Done > 0 {
				e.Left = time.Duration(float64(time.Since(start)) / float64(e.Done) * float64(e.Total-e.Done))
			}
			progress(e)
		}
		out, err := method.Cluster(ctx, m, g, options)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("stopped; run the same command again to go on from the last checkpoint, if there is one: %w", err)
		}
		if err != nil {
			return nil, err
		}
		return &run.Found{Embedding: out.Embedding, Clusters: out.Clusters, Measures: out.Measures, Backend: out.Backend, Discard: out.Release}, nil
	}
	return &run.Method{Name: m.Name(), Mode: mode, FindsNumber: m.Info().Number, Fit: fit}, nil
}
