package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/eigen"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/paper"
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/ceiling"
	"github.com/agekit/age/internal/downloads"
	"github.com/agekit/age/internal/rows"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/version"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// Stages measures each stage of a training alone, beside the least that the machine needs.
type Stages struct {
	Graphs  []string // data sets, or planted-N
	Data    string   // folder with data sets, searched first; may be empty
	Levels  []string // SIMD levels; the first is held against the floor
	Seconds float64  // how long each stage is measured, at least three times
}

// Run measures and writes the tables to w. The last SIMD level that it measures stays in use.
func (s Stages) Run(ctx context.Context, w, progress io.Writer) error {
	if err := simd.SetLevel(s.Levels[0]); err != nil {
		return err
	}
	rates, err := ceilings(ctx, w, progress)
	if err != nil {
		return err
	}
	for _, name := range s.Graphs {
		var profiles []*profile
		for _, level := range s.Levels {
			fmt.Fprintf(progress, "%s, %s\n", name, level)
			if err := simd.SetLevel(level); err != nil {
				return err
			}
			p := &profile{least: s.Seconds, seconds: map[string]float64{}}
			if err := p.measure(ctx, graphName(name), dataset.Options{Dir: s.Data, Progress: downloads.Show(progress)}); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			profiles = append(profiles, p)
		}
		profiles[0].print(w, name, rates)
		if len(s.Levels) > 1 {
			printLevels(w, s.Levels, profiles)
		}
	}
	return nil
}

// ceilings measures what the machine can do and prints it.
func ceilings(ctx context.Context, w, progress io.Writer) (ceiling.Rates, error) {
	rates := ceiling.Measure()
	product, err := productOf(ctx, progress)
	if err != nil {
		return rates, err
	}
	code := version.Program().Code()
	own, dense := rates.MultiplyAdds, 2708*1433*500/product.Seconds
	rates.MultiplyAdds = max(own, dense)
	fmt.Fprintf(w, "# Stages\n\nWritten by `agekit bench stages`: %s, commit `%.12s`%s, %s. What is counted: [Performance](../performance.md#stage-by-stage).\n\n",
		thisMachine(), code, dirty(code), time.Now().UTC().Format("2006-01-02"))
	fmt.Fprintf(w, "Ceilings: %.1f·10⁹ float32 multiply-adds a second (%.1f in tiles that stay in the cache, %.1f in a\ndense product 2708×1433×500 on %s, which takes %.1f ms); %.1f GB/s copied, read and written. The floor\nis the longer of operations and bytes at these rates.\n\n",
		rates.MultiplyAdds/1e9, own/1e9, dense/1e9, product.Backend, 1000*product.Seconds, rates.Bytes/1e9)
	return rates, nil
}

// profile has the times of the stages of a training on one graph.
type profile struct {
	sizes   sizes
	ranking pairs.Ranking
	least   float64 // seconds to measure a stage for
	seconds map[string]float64
	err     error // of the first stage that failed; no stage runs after it
}

// timed runs a stage again and again and keeps the shortest time.
func (p *profile) timed(ctx context.Context, name string, stage func() error) {
	began := time.Now()
	for try := 0; p.err == nil && (try < 3 || time.Since(began).Seconds() < p.least); try++ {
		start := time.Now()
		p.err = cmp.Or(stage(), ctx.Err())
		if took := time.Since(start).Seconds(); try == 0 || took < p.seconds[name] {
			p.seconds[name] = took
		}
	}
}

