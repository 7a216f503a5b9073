package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/internal/output"
	"github.com/agekit/age/internal/simd"
)

// ageMethod is the name of our own method in --method.
const ageMethod = "AGE"

// defaultEpochs is AGE's default of --epochs; other methods have their own.
const defaultEpochs = 400

// publishedMethods lists the methods that have a published reading.
func publishedMethods() []string {
	return slices.DeleteFunc(baseline.Names(), func(name string) bool { return !baseline.HasPublished(name) })
}

// methodReport is what `agekit fit --method NAME --json` prints.
type methodReport struct {
	Dataset  string `json:"dataset"`
	Method   string `json:"method"`
	Reading  string `json:"reading"`
	N        int    `json:"n"`
	Edges    int    `json:"edges"`
	Features int    `json:"features"`
	metric.Scores
	Measures     map[string]float64 `json:"measures,omitempty"`
	Seconds      methodSeconds      `json:"seconds"`
	PeakRSSBytes int64              `json:"peak_rss_bytes"`
	Backend      string             `json:"backend"`
	SIMD         string             `json:"simd"`
	Seed         uint64             `json:"seed"`
}

type methodSeconds struct {
	Load  float64 `json:"load"`
	Fit   float64 `json:"fit"` // with the clustering
	Total float64 `json:"total"`
}

// runMethod runs another method than AGE.
func (c *FitCmd) runMethod(rt *Runtime, choice backend.Choice) error {
	start := time.Now()
	if err := c.checkMethod(); err != nil {
		return usageError{err}
	}
	if err := checkExport(c.Export, c.Out); err != nil {
		return err
	}
	loaded, err := c.loadAll(rt.Context, rt.Stderr)
	if err != nil {
		return err
	}
	g := loaded.Graph
	m, o, err := c.method(g)
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
	log := newProgress(rt.Stderr)
	defer log.close()
	for _, note := range loaded.Notes {
		log.line("%s", note)
	}
	if o.Checkpoints, err = store.Open(""); err != nil {
		log.line("checkpoints are off: %v", err)
		o.Checkpoints = nil
	}
	o.Backend = choice
	began := time.Now()
	o.Progress = func(e baseline.Event) { log.method(e, began) }
	loadSeconds := time.Since(start).Seconds()
	out, err := baseline.Cluster(rt.Context, m, g, o)
	if err != nil {
		if rt.Context.Err() != nil {
			return fmt.Errorf("stopped; run the same command again to go on from the last checkpoint, if there is one: %w", err)
		}
		return err
	}
	log.close()
	var explanation *explain.Explanation
	if out.Embedding.Rows > 0 {
		explanation = explained(rt.Context, g, out.Embedding, out.Clusters)
	}
	_, features := g.Features.Dims()
	report := methodReport{
		Dataset: g.Name, Method: m.Name(), Reading: c.reading(), N: g.N(), Edges: g.Edges(), Features: features,
		Scores: metric.Score(g, out.Clusters), Measures: out.Measures,
		Seconds:      methodSeconds{loadSeconds, time.Since(began).Seconds(), time.Since(start).Seconds()},
		PeakRSSBytes: peakRSS(), Backend: out.Backend, SIMD: simd.Level(), Seed: c.Seed,
	}
	if folder != nil {
		o := outcome{loaded: loaded, clusters: out.Clusters, embedding: out.Embedding, explanation: explanation, log: log.lines}
		if err := folder.Write(rt.Context, o.files(c.Export)); err != nil {
			return fmt.Errorf("--out: %w; run the same command again to write the files", err)
		}
	}
	if err := emit(rt, c.JSON, report, report.print); err != nil {
		return err
	}
	if out.Release != nil {
		if err := out.Release(); err != nil {
			log.line("the checkpoint remains: %v", err)
		}
	}
	return nil
}

// reading names how the method is run.
func (c *FitCmd) reading() string {
	if c.Published {
		return "published"
	}
	return "fair"
}

