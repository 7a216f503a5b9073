package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/paper"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/ceiling"
	"github.com/agekit/age/internal/rows"
	"github.com/agekit/age/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// BenchStagesCmd is `agekit bench stages`.
type BenchStagesCmd struct {
	Datasets []string `default:"cora,citeseer,wiki,pubmed-standin" help:"Data sets, or planted-N."`
	Data     string   `placeholder:"DIR" help:"Folder with data sets, searched first."`
	Levels   []string `placeholder:"LEVEL" help:"SIMD levels to compare; the first is held against the floor. The one in use by default."`
	Seconds  float64  `default:"1" help:"Each stage is run again and again for this long, three times at least; the shortest time counts."`
}

// Help is the second part of "agekit bench stages --help".
func (BenchStagesCmd) Help() string {
	return `Measures each stage alone, on the native backend with the paper's settings, and prints as Markdown the fewest operations and bytes it needs, the time that the machine would take for them, and how many times longer it takes. Nothing else should run meanwhile. With several levels, a second table has each stage's time at each of them.

Examples:
  agekit bench stages --levels avx512,avx2,go > docs/bench/stages.md
  agekit bench stages --datasets planted-100000`
}

// Run measures and prints.
func (c *BenchStagesCmd) Run(rt *Runtime) error {
	if most := time.Hour.Seconds(); !(c.Seconds >= 0 && c.Seconds <= most) {
		return misused("--seconds is %v: want 0 to %v", c.Seconds, most)
	}
	inUse := simd.Level()
	defer func() { _ = simd.SetLevel(inUse) }()
	levels := c.Levels
	if len(levels) == 0 {
		levels = []string{inUse}
	}
	for _, level := range slices.Backward(levels) { // the first comes last, to stay
		if err := simd.SetLevel(level); err != nil {
			return misused("--levels: %w", err)
		}
	}
	rates, err := c.ceilings(rt)
	if err != nil {
		return err
	}
	for _, name := range c.Datasets {
		var profiles []*stageProfile
		for _, level := range levels {
			fmt.Fprintf(rt.Stderr, "%s, %s\n", name, level)
			if err := simd.SetLevel(level); err != nil {
				return err
			}
			p := &stageProfile{
				ctx: rt.Context, flags: GraphFlags{Dataset: graphName(name), Data: c.Data}, progress: rt.Stderr,
				least: c.Seconds, seconds: map[string]float64{},
			}
			if err := p.measure(); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			profiles = append(profiles, p)
		}
		profiles[0].print(rt.Stdout, name, rates)
		if len(levels) > 1 {
			printLevels(rt.Stdout, levels, profiles)
		}
	}
	return nil
}

// ceilings measures what the machine can do and prints it.
func (c *BenchStagesCmd) ceilings(rt *Runtime) (ceiling.Rates, error) {
	rates := ceiling.Measure()
	product, err := productOf(rt)
	if err != nil {
		return rates, err
	}
	own, dense := rates.MultiplyAdds, 2708*1433*500/product.Seconds
	rates.MultiplyAdds = max(own, dense)
	fmt.Fprintf(rt.Stdout, "# Stages\n\nWritten by `agekit bench stages`: %s, commit `%.12s`%s, %s. What is counted: [Performance](../performance.md#stage-by-stage).\n\n",
		thisMachine(), commit(), dirty(commit()), now().Format("2006-01-02"))
	fmt.Fprintf(rt.Stdout, "Ceilings: %.1f·10⁹ float32 multiply-adds a second (%.1f in tiles that stay in the cache, %.1f in a\ndense product 2708×1433×500 on %s, which takes %.1f ms); %.1f GB/s copied, read and written. The floor\nis the longer of operations and bytes at these rates.\n\n",
		rates.MultiplyAdds/1e9, own/1e9, dense/1e9, product.Backend, 1000*product.Seconds, rates.Bytes/1e9)
	return rates, nil
}

// stageProfile measures the stages of a training on one graph.
type stageProfile struct {
	ctx      context.Context
	flags    GraphFlags
	progress io.Writer
	sizes    stageSizes
	ranking  pairs.Ranking
	least    float64 // seconds to measure a stage for
	seconds  map[string]float64
}

