package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/model"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/output"
)

// FitCmd is `agekit fit`. Omitted flags take the paper's settings for its data sets. For
// any other graph, all settings are chosen without labels, or are Cora's if the flags
// set one of them.
type FitCmd struct {
	GraphFlags
	Clusters     clusterNumber `placeholder:"K|A..B|auto" help:"Number of clusters, or the numbers to choose from (default: the number of classes; without labels auto, which is 2..20)."`
	Auto         *bool         `negatable:"" help:"Choose the settings without labels (default: for graphs that are not the paper's, unless a flag sets one of them)."`
	Method       string        `default:"AGE" help:"AGE, or another method: ${fit_methods}."`
	Published    bool          `help:"Another method by the protocol of its own public code, where that differs from the race that is the same for all methods."`
	Layers       *int          `placeholder:"8" help:"t, the number of times the filter is applied; 0 for none."`
	K            string        `placeholder:"0.6667|auto" help:"k of the filter I − kL; auto is 1/λmax."`
	Epochs       int           `default:"400" help:"Passes over the positive pairs. Other methods have defaults of their own."`
	Update       int           `default:"10" help:"Epochs between pair selections."`
	Batch        batchSize     `default:"10000" placeholder:"N|all" help:"Positive pairs per step, with an equal number of negatives; all for one step per epoch."`
	Dims         int           `default:"500" help:"Width of the embedding."`
	LearningRate float64       `default:"0.001" help:"Adam's learning rate."`
	PosStart     *float64      `placeholder:"0.011" help:"Share of all pairs that are positive at the start."`
	PosEnd       *float64      `placeholder:"0.001" help:"The same at the end."`
	NegStart     *float64      `placeholder:"0.1" help:"Share of all pairs that rank above the negatives at the start."`
	NegEnd       *float64      `placeholder:"0.5" help:"The same at the end."`
	Ranking      string        `enum:"auto,exact,sampled" default:"auto" help:"Which pairs are ranked: all (exact), or those of sampled nodes (sampled); auto samples above 30,000 nodes."`
	Anchors      int           `default:"1024" help:"Number of nodes that a sampled ranking samples."`
	EpochPairs   int           `default:"50000" help:"Maximum number of positive pairs per epoch with a sampled ranking."`
	Loss         string        `enum:"probability,logits" default:"probability" help:"How the loss interprets a pair's similarity: ${enum}."`
	Scaling      string        `enum:"randomwalk,degree,njw" default:"randomwalk" help:"Scaling of the spectral embedding: ${enum}."`
	Best         bool          `help:"Best mode: three trainings with one step per epoch and half the layers, their embeddings concatenated, and the consensus of many clusterings of the similarities."`
	Seed         uint64        `default:"1" help:"Seed of all random choices."`
	Backend      string        `default:"auto" help:"auto, native, go, xla:cpu, xla:cuda or xla:PATH."`
	Checkpoint   time.Duration `name:"checkpoint-every" default:"5s" help:"Minimum time between two checkpoints."`
	ScratchAbove int64         `placeholder:"MB" help:"Smoothed features larger than this go to a memory-mapped file (default: a quarter of the machine's memory)."`
	Out          string        `placeholder:"DIR" help:"Folder for nodes.csv (your columns with the results), run.json, embeddings.npy, labels.txt, model.npz and log.txt; agekit report DIR makes a page of it."`
	Baselines    bool          `default:"true" negatable:"" help:"Compare with simple methods: k-means of the features and of the smoothed features, and Leiden."`
	Map          bool          `default:"true" negatable:"" help:"Place the nodes on a map (t-SNE), for the report and the columns x and y of --out."`
	Export       []string      `placeholder:"FORMAT" help:"Further files for --out: parquet, graphml, gexf, projector (TensorBoard's), membership (each node's share in each cluster)."`
	JSON         bool          `name:"json" help:"Print JSON."`
}

