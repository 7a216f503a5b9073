package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/feature"
	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/agekit/graph"
)

// clusterReport is what `age fit --json` says of one cluster.
type clusterReport struct {
	Cluster   int              `json:"cluster"`
	Size      int              `json:"size"`
	Cohesion  float64          `json:"cohesion"`
	Inside    float64          `json:"edges_inside"`
	Features  []featureReport  `json:"features,omitempty"`
	Central   []string         `json:"central"`
	Neighbors []neighborReport `json:"neighbors,omitempty"`
}

type featureReport struct {
	Name     string   `json:"name"`
	Inside   float64  `json:"inside"`
	Outside  float64  `json:"outside"`
	Binary   bool     `json:"binary"`
	Lift     *float64 `json:"lift"` // null if no other node has the feature
	Strength float64  `json:"strength"`
}

type neighborReport struct {
	Cluster int     `json:"cluster"`
	Share   float64 `json:"share"`
}

// explained describes the clusters of an embedding. It returns nil if there are no
// two clusters or one is empty, which needs no explanation.
func explained(g *graph.Graph, z blas32.General, clusters []int) *explain.Explanation {
	e, err := explain.Explain(g, z, clusters, explain.Options{})
	if err != nil {
		return nil
	}
	return e
}

// clusterReports returns what an explanation says of the clusters. Numbers that were
// standardized are given in the user's unit.
func clusterReports(l *format.Loaded, e *explain.Explanation) []clusterReport {
	if e == nil {
		return nil
	}
	g, standardized := l.Graph, map[string]feature.Column{}
	if l.Recipe != nil {
		for _, c := range l.Recipe.Columns {
			if c.Kind == feature.Number {
				standardized[c.Name] = c
			}
		}
	}
	var all []clusterReport
	for k, c := range e.Clusters {
		r := clusterReport{Cluster: k, Size: c.Size, Cohesion: c.Cohesion, Inside: c.Inside}
		for _, f := range c.Features {
			one := featureReport{Name: f.Name, Inside: f.Inside, Outside: f.Outside, Binary: f.Binary, Strength: f.Strength}
			if !math.IsInf(f.Lift, 0) {
				one.Lift = &f.Lift
			}
			if c, ok := standardized[f.Name]; ok && !f.Binary {
				one.Inside, one.Outside = c.Mean+c.Deviation*f.Inside, c.Mean+c.Deviation*f.Outside
			}
			r.Features = append(r.Features, one)
		}
		for _, i := range c.Central {
			r.Central = append(r.Central, nodeName(g, i))
		}
		for _, n := range c.Neighbors {
			r.Neighbors = append(r.Neighbors, neighborReport{n.Cluster, n.Share})
		}
		all = append(all, r)
	}
	return all
}

func nodeName(g *graph.Graph, i int) string {
	if g.NodeNames != nil {
		return g.NodeNames[i]
	}
	return fmt.Sprint(i)
}

// shownFeatures is how many features of a cluster fit on a line.
const shownFeatures = 4

// printClusters writes a line for each cluster. Features without names say nothing.
func printClusters(w io.Writer, clusters []clusterReport, named bool) {
	for _, c := range clusters {
		var features []string
		for _, f := range c.Features[:min(shownFeatures, len(c.Features))] {
			features = append(features, f.short())
		}
		fmt.Fprintf(w, "cluster %d: %d nodes, %.0f %% of their edges inside", c.Cluster, c.Size, 100*c.Inside)
		if named && len(features) > 0 {
			fmt.Fprintf(w, "; %s", strings.Join(features, ", "))
		}
		fmt.Fprintln(w)
	}
}

// short describes a feature in a few words.
func (f featureReport) short() string {
	switch {
	case !f.Binary:
		return fmt.Sprintf("%s %s (others %s)", f.Name, shortNumber(f.Inside), shortNumber(f.Outside))
	case f.Strength < 0:
		return fmt.Sprintf("rarely %s (%.0f %%, others %.0f %%)", f.Name, 100*f.Inside, 100*f.Outside)
	}
	return fmt.Sprintf("%s (%.0f %%, others %.0f %%)", f.Name, 100*f.Inside, 100*f.Outside)
}

// shortNumber writes a number with three digits, or more if it is large.
func shortNumber(v float64) string {
	digits := 2
	if size := math.Abs(v); size >= 1 {
		digits = max(0, 2-int(math.Log10(size)))
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', digits, 64), "-", "−", 1)
}