// timed runs a stage again and again and keeps the shortest time.
func (p *stageProfile) timed(name string, stage func() error) error {
	began := time.Now()
	for try := 0; try < 3 || time.Since(began).Seconds() < p.least; try++ {
		start := time.Now()
		if err := stage(); err != nil {
			return err
		}
		if took := time.Since(start).Seconds(); try == 0 || took < p.seconds[name] {
			p.seconds[name] = took
		}
	}
	return p.ctx.Err()
}

// measure goes through the stages in the order of a run. Those that work on
// an embedding get one of 30 training steps.
func (p *stageProfile) measure() error {
	var g *graph.Graph
	var err error
	if err := p.timed("load", func() error { g, err = p.flags.load(p.ctx, p.progress); return err }); err != nil {
		return err
	}
	o, _ := paper.Settings(g.Catalogue)
	c, filter := o.Config, o.Filter
	p.ranking = c.Ranking.For(g.N())
	s := &p.sizes
	s.n, s.m, s.d, s.t = g.N(), g.Edges(), c.Dims, filter.Layers
	_, s.f = g.Features.Dims()
	s.x, s.xBytes = g.Features.NNZ(), 4*g.Features.NNZ()
	if x := g.Features.Sparse; x != nil {
		s.xBytes += 4*len(x.Values) + 8*len(x.Indptr)
	}
	s.layers, s.rows = smoothingCounts(g, s.t)
	s.wide = s.n <= 1000 // as cluster.DaviesBouldinGram says

	op := laplacian.New(g.Adjacency)
	var smoothed blas32.General
	if err := p.timed("λmax", func() error {
		l, err := eigen.Largest(p.ctx, op, rand.New(rand.NewPCG(0, 0)))
		s.steps = l.Steps
		return err
	}); err != nil {
		return err
	}
	if err := p.timed("smooth", func() error { smoothed, err = filter.Smooth(p.ctx, op, g.Features); return err }); err != nil {
		return err
	}
	z, err := p.train(&affine.Input{Smoothed: smoothed, Features: g.Features, Operator: op, Filter: filter}, c)
	if err != nil {
		return err
	}
	return p.evaluate(z, c, g.Classes)
}

// train measures the steps and the selection, and returns an embedding.
func (p *stageProfile) train(in *affine.Input, c encoder.Config) (z blas32.General, err error) {
	s, rnd := &p.sizes, rand.New(rand.NewPCG(1, 2))
	selection, err := p.choosePairs(rows.Normalize(in.Smoothed), c)
	if err != nil {
		return z, err
	}
	half := min(c.BatchSize, len(selection.I))
	rnd.Shuffle(len(selection.I), func(a, b int) {
		selection.I[a], selection.I[b] = selection.I[b], selection.I[a]
		selection.J[a], selection.J[b] = selection.J[b], selection.J[a]
	})
	i, j, err := selection.DrawNegatives(p.ctx, half, rnd)
	if err != nil {
		return z, err
	}
	batch := affine.Batch{I: append(selection.I[:half:half], i...), J: append(selection.J[:half:half], j...), Labels: make([]float32, 2*half)}
	for k := range half {
		batch.Labels[k] = 1
	}
	s.pairs = 2 * half
	seen := make([]bool, s.n)
	for _, ends := range [][]int32{batch.I, batch.J} {
		for _, node := range ends {
			if !seen[node] {
				seen[node] = true
				s.batch += s.rows[node]
			}
		}
	}
	model, err := affine.Native.NewModel(in, affine.InitialState(s.f, s.d, rnd), c.Loss, c.LearningRate, s.pairs)
	if err != nil {
		return z, err
	}
	defer model.Close()
	step := func() error { _, err := model.Step(batch); return err }
	for range 30 {
		if err := step(); err != nil {
			return z, err
		}
	}
	weights, err := model.Weights()
	if err != nil {
		return z, err
	}
	if z, err = affine.Embed(p.ctx, model, s.n, weights); err != nil {
		return z, err
	}
	if err := p.timed("train step", step); err != nil {
		return z, err
	}
	return z, p.timed("embed", func() error { return model.EmbedTo(p.ctx, z, weights) })
}

