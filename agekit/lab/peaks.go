package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

// Peaks returns a table of the eigenvalues that many eigenvectors of L̃sym share, and how
// many of these the graph's structure explains: a connected component has one eigenvalue
// 0, and m nodes with the same neighbors have m − 1 equal eigenvalues ([laplacian.Twins]).
// values are g's eigenvalues.
func Peaks(g *graph.Graph, values []float64) figure.Fragment {
	const many = 10 // eigenvalues at one place that are worth a row
	twins := laplacian.Twins(g.Adjacency)
	places := []float64{0.5, 1}
	for _, c := range twins {
		if !slices.Contains(places, c.Eigenvalue) && multiplicity(values, c.Eigenvalue) >= many {
			places = append(places, c.Eigenvalue)
		}
	}
	slices.Sort(places)

	components := g.Stats().Components
	rows := [][]string{{"0", fmt.Sprint(multiplicity(values, 0)), fmt.Sprint(components),
		"connected components", fmt.Sprint(g.N()), fmt.Sprint(components)}}
	for _, lambda := range places {
		who := fmt.Sprintf("twins of degree %.3g, not linked", lambda/(1-lambda))
		switch lambda {
		case 0.5:
			who = "leaves of the same node"
		case 1:
			who = "linked twins"
		}
		rows = append(rows, append([]string{fmt.Sprintf("%.4g", lambda), fmt.Sprint(multiplicity(values, lambda))},
			explained(who, twins, func(c laplacian.TwinClass) bool { return c.Eigenvalue == lambda })...))
	}
	rows = append(rows, append([]string{"", ""}, explained("of these, isolated pairs", twins, func(c laplacian.TwinClass) bool {
		return c.Adjacent && g.Degree(int(c.Nodes[0])) == 1
	})...))
	return figure.Table([]string{"λ", "eigenvalues", "explained", "by", "nodes", "groups"}, rows)
}

// explained returns the end of a row of [Peaks] about some twins.
func explained(who string, twins []laplacian.TwinClass, keep func(laplacian.TwinClass) bool) []string {
	dimension, nodes, groups := 0, 0, 0
	for _, c := range twins {
		if keep(c) {
			dimension, nodes, groups = dimension+len(c.Nodes)-1, nodes+len(c.Nodes), groups+1
		}
	}
	return []string{fmt.Sprint(dimension), who, fmt.Sprint(nodes), fmt.Sprint(groups)}
}

// multiplicity returns how many of the values equal x up to rounding.
func multiplicity(values []float64, x float64) int {
	count := 0
	for _, v := range values {
		if math.Abs(v-x) <= 1e-9 {
			count++
		}
	}
	return count
}
