package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
)

// summaryLines is the most lines that agekit fit prints without --verbose, beside those on the views.
const summaryLines = 12

// printSummary writes what a person wants to know of a run first: what was read, the choice of the clusters
// and the scores, the views, the largest clusters, and where the files are. [printRun] writes all.
func (c *fitCmd) printSummary(w io.Writer, r *run.Record) {
	above := []string{fmt.Sprintf("%s: %s", r.Dataset, r.About())}
	if len(r.Notes) > 0 {
		above = append(above, asRead(r.Notes))
	}
	if r.From != nil {
		above = append(above, r.From.String())
	}
	above = append(above, choiceLine(r), scoreLine(r))
	below := []string{fmt.Sprintf("%.1f s on %s, %d MB", r.Seconds.Total, r.Backend, r.PeakRSSBytes>>20)}
	if c.Out != "" {
		below = append(below, fmt.Sprintf("files in %s; agekit report %s makes a page of them, log.txt has the details", c.Out, c.Out))
	} else {
		below = append(below, "--out DIR writes the results to files, --verbose prints the details")
	}
	for _, line := range above {
		fmt.Fprintln(w, line)
	}
	printViews(w, r)
	printLargest(w, r.Clusters, summaryLines-len(above)-len(below))
	for _, line := range below {
		fmt.Fprintln(w, line)
	}
}

// printLargest writes a line for each cluster if there are at most as many clusters as lines; otherwise,
// lines−1 for the largest clusters and one for all others.
func printLargest(w io.Writer, clusters []explain.Cluster, lines int) {
	if len(clusters) <= lines {
		printClusters(w, clusters, false)
		return
	}
	bySize := slices.Clone(clusters)
	slices.SortStableFunc(bySize, func(a, b explain.Cluster) int { return b.Size - a.Size })
	largest, others := bySize[:lines-1], bySize[lines-1:]
	printClusters(w, largest, false)
	fmt.Fprintf(w, "%d other clusters, of %d to %d nodes\n", len(others), others[len(others)-1].Size, others[0].Size)
}

// asRead says in a line how the first columns were read; notes has a note for each column.
func asRead(notes []string) string {
	const most = 8 // notes that a line may have
	line := "as read: " + strings.Join(notes[:min(most, len(notes))], "; ")
	if more := len(notes) - most; more > 0 {
		line += fmt.Sprintf("; %d more with --verbose", more)
	}
	return line
}

// choiceLine says in a line how the clusters were found, and why in this way.
func choiceLine(r *run.Record) string {
	var line string
	switch t := r.Training; {
	case t == nil:
		line = fmt.Sprintf("%s, mode %s", r.Method, r.Mode)
	case r.View != views.AGE:
		line = r.View.About()
	default:
		line = fmt.Sprintf("t %d, k %.4f; %s", t.Layers, t.K, epochsText(t))
		if t.Sample > 0 {
			line += fmt.Sprintf(", on a sample of %d nodes", t.Sample)
		}
	}
	count := len(r.Clusters)
	if count == 0 { // without an embedding, no cluster is described
		count = int(r.Reported["communities"])
	}
	if count > 0 {
		line = fmt.Sprintf("%s; %s", english.Plural(count, "cluster", ""), line)
	}
	if r.View != "" {
		line = fmt.Sprintf("view %s: %s", r.View.Title(), line)
	}
	return line
}

// scoreLine returns a line with the scores, first those that compare with labels if the graph has any.
func scoreLine(r *run.Record) string {
	line := fmt.Sprintf("modularity %.4f  conductance %.4f", r.Modularity, r.Conductance)
	if r.ACC != nil {
		line = fmt.Sprintf("ACC %.4f  NMI %.4f  ARI %.4f  F1 %.4f  ", *r.ACC, *r.NMI, *r.ARI, *r.F1) + line
	}
	return line
}

// reportLines returns the lines of [printRun], for the log.
func reportLines(r *run.Record) []string {
	var b strings.Builder
	printRun(&b, r)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}