// measure goes through the stages in the order of a run. Those that work on an embedding
// get one of 30 training steps.
func (p *profile) measure(ctx context.Context, name string, data dataset.Options) error {
	var g *graph.Graph
	p.timed(ctx, "load", func() (err error) { g, err = dataset.Load(ctx, name, data); return err })
	if p.err != nil {
		return p.err
	}
	o, _ := paper.Settings(g.Catalogue)
	c, filter := o.Config, o.Filter
	p.ranking = o.ForGraph(g).Ranking
	s := &p.sizes
	s.n, s.m, s.d, s.t = g.N(), g.Edges(), c.Dims, filter.Layers
	_, s.f = g.Features.Dims()
	s.x, s.xBytes = g.Features.NNZ(), 4*g.Features.NNZ()
	if x := g.Features.Sparse; x != nil {
		s.xBytes += 4*len(x.Values) + 8*len(x.Indptr)
	}
	s.layers, s.rows = smoothingCounts(g, s.t)

	op := laplacian.New(g.Adjacency)
	var smoothed blas32.General
	p.timed(ctx, "λmax", func() error {
		l, err := eigen.Largest(ctx, op, rand.New(rand.NewPCG(0, 0)))
		s.steps = l.Steps
		return err
	})
	p.timed(ctx, "smooth", func() (err error) { smoothed, err = filter.Smooth(ctx, op, g.Features); return err })
	if p.err != nil {
		return p.err
	}
	z, err := p.train(ctx, &affine.Input{Smoothed: smoothed, Features: g.Features, Operator: op, Filter: filter}, c)
	if err != nil {
		return err
	}
	return p.evaluate(ctx, z, c, g.Classes)
}

// train measures the steps and the selection, and returns an embedding.
func (p *profile) train(ctx context.Context, in *affine.Input, c encoder.Config) (z blas32.General, err error) {
	s, rnd := &p.sizes, rand.New(rand.NewPCG(1, 2))
	selection, err := p.choosePairs(ctx, rows.Normalize(in.Smoothed), c)
	if err != nil {
		return z, err
	}
	half := min(c.BatchSize, len(selection.I))
	rnd.Shuffle(len(selection.I), func(a, b int) {
		selection.I[a], selection.I[b] = selection.I[b], selection.I[a]
		selection.J[a], selection.J[b] = selection.J[b], selection.J[a]
	})
	i, j, err := selection.DrawNegatives(ctx, half, rnd)
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
	if z, err = affine.Embed(ctx, model, s.n, weights); err != nil {
		return z, err
	}
	p.timed(ctx, "train step", step)
	p.timed(ctx, "embed", func() error { return model.EmbedTo(ctx, z, weights) })
	return z, p.err
}

// choosePairs makes a run's first selection.
func (p *profile) choosePairs(ctx context.Context, z blas32.General, c encoder.Config) (selection *pairs.Selection, err error) {
	pos, neg := c.Thresholds.At(0, c.Epochs/c.UpdateEvery)
	if p.ranking == pairs.Sampled {
		selection, err = pairs.SelectSampled(ctx, z, pos, neg, c.Anchors, c.EpochPairs*c.UpdateEvery, rand.New(rand.NewPCG(1, 2)), pairs.Options{})
	} else {
		selection, err = pairs.Select(ctx, z, pos, neg, pairs.Options{})
	}
	if err == nil {
		p.sizes.anchors, p.sizes.positives = selection.Anchors, len(selection.I)
	}
	return selection, err
}

// evaluate measures the stages after an embedding.
func (p *profile) evaluate(ctx context.Context, z blas32.General, c encoder.Config, classes int) error {
	p.timed(ctx, "select", func() error { _, err := p.choosePairs(ctx, z, c); return err })
	var found cluster.SpectralResult
	p.timed(ctx, "cluster", func() (err error) {
		counted := &countedAffinity{Affinity: cluster.Gram(z)}
		found, err = cluster.Spectral(ctx, counted, classes, cluster.SpectralOptions{Scaling: c.Scaling}, rand.New(rand.NewPCG(1, 2)))
		p.sizes.products = counted.blocks
		return err
	})
	p.timed(ctx, "choose", func() error { _, err := cluster.DaviesBouldinGram(ctx, z, found.Labels); return err })
	return p.err
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
func (p *profile) print(w io.Writer, name string, rates ceiling.Rates) {
	s := p.sizes
	fmt.Fprintf(w, "## %s\n\nn = %s, m = %s, f = %s, t = %d, %s ranking; %d Lanczos steps to λmax, %d block products.\n\n",
		name, comma(s.n), comma(s.m), comma(s.f), s.t, p.ranking, s.steps, s.products)
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
func printLevels(w io.Writer, levels []string, profiles []*profile) {
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