// checkMethod reports an unknown method, and flags that are AGE's alone.
func (c *FitCmd) checkMethod() error {
	name := c.Method
	if _, err := baseline.New(name, baseline.Settings{}); err != nil {
		return fmt.Errorf("--method: unknown method %q: want AGE, %s", name, strings.Join(baseline.Names(), ", "))
	}
	if c.Published && !baseline.HasPublished(name) {
		return fmt.Errorf("--published: %s has one protocol only: want --method %s", name, strings.Join(publishedMethods(), ", "))
	}
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{"best", c.Best}, {"auto", c.Auto != nil}, {"pos-start", c.PosStart != nil}, {"pos-end", c.PosEnd != nil}, {"neg-start", c.NegStart != nil}, {"neg-end", c.NegEnd != nil},
		{"update", c.Update != 10}, {"batch", c.Batch != defaultBatch}, {"dims", c.Dims != 500}, {"learning-rate", c.LearningRate != 0.001},
		{"ranking", c.Ranking != "auto"}, {"anchors", c.Anchors != 1024}, {"epoch-pairs", c.EpochPairs != 50000},
	} {
		if f.set {
			return fmt.Errorf("--%s is AGE's: %s has settings of its own", f.flag, name)
		}
	}
	if c.Layers != nil && *c.Layers < 1 {
		return fmt.Errorf("--layers is %d: want 1 or more", *c.Layers)
	}
	if c.Epochs < 1 {
		return fmt.Errorf("--epochs is %d: want 1 or more", c.Epochs)
	}
	return nil
}

// method returns the method with the flags' settings, and its options.
func (c *FitCmd) method(g *graph.Graph) (m baseline.Method, o baseline.Options, err error) {
	s := baseline.Settings{Filter: encoder.PaperFilter(g.Name), Published: c.Published}
	if c.K != "" {
		if s.Filter.K, err = parseK(c.K); err != nil {
			return nil, o, err
		}
	}
	if c.Layers != nil {
		s.Layers, s.Filter.Layers = *c.Layers, *c.Layers
	}
	if c.Epochs != defaultEpochs {
		s.Epochs = c.Epochs
	}
	if s.Loss, err = encoder.ParseLoss(c.Loss); err != nil {
		return nil, o, err
	}
	o = baseline.Options{Seed: c.Seed}
	if o.Scaling, err = cluster.ParseScaling(c.Scaling); err != nil {
		return nil, o, err
	}
	if m, err = baseline.New(c.Method, s); err != nil {
		return nil, o, err
	}
	findsNumber := m.Gives()&baseline.Number != 0
	switch {
	case findsNumber && c.Clusters != clusterNumber{}:
		err = fmt.Errorf("--clusters is %s: %s finds the number of clusters itself", c.Clusters, m.Name())
	case !findsNumber:
		if o.Clusters, err = c.Clusters.of(g); err == nil {
			err = encoder.CheckClusters(g.N(), o.Clusters)
		}
	}
	return m, o, err
}

// method shows the progress of a method.
func (p *progress) method(e baseline.Event, start time.Time) {
	if e.Message != "" {
		p.line("%s", e.Message)
		return
	}
	left := time.Duration(float64(time.Since(start)) / float64(e.Epoch) * float64(e.Epochs-e.Epoch)).Round(time.Second)
	switch {
	case p.bar != nil:
		p.bar.ChangeMax(e.Epochs)
		p.bar.Describe(fmt.Sprintf("loss %.4f, %s left", e.Loss, left))
		_ = p.bar.Set(e.Epoch)
	case time.Since(p.said) > silence || e.Epoch == e.Epochs:
		p.line("epoch %d of %d: loss %.4f, %s left", e.Epoch, e.Epochs, e.Loss, left)
	}
}

func (r methodReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d nodes, %d edges, %d features\n", r.Dataset, r.N, r.Edges, r.Features)
	if r.ACC != nil {
		fmt.Fprintf(w, "ACC %.4f  NMI %.4f  ARI %.4f  F1 %.4f\n", *r.ACC, *r.NMI, *r.ARI, *r.F1)
	}
	fmt.Fprintf(w, "modularity %.4f  conductance %.4f\n", r.Modularity, r.Conductance)
	for _, name := range slices.Sorted(maps.Keys(r.Measures)) {
		fmt.Fprintf(w, "%s %.4g  ", name, r.Measures[name])
	}
	fmt.Fprintf(w, "\n%s, %s reading, %s (%s), seed %d\n", r.Method, r.Reading, r.Backend, r.SIMD, r.Seed)
	fmt.Fprintf(w, "%.1f s: load %.1f, fit %.1f; %d MB\n", r.Seconds.Total, r.Seconds.Load, r.Seconds.Fit, r.PeakRSSBytes>>20)
}