// Help is the second part of `agekit fit --help`.
func (FitCmd) Help() string {
	return `Trains the encoder, clusters the embeddings, chooses the epoch by the Davies–Bouldin index and scores it. Labels are used only for the scores. If a run is stopped, run the same command again to resume from its last checkpoint.

Examples:
  agekit fit --dataset cora
  agekit fit --dataset cora --best
  agekit fit --dataset cora --method NS4GC
  agekit fit --dataset wiki --loss logits --scaling degree --seed 2 --json
  agekit fit --edges edges.tsv --features features.npz --clusters 12 --out run1
  agekit fit --edges friends.csv --nodes people.csv --label team --text about --out run2
  agekit fit --edges friends.csv --nodes people.csv --clusters 4..12
  agekit fit --dataset cora --k auto --layers 4 --backend xla:cpu`
}

// Run trains.
func (c *FitCmd) Run(rt *Runtime) error {
	start := time.Now()
	choice, err := resolveBackend(c.Backend)
	if err != nil {
		return err
	}
	if !strings.EqualFold(c.Method, ageMethod) {
		return c.runMethod(rt, choice)
	}
	if err := c.check(); err != nil {
		return err
	}
	loaded, err := c.loadAll(rt.Context, rt.Stderr)
	if rt.Context.Err() != nil {
		return fmt.Errorf("stopped before the first checkpoint: %w", rt.Context.Err())
	}
	if err != nil {
		return err
	}
	g := loaded.Graph
	plan, err := c.plan(g)
	if err != nil {
		return usageError{err}
	}
	var folder *output.Folder
	if c.Out != "" {
		if folder, err = openOutput(c.Out, c.Export); err != nil {
			return err
		}
		defer folder.Close()
	}
	loadSeconds := time.Since(start).Seconds()
	log := newProgress(rt.Stderr)
	defer log.close()
	for _, note := range loaded.Notes {
		log.line("%s", note)
	}
	log.line("backend %s: %s", choice.Name, choice.Reason)
	checkpoints, err := store.Open("")
	if err != nil {
		log.line("checkpoints are off: %v", err)
		checkpoints = nil
	}
	o := encoder.Options{
		Backend: gomlx.On(choice), Checkpoints: checkpoints, CheckpointEvery: c.Checkpoint, ScratchAbove: c.ScratchAbove << 20, Progress: log.event,
	}
	p := encoder.Preparer{ScratchAbove: o.ScratchAbove, Log: func(line string) { log.line("%s", line) }}
	if o.Checkpoints != nil {
		p.ScratchDir = o.Checkpoints.Dir()
	}
	fitted, err := plan.fit(rt.Context, g, p, o)
	if err != nil {
		return err
	}
	result, config := fitted.Result, fitted.config
	s := result.Seconds
	_, features := g.Features.Dims()
	found := report.Fit{
		Dataset: g.Name, N: g.N(), Edges: g.Edges(), Features: features,
		LambdaMax: result.LambdaMax, K: result.Encoder.Filter.K, Layers: result.Encoder.Filter.Layers,
		Scores: metric.Score(g, result.Labels), Measures: auto.Measure(g, result.Labels), DBI: result.DaviesBouldin, Epochs: config.Epochs,
		Loss: config.Loss.String(), Scaling: result.Scaling.String(), Ranking: result.Ranking.String(),
		Seconds: report.Seconds{Load: loadSeconds, Filter: s.Filter, Select: s.Select, Train: s.Train, Cluster: s.Cluster, Compile: s.Compile},
		Backend: result.Backend, SIMD: result.SIMD, Programs: result.Programs, Seed: c.Seed,
	}
	for _, m := range result.Members {
		found.AllEpochs = append(found.AllEpochs, m.Epoch)
	}
	switch len(found.AllEpochs) {
	case 0:
	case 1:
		found.Epoch, found.AllEpochs = found.AllEpochs[0], nil
	default:
		found.Epoch, found.Clusterings = found.AllEpochs[0], result.Clusterings
	}
	explanation := explained(rt.Context, g, result.Embedding, result.Labels)
	found.Auto = fitted.auto
	if explanation != nil {
		found.Tree = explanation.Tree
	}
	found.Clusters, found.Named = clusterReports(loaded, explanation), g.FeatureNames != nil
	if c.Baselines {
		if err := compare(rt.Context, g, result, &found); err != nil {
			return err
		}
	}
	out := outcome{
		loaded: loaded, clusters: result.Labels, embedding: result.Embedding, explanation: explanation,
		model: model.New(loaded, result, config, thisVersion().String()).Write, training: curves(result),
	}
	if folder != nil && c.Map {
		if out.places, err = places(rt.Context, result.Embedding, log); err != nil {
			return err
		}
	}
	found.Seconds.Total, found.PeakRSSBytes = time.Since(start).Seconds(), peakRSS()
	log.close()
	if folder != nil {
		out.log, out.fit = log.lines, &found
		err := folder.Write(rt.Context, out.files(c.Export))
		if rt.Context.Err() != nil {
			return fmt.Errorf("stopped while writing the files; run the same command again to write them: %w", rt.Context.Err())
		}
		if err != nil {
			return fmt.Errorf("--out: %w; run the same command again to write the files", err)
		}
	}
	if err := emit(rt, c.JSON, found, func(w io.Writer) { printFit(w, found) }); err != nil {
		return err
	}
	// Only now is the result safe.
	if err := fitted.discard(); err != nil {
		log.line("the checkpoint remains: %v", err)
	}
	return nil
}

