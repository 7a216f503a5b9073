package agekit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/spectrum"
	"github.com/agekit/age/agekit/store"
)

// LambdaMax returns the largest eigenvalue of L̃sym.
func LambdaMax(g *graph.Graph) (float64, error) {
	l, err := spectrum.LambdaMax(interrupt(), Laplacian(g), rand.New(rand.NewPCG(0, 0)), spectrum.LambdaMaxOptions{})
	return l.Value, err
}

// Eigenvalues returns all eigenvalues of L̃sym in increasing order, for a
// graph of at most 5,000 nodes.
func Eigenvalues(g *graph.Graph) ([]float64, error) {
	key := store.NewKey("eigenvalues", 1, g.Fingerprint())
	return cached("eigenvalues", key, func() ([]float64, error) {
		return spectrum.Eigenvalues(interrupt(), Laplacian(g), spectrum.EigenvaluesOptions{})
	})
}

// Density estimates the eigenvalue distribution of a graph of any size, using
// 16 random vectors.
func Density(g *graph.Graph) (*spectrum.Density, error) {
	key := store.NewKey("density of states", 1, g.Fingerprint())
	return cached("density of states", key, func() (*spectrum.Density, error) {
		return spectrum.EstimateDensity(interrupt(), Laplacian(g), rand.New(rand.NewPCG(0, 0)), spectrum.DensityOptions{})
	})
}

// Peaks returns a table of the eigenvalues that many eigenvectors of L̃sym
// share, and how many of these the graph's structure explains: a connected
// component has one eigenvalue 0, and m nodes with the same neighbors have
// m − 1 equal eigenvalues ([spectrum.Twins]). values are g's eigenvalues.
func Peaks(g *graph.Graph, values []float64) figure.Fragment {
	const many = 10 // eigenvalues at one place that are worth a row
	stats, twins := g.Stats(), spectrum.Twins(g.Adjacency)
	var rows [][]string
	row := func(lambda string, at float64, explained int, by string) {
		rows = append(rows, []string{lambda, fmt.Sprint(spectrum.Multiplicity(values, at)), fmt.Sprint(explained), by})
	}
	row("0", 0, stats.Components, fmt.Sprintf("%d connected components", stats.Components))
	places := []float64{0.5, 1}
	for _, c := range twins {
		if !slices.Contains(places, c.Eigenvalue) && spectrum.Multiplicity(values, c.Eigenvalue) >= many {
			places = append(places, c.Eigenvalue)
		}
	}
	slices.Sort(places)
	for _, at := range places {
		nodes, classes, dimension, pairs := 0, 0, 0, 0
		for _, c := range twins {
			if c.Eigenvalue != at {
				continue
			}
			nodes, classes, dimension = nodes+len(c.Nodes), classes+1, dimension+c.Dimension()
			if c.Adjacent && g.Degree(int(c.Nodes[0])) == 1 {
				pairs++
			}
		}
		who := "nodes with the same neighbors, not linked"
		switch at {
		case 0.5:
			who = "leaves of the same node"
		case 1:
			who = fmt.Sprintf("linked nodes with otherwise the same neighbors (%d isolated pairs)", pairs)
		}
		row(fmt.Sprintf("%.4g", at), at, dimension, fmt.Sprintf("%d %s, in %d groups", nodes, who, classes))
	}
	return figure.Table([]string{"λ", "eigenvalues", "explained", "by"}, rows)
}
