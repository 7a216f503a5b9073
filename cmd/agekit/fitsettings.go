package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/setting"
)

// check returns an error for flags that are wrong for any graph: --export and those of training.
func (c *fitCmd) check(rt *Runtime) error {
	for _, name := range c.Export {
		if run.Exports[name] == "" {
			return misused("--export: unknown format %q: want %s", name, strings.Join(slices.Sorted(maps.Keys(run.Exports)), ", "))
		}
	}
	if len(c.Export) > 0 && c.Out == "" {
		return misused("--export: want a folder for the files, --out DIR")
	}
	return c.trainingFlags.check()
}

// check returns an error for flags that are wrong for any training.
func (c *trainingFlags) check() error {
	if c.Checkpoint < 0 {
		return misused("--checkpoint-every is %v: want a time that is not negative", c.Checkpoint)
	}
	if most := int64(math.MaxInt64 >> 20); c.ScratchAbove < 0 || c.ScratchAbove > most {
		return misused("--scratch-above is %d: want a size in MB, at most %d", c.ScratchAbove, most)
	}
	return nil
}

// options returns the options that the flags give.
func (c *fitCmd) options() *run.Options {
	o := &run.Options{Settings: c.Settings, Views: c.Views, Map: c.Map && c.Out != "", Training: c.training()}
	if c.Engine != "none" { // the automatic choice, views and the map need all nodes in this process
		o.Auto, o.Views, o.Map = new(false), false, false
	}
	return o
}

// training returns how AGE runs by these flags: without what a command adds, such as the progress.
func (c *trainingFlags) training() encoder.Running {
	return encoder.Running{CheckpointEvery: c.Checkpoint, ScratchAbove: c.ScratchAbove << 20}
}

// earlier returns the run that --from names, and its recipe: how the columns of its table became features.
// Without --from, both are nil. It returns an error for flags whose values the earlier run decides.
func (c *fitCmd) earlier(rt *Runtime) (*run.Run, *recipe.Recipe, error) {
	if c.From == "" {
		return nil, nil, nil
	}
	flag := rt.givenIn(&c.featureColumns, &c.Schema) // one that --from does not allow
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