// choosePairs makes a run's first selection.
func (p *stageProfile) choosePairs(z blas32.General, c encoder.Config) (selection *pairs.Selection, err error) {
	pos, neg := c.Thresholds.At(0, c.Epochs/c.UpdateEvery)
	if p.ranking == pairs.Sampled {
		selection, err = pairs.SelectSampled(p.ctx, z, pos, neg, c.Anchors, c.EpochPairs*c.UpdateEvery, rand.New(rand.NewPCG(1, 2)), pairs.Options{})
	} else {
		selection, err = pairs.Select(p.ctx, z, pos, neg, pairs.Options{})
	}
	if err == nil {
		p.sizes.anchors, p.sizes.positives = selection.Anchors, len(selection.I)
	}
	return selection, err
}

// evaluate measures the stages after an embedding.
func (p *stageProfile) evaluate(z blas32.General, c encoder.Config, classes int) error {
	if err := p.timed("select", func() error { _, err := p.choosePairs(z, c); return err }); err != nil {
		return err
	}
	var found cluster.SpectralResult
	if err := p.timed("cluster", func() (err error) {
		counted := &countedAffinity{Affinity: cluster.Gram(z)}
		found, err = cluster.Spectral(p.ctx, counted, classes, cluster.SpectralOptions{Scaling: c.Scaling}, rand.New(rand.NewPCG(1, 2)))
		p.sizes.products = counted.blocks
		return err
	}); err != nil {
		return err
	}
	return p.timed("choose", func() error { _, err := cluster.DaviesBouldinGram(p.ctx, z, found.Labels); return err })
}

// countedAffinity counts the products with blocks of eight vectors.
type countedAffinity struct {
	cluster.Affinity
	blocks int
}

func (a *countedAffinity) MulTo(ctx context.Context, dst, x blas64.General) error {
	a.blocks += x.Cols / 8
	return a.Affinity.MulTo(ctx, dst, x)
}

// print writes the table of one graph.
func (p *stageProfile) print(w io.Writer, name string, rates ceiling.Rates) {
	s := p.sizes
	fmt.Fprintf(w, "## %s\n\nn = %s, m = %s, f = %s, t = %d, %s ranking; %d Lanczos steps to λmax, %d block products.\n\n",
		name, thousands(s.n), thousands(s.m), thousands(s.f), s.t, p.ranking, s.steps, s.products)
	t := markdownTable{head: []string{"stage", "operations, 10⁶", "MB", "floor, ms", "bound by", "takes, ms", "times the floor"}, text: 1}
	for _, count := range s.counts() {
		operations, bytes, boundBy := count.multiplyAdds/rates.MultiplyAdds, count.bytes/rates.Bytes, "operations"
		if bytes > operations {
			boundBy = "bytes"
		}
		floor, took := max(operations, bytes), p.seconds[count.name]
		t.add(count.name, fmt.Sprintf("%.1f", count.multiplyAdds/1e6), fmt.Sprintf("%.1f", count.bytes/1e6),
			fmt.Sprintf("%.2f", 1000*floor), boundBy, fmt.Sprintf("%.2f", 1000*took), fmt.Sprintf("%.1f", took/floor))
	}
	t.write(w)
}

// printLevels writes the table of one graph's times at several levels.
func printLevels(w io.Writer, levels []string, profiles []*stageProfile) {
	t := markdownTable{head: []string{"stage"}, text: 1}
	for _, level := range levels {
		t.head = append(t.head, level+", ms", "times the best")
	}
	for _, count := range profiles[0].sizes.counts() {
		best := math.Inf(1)
		for _, p := range profiles {
			best = min(best, p.seconds[count.name])
		}
		cells := []string{count.name}
		for _, p := range profiles {
			took := p.seconds[count.name]
			cells = append(cells, fmt.Sprintf("%.2f", 1000*took), fmt.Sprintf("%.1f", took/best))
		}
		t.add(cells...)
	}
	t.write(w)
}
