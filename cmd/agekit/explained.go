package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/feature"
	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/report"
)

// explained describes the clusters of an embedding. It returns nil if there are no
// two clusters or one is empty, which needs no explanation.
func explained(ctx context.Context, g *graph.Graph, z blas32.General, clusters []int) *explain.Explanation {
	e, err := explain.Explain(ctx, g, z, clusters, explain.Options{})
	if err != nil {
		return nil
	}
	return e
}

// clusterReports returns what an explanation says of the clusters. Numbers that were
// standardized are given in the user's unit.
func clusterReports(l *format.Loaded, e *explain.Explanation) []report.Cluster {
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
	var all []report.Cluster
	for k, c := range e.Clusters {
		r := report.Cluster{Cluster: k, Size: c.Size, Cohesion: c.Cohesion, Inside: c.Inside, Neighbors: c.Neighbors}
		for _, f := range c.Features {
			one := report.Feature{Name: f.Name, Inside: f.Inside, Outside: f.Outside, Binary: f.Binary, Strength: f.Strength}
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
func printClusters(w io.Writer, clusters []report.Cluster, named bool) {
	for _, c := range clusters {
		var features []string
		for _, f := range c.Features[:min(shownFeatures, len(c.Features))] {
			features = append(features, f.Short())
		}
		fmt.Fprintf(w, "cluster %d: %d nodes, %.0f %% of their edges inside", c.Cluster, c.Size, 100*c.Inside)
		if named && len(features) > 0 {
			fmt.Fprintf(w, "; %s", strings.Join(features, ", "))
		}
		fmt.Fprintln(w)
	}
}
