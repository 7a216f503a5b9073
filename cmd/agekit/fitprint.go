package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/run"
	"github.com/dustin/go-humanize/english"
)

// printRun writes what a run found.
func printRun(w io.Writer, r *run.Record) {
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
	if r.Search != nil {
		printChoice(w, r.Search)
	}
	printSimple(w, r)
	printClusters(w, r.Clusters, r.Named)
	s := r.Seconds
	if t := r.Training; t != nil {
		if t.Sample > 0 {
			fmt.Fprintf(w, "trained on a sample of %d nodes\n", t.Sample)
		}
		fmt.Fprintf(w, "%s (%s), %s ranking, loss %s, scaling %s, seed %d\n", r.Backend, r.SIMD, t.Ranking, t.Loss, t.Scaling, r.Seed)
		fmt.Fprintf(w, "%.1f s: load %.1f, filter %.1f, select %.1f, train %.1f; cluster %.1f, partly beside them; %d MB\n",
			s.Total, s.Load, s.Filter, s.Select, s.Train, s.Cluster, r.PeakRSSBytes>>20)
		return
	}
	fmt.Fprintf(w, "%s, mode %s, %s (%s), seed %d\n", r.Method, r.Mode, r.Backend, r.SIMD, r.Seed)
	fmt.Fprintf(w, "%.1f s: load %.1f, fit %.1f; %d MB\n", s.Total, s.Load, s.Fit, r.PeakRSSBytes>>20)
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

// epochsText says in a few words what the embedding is of.
func epochsText(t *run.Training) string {
	switch {
	case !t.Trained():
		return "not trained"
	case t.AllEpochs == nil:
		return fmt.Sprintf("epoch %d of %d", t.Epoch, t.Epochs)
	}
	return fmt.Sprintf("%d trainings combined, epochs %v of %d", len(t.AllEpochs), t.AllEpochs, t.Epochs)
}

// printChoice writes tables of what was tried.
func printChoice(w io.Writer, a *auto.SearchReport) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if a.Numbers != nil {
		fmt.Fprintln(t, "clusters\tedges' information\tof the resamples\teigengap\tmodularity\tDavies–Bouldin")
		for i, n := range a.Numbers {
			mark := chosen(i == a.ChosenNumber())
			if mark == "" && n.Level {
				mark = "\tlevel"
			}
			fmt.Fprintf(t, "%d\t%.3f\t%.0f %%\t%.3f\t%.3f\t%.2f%s\n", n.Clusters, n.EdgeShare, 100*n.Highest, n.Gap, n.Modularity, n.DaviesBouldin, mark)
		}
		t.Flush()
		fmt.Fprintf(w, "%s\n\n", run.NumberText(a))
	}
	fmt.Fprintln(t, "tried\tfeatures\tedges\tstability\tscore\tfolds\tseconds")
	for _, i := range a.BestTrials() {
		trial := a.Trials[i]
		if trial.Failed != "" {
			fmt.Fprintf(t, "%s\tleft out: %s\n", trial.Name(), trial.Failed)
			continue
		}
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.2f\t%.2f\t%d\t%.1f%s\n", trial.Name(), trial.Features, trial.Edges, trial.Stability, trial.Score, trial.Folds, trial.Seconds, chosen(i == a.Chosen))
	}
	t.Flush()
	fmt.Fprintln(w)
}

func chosen(is bool) string {
	if is {
		return "\t← chosen"
	}
	return ""
}

// printSimple writes the result and the simple methods as a table.
func printSimple(w io.Writer, r *run.Record) {
	if len(r.Baselines) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "compared\tclusters\tfeatures\tedges\tmean conductance\tmodularity\tscore")
	if r.ACC != nil {
		fmt.Fprint(t, "\tACC\tNMI\tARI")
	}
	fmt.Fprintln(t)
	row := func(s run.BaselineScore) {
		name := s.Name
		if s.Note != "" {
			name += " (" + s.Note + ")"
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f", name, s.Clusters, s.Features, s.Edges, s.MeanConductance, s.Modularity, s.Score)
		if s.ACC != nil {
			fmt.Fprintf(t, "\t%.3f\t%.3f\t%.3f", *s.ACC, *s.NMI, *s.ARI)
		}
		fmt.Fprintln(t)
	}
	row(run.BaselineScore{Name: r.Method, Clusters: len(r.Clusters), Measures: r.Measures, ACC: r.ACC, NMI: r.NMI, ARI: r.ARI})
	for _, s := range r.Baselines {
		row(s)
	}
	t.Flush()
	if r.Verdict != "" {
		fmt.Fprintln(w, r.Verdict)
	}
	fmt.Fprintln(w)
}

// shownFeatures is how many features of a cluster fit on a line.
const shownFeatures = 4

// printClusters writes a line for each cluster. Features without names say nothing.
func printClusters(w io.Writer, clusters []run.Cluster, named bool) {
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
		if named && len(features) > 0 {
			fmt.Fprintf(w, "; %s", strings.Join(features, ", "))
		}
		if c.Name == "" && c.Central != nil {
			fmt.Fprintf(w, "; central: %s", strings.Join(c.Central, ", "))
		}
		fmt.Fprintln(w)
	}
}
