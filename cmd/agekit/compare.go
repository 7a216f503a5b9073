package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/tsne"
)

// compare runs simple methods beside a result and says whether training helped.
func compare(ctx context.Context, g *graph.Graph, r *encoder.Result, found *report.Fit) error {
	all, err := baseline.RunSimple(ctx, g, r.Encoder.Filter, len(found.Clusters), found.Seed)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped while comparing with simple methods; run the same command again: %w", err)
	}
	if err != nil {
		return err
	}
	found.Simple, found.Verdict = all, verdict(found, all)
	return nil
}

// verdict says in a sentence whether training helped, by the score without labels.
func verdict(found *report.Fit, all []baseline.Simple) string {
	best := -1
	for i, s := range all {
		if s.Clusters == len(found.Clusters) && s.Name != "Leiden" && (best < 0 || s.Score > all[best].Score) {
			best = i
		}
	}
	score := found.Measures.Score
	switch {
	case found.Epoch == 0:
		return "Training did not help here: the smoothed features alone scored as well or better, and are the result."
	case best < 0:
		return ""
	case score >= all[best].Score:
		return fmt.Sprintf("Training helped here: score %.2f, %s %.2f.", score, all[best].Name, all[best].Score)
	}
	return fmt.Sprintf("Training did not help here by this score: %.2f, %s %.2f.", score, all[best].Name, all[best].Score)
}

// printSimple writes the result and the simple methods as a table.
func printSimple(w io.Writer, r report.Fit) {
	if len(r.Simple) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "compared\tclusters\tfeatures' information\tmean conductance\tmodularity\tscore")
	if r.ACC != nil {
		fmt.Fprint(t, "\tACC\tNMI\tARI")
	}
	fmt.Fprintln(t)
	row := func(s baseline.Simple) {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.2f", s.Name, s.Clusters, s.FeatureInformation, s.MeanConductance, s.Modularity, s.Score)
		if s.ACC != nil {
			fmt.Fprintf(t, "\t%.3f\t%.3f\t%.3f", *s.ACC, *s.NMI, *s.ARI)
		}
		fmt.Fprintln(t)
	}
	row(baseline.Simple{Name: "AGE", Clusters: len(r.Clusters), Measures: r.Measures, ACC: r.ACC, NMI: r.NMI, ARI: r.ARI})
	for _, s := range r.Simple {
		row(s)
	}
	t.Flush()
	if r.Verdict != "" {
		fmt.Fprintln(w, r.Verdict)
	}
	fmt.Fprintln(w)
}

const (
	// quickNodes is the number of nodes above which a map takes fewer steps.
	quickNodes = 5000
	// sampledNodes is the number of nodes that t-SNE places if there are more; the
	// others go beside those that are most similar.
	sampledNodes = 10000
)

// places returns the nodes' places on a map: t-SNE of the embedding.
func places(ctx context.Context, z blas32.General, log *progress) (blas32.General, error) {
	if z.Rows < 4 {
		return blas32.General{}, nil
	}
	start := time.Now()
	o := tsne.Options{}
	if z.Rows > quickNodes {
		o.Iterations = 300
	}
	if z.Rows > 2*sampledNodes {
		o.Sample = sampledNodes
	}
	y, err := tsne.Embed(ctx, z, o, rand.New(rand.NewPCG(0, 0)))
	if ctx.Err() != nil {
		return y, fmt.Errorf("stopped while placing the nodes on the map; run the same command again, or add --no-map: %w", err)
	}
	if err == nil {
		log.line("map: %.1f s", time.Since(start).Seconds())
	}
	return y, err
}

// curves returns the curves of each training.
func curves(r *encoder.Result) []report.Training {
	var all []report.Training
	for _, m := range r.Members {
		t := report.Training{Loss: m.Loss, Chosen: m.Epoch}
		for _, s := range m.Saved {
			t.Epochs, t.DBI = append(t.Epochs, s.Epoch), append(t.DBI, s.DaviesBouldin)
		}
		all = append(all, t)
	}
	return all
}
