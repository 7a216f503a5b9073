package lab

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
)

// Peaks returns a table of the eigenvalues of L̃sym that occur many times, and of how many of
// their occurrences the graph's structure explains: each connected component has one
// eigenvalue 0, and m nodes with the same neighbors have m − 1 equal eigenvalues
// ([laplacian.Twins]). values are all eigenvalues of g. Eigenvalues 0, ½ and 1 always have a
// row, others if they occur ten times or more.
func Peaks(g *graph.Graph, values []float64) figure.Fragment {
	const leastEqual = 10 // occurrences of an eigenvalue that are worth a row
	twins := laplacian.Twins(g.Adjacency)
	peaks := []float64{0.5, 1}
	for _, c := range twins {
		if !slices.Contains(peaks, c.Eigenvalue) && multiplicity(values, c.Eigenvalue) >= leastEqual {
			peaks = append(peaks, c.Eigenvalue)
		}
	}
	slices.Sort(peaks)

	components := fmt.Sprint(g.Stats().Components)
	rows := [][]string{{"0", fmt.Sprint(multiplicity(values, 0)), components, "connected components", fmt.Sprint(g.N()), components}}
	for _, lambda := range peaks {
		kind := fmt.Sprintf("twins of degree %.3g, not linked", lambda/(1-lambda))
		switch lambda {
		case 0.5:
			kind = "leaves of the same node"
		case 1:
			kind = "linked twins"
		}
		row := []string{fmt.Sprintf("%.4g", lambda), fmt.Sprint(multiplicity(values, lambda))}
		atLambda := func(c laplacian.TwinClass) bool { return c.Eigenvalue == lambda }
		rows = append(rows, append(row, explained(kind, twins, atLambda)...))
	}
	isolatedPair := func(c laplacian.TwinClass) bool { return c.Adjacent && g.Degree(int(c.Nodes[0])) == 1 }
	rows = append(rows, append([]string{"", ""}, explained("of these, isolated pairs", twins, isolatedPair)...))
	return figure.Table([]string{"λ", "eigenvalues", "explained", "by", "nodes", "groups"}, rows)
}

// explained returns the last four cells of a row of [Peaks] about the twins that selected
// accepts: the number of eigenvalues that they explain, kind, which says what they are, and
// the numbers of their nodes and groups.
func explained(kind string, twins []laplacian.TwinClass, selected func(laplacian.TwinClass) bool) []string {
	eigenvalues, nodes, groups := 0, 0, 0
	for _, c := range twins {
		if selected(c) {
			eigenvalues += len(c.Nodes) - 1
			nodes += len(c.Nodes)
			groups++
		}
	}
	return []string{fmt.Sprint(eigenvalues), kind, fmt.Sprint(nodes), fmt.Sprint(groups)}
}

// multiplicity returns the number of values that equal x up to rounding.
func multiplicity(values []float64, x float64) int {
	count := 0
	for _, v := range values {
		if math.Abs(v-x) <= 1e-9 {
			count++
		}
	}
	return count
}