// check reports flags that are wrong for any graph: values that the encoder's
// settings would read as "not set".
func (c *FitCmd) check() error {
	if c.Published {
		return misused("--published is for --method %s", strings.Join(publishedMethods(), ", "))
	}
	for _, f := range []struct {
		name  string
		value int
	}{{"epochs", c.Epochs}, {"update", c.Update}, {"dims", c.Dims}, {"anchors", c.Anchors}, {"epoch-pairs", c.EpochPairs}} {
		if f.value < 1 {
			return misused("--%s is %d: want 1 or more", f.name, f.value)
		}
	}
	if err := checkExport(c.Export, c.Out); err != nil {
		return err
	}
	if c.Checkpoint < 0 {
		return misused("--checkpoint-every is %v: want a time that is not negative", c.Checkpoint)
	}
	if most := int64(math.MaxInt64 >> 20); c.ScratchAbove < 0 || c.ScratchAbove > most {
		return misused("--scratch-above is %d: want a size in MB, at most %d", c.ScratchAbove, most)
	}
	if c.Best && c.Batch != batchSize(defaultBatch) {
		return misused("--best and --batch: best mode takes one step per epoch")
	}
	if c.Layers != nil && (*c.Layers < 0 || *c.Layers > laplacian.MaxLayers) {
		return misused("--layers is %d: want 0 to %d", *c.Layers, laplacian.MaxLayers)
	}
	if !(c.LearningRate > 0) {
		return misused("--learning-rate is %v: want a positive number", c.LearningRate)
	}
	return nil
}

