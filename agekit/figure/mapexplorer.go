package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
)

// MapView is one map of a graph's nodes, with what is known of them there.
type MapView struct {
	Name string
	// Points are the places of the nodes, n×2.
	Points blas32.General
	// Clusters are the clusters of the nodes, 0, 1, 2, …
	Clusters []int
	// Confidence says how sure each node's cluster is: 1 or less, and 0 or
	// less if another cluster is as close.
	Confidence []float64
}

// MapNodes describes the nodes that the views of a [MapExplorer] share.
type MapNodes struct {
	// Edges are pairs of nodes.
	Edges [][2]int
	// Names are the nodes' names, or nil.
	Names []string
	// Classes are the nodes' classes, or nil. ClassNames may be nil, too.
	Classes    []int
	ClassNames []string
	// Matched says that cluster c, in every view, is the one that matches
	// class c best, so that the two can be compared.
	Matched bool
}

// The most nodes of a map explorer, and the grid on which it places them: a
// place takes five bytes of the page at most.
const (
	explorerNodes = 20000
	explorerGrid  = 9999
)

// MapExplorer shows maps of the same nodes, one at a time, which can be zoomed
// and moved and colored by class, cluster, confidence or agreement of cluster
// and class. Pointing at a node says what it is and draws its edges; a field
// finds nodes by name or number. A click in the legend shows a class or cluster
// alone. It starts with the last view. Graphs may have up to 20,000 nodes.
func MapExplorer(title string, nodes MapNodes, views ...MapView) Fragment {
	if len(views) == 0 || views[0].Points.Rows == 0 {
		return Fragment{err: fmt.Errorf("figure: %w", errNoData)}
	}
	n := views[0].Points.Rows
	if n > explorerNodes {
		return Fragment{err: fmt.Errorf("figure: a map explorer of %d nodes: want %d at most; Scatter2D draws more", n, explorerNodes)}
	}
	classes := classCount(nodes.Classes, nodes.ClassNames)
	names := nodes.ClassNames
	if names == nil {
		for c := range classes {
			names = append(names, fmt.Sprintf("class %d", c))
		}
	}
	data := mapData{Title: title, Names: nodes.Names, Classes: nodes.Classes, ClassNames: names,
		Matched: nodes.Matched && nodes.Classes != nil, Later: laterNeighbors(n, nodes.Edges), Start: len(views) - 1}
	for _, v := range views {
		if v.Points.Rows != n || v.Points.Cols != 2 || len(v.Clusters) != n || len(v.Confidence) != n {
			panic(fmt.Sprintf("figure: view %q has %d×%d points, %d clusters and %d confidences for %d nodes",
				v.Name, v.Points.Rows, v.Points.Cols, len(v.Clusters), len(v.Confidence), n))
		}
		placed, err := v.placed()
		if err != nil {
			return Fragment{err: err}
		}
		data.Views = append(data.Views, placed)
		data.Clusters = max(data.Clusters, slices.Max(v.Clusters)+1)
	}
	last := views[len(views)-1]
	return interactive{
		name: "map", title: title, data: data,
		still: Scatter2D(title+": "+last.Name, last.Points, nodes.Classes, nodes.ClassNames),
		text:  fmt.Sprintf("%s: %d maps of %d nodes\n", title, len(views), n),
	}.fragment()
}

// mapData is what the script of a MapExplorer draws.
type mapData struct {
	Title             string
	Names, ClassNames []string
	Classes           []int
	// Later are, for each node, its neighbors with larger numbers.
	Later    [][]int
	Views    []placedView
	Clusters int // the number of clusters
	Start    int // the view to begin with
	Matched  bool
}

// placedView is a MapView in whole numbers, which are short in a page: places
// on a grid, and confidences in hundredths.
type placedView struct {
	Name                       string
	X, Y, Clusters, Confidence []int
	Highest                    int // confidence, 1 at least
}

// placed returns v on the grid, with the same scale along both axes.
func (v MapView) placed() (placedView, error) {
	p := placedView{Name: v.Name, Clusters: v.Clusters, Highest: 1}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range v.Points.Rows {
		for axis := range 2 {
			at := float64(v.Points.Data[i*v.Points.Stride+axis])
			if !finite(at, v.Confidence[i]) {
				return p, fmt.Errorf("figure: view %q, node %d: want finite places and confidences", v.Name, i)
			}
			low[axis], high[axis] = min(low[axis], at), max(high[axis], at)
		}
	}
	width := max(high[0]-low[0], high[1]-low[1])
	scale := 0.
	if width > 0 {
		scale = explorerGrid / width
	}
	for i := range v.Points.Rows {
		for axis, to := range []*[]int{&p.X, &p.Y} {
			middle := (low[axis] + high[axis]) / 2
			at := explorerGrid/2. + scale*(float64(v.Points.Data[i*v.Points.Stride+axis])-middle)
			*to = append(*to, int(math.Round(at)))
		}
		p.Confidence = append(p.Confidence, int(math.Round(100*v.Confidence[i])))
		p.Highest = max(p.Highest, p.Confidence[i])
	}
	return p, nil
}

// laterNeighbors returns the neighbors of each node that have larger numbers.
func laterNeighbors(n int, edges [][2]int) [][]int {
	later := make([][]int, n)
	for i := range later {
		later[i] = []int{} // JSON's [], not null
	}
	for _, e := range edges {
		i, j := min(e[0], e[1]), max(e[0], e[1])
		later[i] = append(later[i], j)
	}
	return later
}
