package figure

import (
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/blas/blas32"
)

// MapView is one map of a graph's nodes, with what is known of them there.
type MapView struct {
	Name string
	// Points are the places of the nodes, n×2.
	Points blas32.General
	// Clusters are the clusters of the nodes, 0, 1, 2, … If the nodes have classes,
	// cluster c must be the one that matches class c best, so that both can be compared.
	Clusters []int
	// Confidence says how sure each node's cluster is: 1 or less, and 0 or
	// less if another cluster is as close.
	Confidence []float64
	// Coloring, if not nil, gives the nodes their colors instead of the classes, Clusters
	// and Confidence. Either all views of a MapExplorer have one, or none has.
	Coloring *Coloring
	// Note is said below the list of maps while this one is shown; "" for nothing.
	Note string
}

// MapExplorer shows maps of the nodes of g, one map at a time. The reader can zoom and move
// a map, and color its nodes by class, cluster, confidence or agreement of cluster and
// class, or by the views' own Coloring. Pointing at a node says what it is and draws its
// edges; a field finds nodes by name or number. A click in the legend shows a class or
// cluster alone. The last view is shown first; where scripts do not run, all views are drawn
// side by side. The fragment holds an error for more than 100,000 nodes or for numbers that
// are not finite. MapExplorer panics if the lengths of a view do not fit the nodes.
func MapExplorer(title string, g *graph.Graph, views ...MapView) Fragment {
	if len(views) == 0 || views[0].Points.Rows == 0 {
		return refused("%w", errNoData)
	}
	n := views[0].Points.Rows
	const most = 100_000
	if n > most {
		return refused("a map explorer of %d nodes: want %d at most; Scatter2D draws more", n, most)
	}
	m := NodeMap{Title: title, N: n, Names: g.NodeNames, Numbered: true, Edges: g.Adjacency}
	class := Coloring{Name: "class"}
	class.Numbers, class.Labels, class.Unknown = graph.ShownClasses(g)
	clusters := 0 // the largest number of clusters in a view
	for _, v := range views {
		require(v.Points.Rows == n && v.Points.Cols == 2, "view %q has %d×%d points for %d nodes", v.Name, v.Points.Rows, v.Points.Cols, n)
		require((v.Coloring == nil) == (views[0].Coloring == nil), "view %q: want a coloring in all views or in none", v.Name)
		if v.Coloring != nil {
			v.Coloring.check(n)
			continue
		}
		require(len(v.Clusters) == n && len(v.Confidence) == n, "view %q has %d clusters and %d confidences for %d nodes", v.Name, len(v.Clusters), len(v.Confidence), n)
		clusters = max(clusters, slices.Max(v.Clusters)+1)
	}
	clusterNames := ClusterNames(clusters)
	for c := range min(clusters, g.Classes) {
		clusterNames[c] = "cluster of " + class.Labels[c]
	}
	var still []*Figure
	for _, v := range views {
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(v.Points.Data[i*v.Points.Stride]), float64(v.Points.Data[i*v.Points.Stride+1])
			if !finite(x[i], y[i]) || (v.Confidence != nil && !finite(v.Confidence[i])) {
				return refused("view %q, node %d: want finite places and confidences", v.Name, i)
			}
		}
		view := NodeView{Name: v.Name, Note: v.Note}
		view.X, view.Y = Grid(x, y)
		if c := v.Coloring; c != nil {
			view.Colorings = []Coloring{*c}
			still = append(still, Scatter2D(v.Name, v.Points, c.Numbers, c.Labels))
		} else {
			view.Colorings = colorings(g, class, v, clusterNames)
			still = append(still, Scatter2D(v.Name, v.Points, class.Numbers, class.Labels))
		}
		m.Views = append(m.Views, view)
	}
	return explorer{
		name: "map", title: title, data: m.forScript(), still: Row(still...),
		text: fmt.Sprintf("%s: %d maps of %d nodes\n", title, len(views), n),
	}.fragment()
}

// colorings returns the colorings of a view: by class, cluster, confidence and agreement of
// cluster and class, or only by cluster and confidence if the nodes have no classes. class is
// the coloring by class.
func colorings(g *graph.Graph, class Coloring, v MapView, clusterNames []string) []Coloring {
	highest := max(0.01, slices.Max(v.Confidence)) // above 0: the scale of the colors begins there
	all := []Coloring{
		{Name: "cluster", Numbers: v.Clusters, Labels: clusterNames},
		numberColoring("confidence", v.Confidence, 0, highest, "0 or less: between clusters", fmt.Sprintf("%.2f: sure", highest)),
	}
	if g.Labels == nil {
		return all
	}
	agreement := Coloring{Name: "agreement", Numbers: make([]int, len(v.Clusters)), Labels: []string{"in its class's cluster", "in another class's cluster"}, Unsaid: true}
	for i, c := range v.Clusters {
		if c != g.Labels[i] {
			agreement.Numbers[i] = 1
		}
	}
	return append(slices.Insert(all, 0, class), agreement)
}
