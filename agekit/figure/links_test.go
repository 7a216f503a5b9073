package figure_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// linkGraph is two triangles, joined by a path, and a leaf.
var linkGraph = [][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {3, 5}, {5, 6}}

// linkFeatures are the features of linkGraph's nodes. Node 1 has no feature in common with
// the others, and node 6 has none at all.
var linkFeatures = mat.NewDense(7, 4, []float64{
	3, 1, 0, 0,
	0, 0, 0, 5,
	1, 2, 1, 0,
	1, 1, 4, 0,
	0, 1, 3, 0,
	2, 0, 7, 0,
	0, 0, 0, 0,
})

// removed computes from the definitions what a LinkExplorer shows of linkGraph without one of
// its edges: it returns the edge's score, and the scores of all pairs that have no edge in
// linkGraph. A score is the cosine of two nodes' features after the given number of layers of
// the filter H = (1 − k)I + k·D̃^-½ÃD̃^-½.
func removed(edge int, k float64, layers int) (score float64, others []float64) {
	n := 7
	a, linked := mat.NewDense(n, n, nil), map[[2]int]bool{}
	for i := range n {
		a.Set(i, i, 1)
	}
	for e, ends := range linkGraph {
		linked[ends] = true
		if e != edge {
			a.Set(ends[0], ends[1], 1)
			a.Set(ends[1], ends[0], 1)
		}
	}
	root := mat.NewDiagDense(n, nil) // D̃^-½
	for i := range n {
		root.SetDiag(i, 1/math.Sqrt(floats.Sum(a.RawRowView(i))))
	}
	var h, x mat.Dense
	h.Product(root, a, root)
	h.Scale(k, &h)
	for i := range n {
		h.Set(i, i, h.At(i, i)+1-k)
	}
	x.CloneFrom(linkFeatures)
	for range layers {
		var next mat.Dense
		next.Mul(&h, &x)
		x.CloneFrom(&next)
	}
	cosine := func(i, j int) float64 {
		a, b := x.RawRowView(i), x.RawRowView(j)
		if length := floats.Norm(a, 2) * floats.Norm(b, 2); length > 0 {
			return math.Round(1e9*floats.Dot(a, b)/length) / 1e9 // rounded, so that equal scores have equal ranks
		}
		return 0
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if !linked[[2]int{i, j}] {
				others = append(others, cosine(i, j))
			}
		}
	}
	return cosine(linkGraph[edge][0], linkGraph[edge][1]), others
}

// TestLinksInBrowser takes edges out in each way there is, and compares the score and the
// rank of the edge on the page with those of [removed]. Each edge's share of the AUC is
// compared with the AUC by package metric of this edge alone against all pairs without an
// edge, and the AUC on the page with the mean of the shares.
func TestLinksInBrowser(t *testing.T) {
	d := figure.Draw(7, linkGraph)
	for i := range 7 {
		d.Names = append(d.Names, fmt.Sprint("node ", i))
	}
	var products mat.SymDense
	products.SymOuterK(1, linkFeatures)
	f := figure.LinkExplorer("take <an> edge out", d, &products, figure.Response{K: 2. / 3, Layers: 2})
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	for test, page := range afterScripts(t, f.HTML, []struct {
		script       string
		edge, layers int // the chosen edge, as an index of linkGraph, and t
	}{
		{"", 0, 2},
		{`set("layers t", 0); set("edge", 8)`, 7, 0},
		{`fire(document.querySelector('[data-edge="3"]'), "click"); set("layers t", 5)`, 3, 5},
		{`set("edge", 3); fire(document.querySelector('[data-dot="1"]'), "click"); set("layers t", 1)`, 1, 1},
	}) {
		var shares []float64
		for edge := range linkGraph {
			score, others := removed(edge, 2./3, test.layers)
			positive := make([]bool, len(others)+1)
			positive[0] = true
			shares = append(shares, metric.AUC(positive, append([]float64{score}, others...)))
			if edge != test.edge {
				continue
			}
			rank := 1.0
			for _, s := range others {
				if s > score {
					rank++
				}
			}
			got := append(numbersIn(t, page, `Score (-?[0-9.]+), rank`), numbersIn(t, page, `, rank (\d+) among`)...)
			if want := []float64{score, rank}; !floats.EqualApprox(got, want, 6e-4) {
				t.Errorf("%s: score and rank %v, want %v", test.script, got, want)
			}
		}
		if got := numbersIn(t, page, `is the AUC: ([0-9.]+) with`); !floats.EqualApprox(got, []float64{stat.Mean(shares, nil)}, 6e-4) {
			t.Errorf("%s: AUC %v, want the mean of %v", test.script, got, shares)
		}
		got := make([]float64, len(shares))
		values := numbersIn(t, page, `<circle data-dot=[^>]*data-value="([^"]*)"`)
		for dot, edge := range numbersIn(t, page, `<circle data-dot="(\d+)"`) {
			got[int(edge)] = values[dot]
		}
		if !floats.EqualApprox(got, shares, 1e-6) {
			t.Errorf("%s: shares %v, want %v", test.script, got, shares)
		}
	}
}

// TestLinkExplorerRefuses: filters, graphs and products that the figure cannot show are errors.
func TestLinkExplorerRefuses(t *testing.T) {
	d := figure.Draw(7, linkGraph)
	for name, f := range map[string]figure.Fragment{
		"k of 0":          figure.LinkExplorer("", d, mat.NewSymDense(7, nil), figure.Response{}),
		"nine layers":     figure.LinkExplorer("", d, mat.NewSymDense(7, nil), figure.Response{K: 1, Layers: 9}),
		"every pair":      figure.LinkExplorer("", figure.Draw(2, [][2]int{{0, 1}}), mat.NewSymDense(2, nil), figure.Response{K: 1}),
		"no edge":         figure.LinkExplorer("", figure.Draw(1, nil), mat.NewSymDense(1, nil), figure.Response{K: 1}),
		"infinite number": figure.LinkExplorer("", d, mat.NewSymDense(7, append(make([]float64, 48), math.Inf(1))), figure.Response{K: 1}),
	} {
		if f.Show() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