// settings returns the filter and the encoder's settings: the paper's,
// overridden by the flags.
func (c *FitCmd) settings(g *graph.Graph) (f laplacian.Filter, e encoder.Config, err error) {
	f, e = encoder.PaperFilter(g.Name), encoder.PaperConfig(g.Name)
	if c.K != "" {
		if f.K, err = parseK(c.K); err != nil {
			return f, e, err
		}
	}
	if c.Layers != nil {
		f.Layers = *c.Layers
	}
	e.Epochs, e.UpdateEvery, e.BatchSize, e.Dims = c.Epochs, c.Update, int(c.Batch), c.Dims
	e.LearningRate, e.Seed, e.Anchors, e.EpochPairs = c.LearningRate, c.Seed, c.Anchors, c.EpochPairs
	for _, f := range []struct {
		flag *float64
		to   *float64
	}{
		{c.PosStart, &e.Thresholds.PosStart}, {c.PosEnd, &e.Thresholds.PosEnd},
		{c.NegStart, &e.Thresholds.NegStart}, {c.NegEnd, &e.Thresholds.NegEnd},
	} {
		if f.flag != nil {
			*f.to = *f.flag
		}
	}
	if e.Ranking, err = pairs.ParseRanking(c.Ranking); err != nil {
		return f, e, err
	}
	if e.Loss, err = encoder.ParseLoss(c.Loss); err != nil {
		return f, e, err
	}
	if e.Scaling, err = cluster.ParseScaling(c.Scaling); err != nil {
		return f, e, err
	}
	if e.Clusters, err = c.Clusters.of(g); err != nil {
		return f, e, err
	}
	if c.Best {
		f, e = encoder.Best(f, e)
	}
	if f.K != laplacian.InverseLambdaMax {
		err = f.Validate()
	}
	return f, e, cmp.Or(err, e.Validate(), e.CheckGraph(g))
}

// batchSize is the value of --batch.
type batchSize int

// defaultBatch is the default of --batch.
const defaultBatch = 10000

// UnmarshalText parses a number of pairs, or "all".
func (b *batchSize) UnmarshalText(text []byte) error {
	if string(text) == "all" {
		*b = encoder.AllPairs
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("--batch is %s: want 1 or more, or all", text)
	}
	*b = batchSize(n)
	return nil
}

// parseK parses --k.
func parseK(s string) (float64, error) {
	if s == "auto" {
		return laplacian.InverseLambdaMax, nil
	}
	k, err := strconv.ParseFloat(s, 64)
	if err != nil || !(k > 0) {
		return 0, fmt.Errorf("--k is %s: want a positive number or auto", s)
	}
	return k, nil
}

func printFit(w io.Writer, r report.Fit) {
	fmt.Fprintf(w, "%s: %d nodes, %d edges, %d features; λmax %.5f, k %.4f, t %d\n", r.Dataset, r.N, r.Edges, r.Features, r.LambdaMax, r.K, r.Layers)
	if r.ACC != nil {
		fmt.Fprintf(w, "ACC %.4f  NMI %.4f  ARI %.4f  F1 %.4f\n", *r.ACC, *r.NMI, *r.ARI, *r.F1)
	}
	fmt.Fprintf(w, "modularity %.4f  conductance %.4f\n", r.Modularity, r.Conductance)
	if r.Epoch == 0 {
		fmt.Fprintf(w, "not trained: the smoothed features are the embedding; Davies–Bouldin index %.4f\n", r.DBI)
	} else if r.AllEpochs == nil {
		fmt.Fprintf(w, "epoch %d of %d, Davies–Bouldin index %.4f\n", r.Epoch, r.Epochs, r.DBI)
	} else {
		agreed := "one clustering, since the clusters are not well separated or the graph is large"
		if r.Clusterings > 1 {
			agreed = fmt.Sprintf("the consensus of %d clusterings", r.Clusterings)
		}
		fmt.Fprintf(w, "%d trainings combined, epochs %v of %d; %s; Davies–Bouldin index %.4f\n", len(r.AllEpochs), r.AllEpochs, r.Epochs, agreed, r.DBI)
	}
	if r.Auto != nil {
		printChoice(w, r.Auto)
	}
	printSimple(w, r)
	printClusters(w, r.Clusters, r.Named)
	fmt.Fprintf(w, "%s (%s), %s ranking, loss %s, scaling %s, seed %d\n", r.Backend, r.SIMD, r.Ranking, r.Loss, r.Scaling, r.Seed)
	s := r.Seconds
	fmt.Fprintf(w, "%.1f s: load %.1f, filter %.1f, select %.1f, train %.1f, cluster %.1f; %d MB\n",
		s.Total, s.Load, s.Filter, s.Select, s.Train, s.Cluster, r.PeakRSSBytes>>20)
}
