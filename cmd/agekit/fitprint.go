package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/run"
	"github.com/dustin/go-humanize/english"
)

// printRun writes all that a run found, and what it took.
func printRun(w io.Writer, found *run.Run) {
	r := &found.Record
	fmt.Fprintf(w, "%s: %s", r.Dataset, r.About())
	if t := r.Training; t != nil {
		lambda := "" // unknown
		if t.LambdaMax > 0 {
			lambda = fmt.Sprintf(" λmax %.5f,", t.LambdaMax)
		}
		fmt.Fprintf(w, ";%s k %.4f, t %d", lambda, t.K, t.Layers)
	}
	fmt.Fprintln(w)
	if r.From != nil {
		fmt.Fprintln(w, r.From)
	}
	fmt.Fprintln(w, choiceLine(r))
	fmt.Fprintln(w, scoreLine(r))
	for _, name := range slices.Sorted(maps.Keys(r.Reported)) {
		fmt.Fprintf(w, "%s %.4g  ", name, r.Reported[name])
	}
	if len(r.Reported) > 0 {
		fmt.Fprintln(w)
	}
	if r.Training != nil {
		printTraining(w, r.Training)
	}
	printViews(w, r)
	printClusters(w, shownClusters(found), r.Named) // features without names would say nothing
	printCosts(w, r)
}

// printCosts writes by what a run was computed (the backend, settings, the seed), in which time, and with
// how much memory.
func printCosts(w io.Writer, r *run.Record) {
	s, megabytes := r.Seconds, r.PeakRSSBytes>>20 // of 2²⁰ bytes
	t := r.Training
	if t == nil {
		fmt.Fprintf(w, "%s, mode %s, %s (%s), seed %d\n", r.Method, r.Mode, r.Backend, r.SIMD, r.Seed)
		fmt.Fprintf(w, "%.1f s: load %.1f, fit %.1f; %d MB\n", s.Total, s.Load, s.Fit, megabytes)
		return
	}
	if t.Sample > 0 {
		fmt.Fprintf(w, "trained on a sample of %d nodes\n", t.Sample)
	}
	fmt.Fprintf(w, "%s (%s), %s ranking, loss %s, scaling %s, seed %d\n", r.Backend, r.SIMD, t.Ranking, t.Loss, t.Scaling, r.Seed)
	fmt.Fprintf(w, "%.1f s: load %.1f, filter %.1f, select %.1f, train %.1f; cluster %.1f, partly beside them; %d MB\n",
		s.Total, s.Load, s.Filter, s.Select, s.Train, s.Cluster, megabytes)
}

// printTraining says how the epoch was chosen.
func printTraining(w io.Writer, t *run.Training) {
	line := epochsText(t)
	switch {
	case !t.Trained():
		line += ": the smoothed features are the embedding"
	case t.AllEpochs != nil && t.Clusterings > 1:
		line += fmt.Sprintf("; the consensus of %d clusterings", t.Clusterings)
	case t.AllEpochs != nil:
		line += "; one clustering, since the clusters are not well separated or the graph is large"
	}
	fmt.Fprintf(w, "%s; Davies–Bouldin index %.4f\n", line, t.DBI)
}

// epochsText says in a few words of which epochs the embedding is.
func epochsText(t *run.Training) string {
	switch {
	case !t.Trained():
		return "not trained"
	case t.AllEpochs == nil:
		return fmt.Sprintf("epoch %d of %d", t.Epoch, t.Epochs)
	}
	return fmt.Sprintf("%d trainings combined, epochs %v of %d", len(t.AllEpochs), t.AllEpochs, t.Epochs)
}

// printViews writes a table of the views, in which the one that is the result is marked, and below it how
// the number of clusters was found and a sentence that sums up the views.
func printViews(w io.Writer, r *run.Record) {
	if len(r.Views) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprint(t, "view\tclusters\tedges inside\tvariance explained\tstability")
		if r.ACC != nil {
			fmt.Fprint(t, "\tACC\tNMI\tARI")
		}
		fmt.Fprintln(t)
		for _, v := range r.Views {
			printView(t, r, v)
		}
		t.Flush()
	}
	for _, line := range []string{r.NumberText(), r.Summary} {
		if line != "" {
			fmt.Fprintln(w, line)
		}
	}
}

// printView writes the row of the view v in the table of printViews.
func printView(w io.Writer, r *run.Record, v explain.View) {
	stability := "–"
	if v.Stability != nil {
		stability = fmt.Sprintf("%.2f", *v.Stability)
	}
	fmt.Fprintf(w, "%s\t%d\t%.0f %%\t%.0f %%\t%s", v.Name.Title(), v.Clusters, 100*v.Inside, 100*v.Explained, stability)
	if v.ACC != nil {
		fmt.Fprintf(w, "\t%.3f\t%.3f\t%.3f", *v.ACC, *v.NMI, *v.ARI)
	}
	if v.Name == r.View {
		fmt.Fprint(w, "\t← result")
	}
	fmt.Fprintln(w)
}

// shownFeatures is how many features of a cluster fit on a line.
const shownFeatures = 4

// printClusters writes a line for each cluster: with its most telling features if withFeatures is true, and
// with its central nodes if the cluster has no name.
func printClusters(w io.Writer, clusters []explain.Cluster, withFeatures bool) {
	for _, c := range clusters {
		var features []string
		for _, f := range c.Features[:min(shownFeatures, len(c.Features))] {
			features = append(features, f.String())
		}
		name := ""
		if c.Name != "" {
			name = " (" + c.Name + ")"
		}
		fmt.Fprintf(w, "cluster %d%s: %d %s, %.0f %% of their edges inside", c.Cluster, name, c.Size, english.PluralWord(c.Size, "node", ""), 100*c.Inside)
		if withFeatures && len(features) > 0 {
			fmt.Fprintf(w, "; %s", strings.Join(features, ", "))
		}
		if c.Name == "" && c.Central != nil {
			fmt.Fprintf(w, "; central: %s", strings.Join(c.Central, ", "))
		}
		fmt.Fprintln(w)
	}
}
