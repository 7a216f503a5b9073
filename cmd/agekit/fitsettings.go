package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/option"
)

// isMethod says that another method than AGE is wanted.
func (c *fitCmd) isMethod() bool { return !strings.EqualFold(c.Method, "AGE") }

// publishedMethods lists the methods that have a published mode.
func publishedMethods() []string {
	return slices.DeleteFunc(baseline.Names(), func(name string) bool {
		m, _ := baseline.Find(name)
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
	if err := c.checkSizes(); err != nil {
		return err
	}
	if c.isMethod() {
		return c.checkMethod(rt)
	}
	if c.Published {
		return misused("--published is for --method %s", strings.Join(publishedMethods(), ", "))
	}
	return c.checkTraining(rt)
}

// checkSizes reports numbers that no method takes.
func (c *ageFlags) checkSizes() error {
	for _, f := range []struct {
		name  option.Name
		value int
	}{{"epochs", c.Epochs}, {"update_every", c.Update}, {"dims", c.Dims}, {"anchors", c.Anchors}, {"epoch_pairs", c.EpochPairs}} {
		if f.value < 1 {
			return misused("%s is %d: want 1 or more", f.name, f.value)
		}
	}
	return nil
}

// checkTraining reports flags that are wrong for any training of AGE.
func (c *ageFlags) checkTraining(rt *Runtime) error {
	if c.Checkpoint < 0 {
		return misused("--checkpoint-every is %v: want a time that is not negative", c.Checkpoint)
	}
	if most := int64(math.MaxInt64 >> 20); c.ScratchAbove < 0 || c.ScratchAbove > most {
		return misused("--scratch-above is %d: want a size in MB, at most %d", c.ScratchAbove, most)
	}
	if c.Best && rt.given("batch") != "" {
		return misused("--best and --batch: best mode takes one step per epoch")
	}
	// Before the data is read, and before what depends on the number of clusters.
	if c.Layers != nil && (*c.Layers < 0 || *c.Layers > laplacian.MaxLayers) {
		return misused("%s is %d: want 0 to %d", option.Name("layers"), *c.Layers, laplacian.MaxLayers)
	}
	if !(c.LearningRate > 0) {
		return misused("%s is %v: want a positive number", option.Name("learning_rate"), c.LearningRate)
	}
	return nil
}

// checkMethod reports an unknown method, and flags that are AGE's alone.
func (c *fitCmd) checkMethod(rt *Runtime) error {
	name := c.Method
	m, ok := baseline.Find(name)
	if !ok {
		return misused("--method: unknown method %q: want AGE, %s", name, strings.Join(baseline.Names(), ", "))
	}
	if c.Published && !m.Published {
		return misused("--published: %s has one protocol only: want --method %s", name, strings.Join(publishedMethods(), ", "))
	}
	if flag := rt.given("best", "auto", "pos-start", "pos-end", "neg-start", "neg-end", "update", "batch", "dims", "learning-rate", "ranking", "anchors", "epoch-pairs", "sample"); flag != "" {
		return misused("--%s is AGE's: %s has settings of its own", flag, name)
	}
	if c.Layers != nil && *c.Layers < 1 {
		return misused("%s is %d: want 1 or more", option.Name("layers"), *c.Layers)
	}
	return nil
}

// options returns the options that the flags give, and the run to start from.
func (c *fitCmd) options(rt *Runtime, g *graph.Graph, from *run.Run) (*run.Options, error) {
	o := &run.Options{Clusters: c.Clusters, View: c.View, From: from, Seed: c.Seed, Views: c.Views, Map: c.Map && c.Out != ""}
	if !c.isMethod() {
		flag := rt.given(chosenFlags...)
		chooses, err := c.chooses(g, flag)
		if err != nil {
			return nil, err
		}
		// The paper's settings of its data sets are AGE's, which another view does without.
		asked := flag != "" || c.View == "" || c.View == views.AGE
		o.Given = !chooses && asked
	}
	if c.Engine != "none" { // as others would need all nodes in this process
		o.Given = true
		o.Views, o.Map = o.Views && rt.given("views") != "", o.Map && rt.given("map") != ""
	}
	var err error
	o.Training, err = c.settings(g)
	if !o.Given { // the paper's ranking goes with its settings
		o.Training.Ranking = pairs.Ranking(c.Ranking)
	}
	if from != nil && rt.given("epochs") == "" {
		o.Training.Epochs = 0
	}
	return o, err
}

// earlier returns the run that --from names, nil without one, and how its columns became
// features.
func (c *fitCmd) earlier(rt *Runtime) (*run.Run, *input.Recipe, error) {
	if c.From == "" {
		return nil, nil, nil
	}
	if flag := rt.given("clusters", "view", "auto", "method", "published", "layers", "k", "update", "batch", "dims", "learning-rate", "pos-start", "pos-end", "neg-start", "neg-end", "ranking", "anchors", "epoch-pairs", "sample",
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

// chosenFlags set what --auto chooses.
var chosenFlags = []string{"layers", "k", "best", "batch", "pos-start", "pos-end", "neg-start", "neg-end", "epochs", "update", "scaling", "loss"}

// chooses says whether the settings are chosen for g. The flag is the first of chosenFlags
// that is given, "" if none is.
func (c *ageFlags) chooses(g *graph.Graph, flag string) (bool, error) {
	if c.Auto == nil {
		_, known := encoder.PaperOptions(g.Catalogue)
		return flag == "" && !known, nil
	}
	if *c.Auto && flag != "" {
		return false, fmt.Errorf("--auto and --%s: want one or the other", flag)
	}
	return *c.Auto, nil
}

// settings returns the encoder's options: the paper's, overridden by the flags.
func (c *ageFlags) settings(g *graph.Graph) (e encoder.Options, err error) {
	e, known := encoder.PaperOptions(g.Catalogue)
	if known { // whatever thresholds it gets
		e.Ranking = pairs.Exact
	}
	e.CheckpointEvery, e.ScratchAbove = c.Checkpoint, c.ScratchAbove<<20
	if c.K != "" {
		if e.K, err = parseK(c.K); err != nil {
			return e, err
		}
	}
	override(&e.Layers, c.Layers)
	e.Epochs, e.UpdateEvery, e.BatchSize, e.Dims = c.Epochs, c.Update, int(c.Batch), c.Dims
	e.LearningRate, e.Anchors, e.EpochPairs = c.LearningRate, c.Anchors, c.EpochPairs
	override(&e.Thresholds.PosStart, c.PosStart)
	override(&e.Thresholds.PosEnd, c.PosEnd)
	override(&e.Thresholds.NegStart, c.NegStart)
	override(&e.Thresholds.NegEnd, c.NegEnd)
	if own := pairs.Ranking(c.Ranking); own != pairs.Auto {
		e.Ranking = own
	}
	e.Sample, e.Loss, e.Scaling = int(c.Sample), encoder.Loss(c.Loss), cluster.Scaling(c.Scaling)
	if c.Best {
		e = e.Best()
	}
	return e, err
}

// override sets a setting whose flag is given.
func override[T any](setting, flag *T) {
	if flag != nil {
		*setting = *flag
	}
}

// method returns the method that --method names, with the flags' settings.
func (c *fitCmd) method(rt *Runtime, o *run.Options, choice backend.Choice) (*run.Method, error) {
	s := baseline.Settings{Filter: o.Training.Filter, Published: c.Published, Loss: o.Training.Loss}
	override(&s.Layers, c.Layers)
	if rt.given("epochs") != "" { // the default is AGE's
		s.Epochs = c.Epochs
	}
	m, err := baseline.New(c.Method, s)
	if err != nil {
		return nil, err
	}
	mode := "fair"
	if c.Published {
		mode = "published"
	}
	options := baseline.Options{Seed: c.Seed, Scaling: o.Training.Scaling, Backend: choice, Checkpoints: o.Training.Checkpoints}
	fit := func(ctx context.Context, g *graph.Graph, clusters int, progress func(encoder.Event)) (*run.Found, error) {
		start := time.Now()
		options.Clusters = clusters
		options.Progress = func(e encoder.Event) {
			if e.Epoch > 0 {
				e.Remaining = time.Duration(float64(time.Since(start)) / float64(e.Epoch) * float64(e.Epochs-e.Epoch))
			}
			progress(e)
		}
		out, err := baseline.Cluster(ctx, m, g, options)
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

// count is a number of pairs or nodes: 1 or more, all, or auto, which is 0.
type count int

var countWords = map[string]count{"all": encoder.AllPairs, "auto": 0}

// UnmarshalText parses a number or a word that stands for one.
func (c *count) UnmarshalText(text []byte) error {
	if n, ok := countWords[string(text)]; ok {
		*c = n
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("%s: want 1 or more, all or auto", text)
	}
	*c = count(n)
	return nil
}

// String returns what UnmarshalText parses.
func (c count) String() string {
	for word, n := range countWords {
		if n == c {
			return word
		}
	}
	return strconv.Itoa(int(c))
}

func parseK(s string) (float64, error) {
	if s == "auto" {
		return laplacian.InverseLambdaMax, nil
	}
	k, err := strconv.ParseFloat(s, 64)
	if err != nil || !(k > 0) {
		return 0, option.Errorf("%s is %s: want a positive number or auto", option.Name("k"), s)
	}
	return k, nil
}
