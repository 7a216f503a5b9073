package report

import (
	"cmp"
	"slices"

	"github.com/agekit/age/agekit/figure"
)

// mostClasses is the largest number of rows in a table of classes and clusters.
const mostClasses = 100

// cross is a table that counts nodes by class and cluster. The classes may also be the
// clusters of an earlier run, of another view or of another level.
type cross struct {
	Of       string   // what the rows are: "class", or the name of a column of clusters
	Names    []string // of the clusters
	Clusters []int    // the columns: 0, 1, 2, …
	Rows     []crossRow
	LeftOut  int // the number of classes without a row: the smallest beyond mostClasses
}

// crossRow is a class, with how many of its nodes are in each cluster.
type crossRow struct {
	Class string
	Size  int         // the number of nodes in the class
	Cells []crossCell // one for each cluster
}

// crossCell has the number of nodes in a class and a cluster, and their share of the class.
type crossCell struct {
	Count int
	Share float64
}

// newCross returns the table of the classes in the coloring classes, whose last label is that
// of nodes without a class, and of clusters, the cluster of each node; names are the
// clusters' names. Rows stand in the order of the clusters that have most of their nodes, so
// that classes and clusters that match are on the diagonal. The last row counts the nodes
// without a class, if there are any.
func newCross(classes figure.Coloring, clusters []int, names []string) *cross {
	k := len(names)
	t := &cross{Of: classes.Name, Names: names}
	for c := range k {
		t.Clusters = append(t.Clusters, c)
	}
	for _, name := range classes.Labels {
		t.Rows = append(t.Rows, crossRow{Class: name, Cells: make([]crossCell, k)})
	}
	for i, class := range classes.Numbers {
		t.Rows[class].Size++
		t.Rows[class].Cells[clusters[i]].Count++
	}
	unknown := t.Rows[len(t.Rows)-1]
	t.Rows = t.Rows[:len(t.Rows)-1]
	if len(t.Rows) > mostClasses {
		slices.SortStableFunc(t.Rows, func(a, b crossRow) int { return cmp.Compare(b.Size, a.Size) })
		t.LeftOut, t.Rows = len(t.Rows)-mostClasses, t.Rows[:mostClasses]
	}
	// mainCluster returns the cluster that has most of a class's nodes.
	mainCluster := func(r crossRow) int {
		best := 0
		for c, cell := range r.Cells {
			if cell.Count > r.Cells[best].Count {
				best = c
			}
		}
		return best
	}
	slices.SortStableFunc(t.Rows, func(a, b crossRow) int {
		mainA, mainB := mainCluster(a), mainCluster(b)
		return cmp.Or(cmp.Compare(mainA, mainB), cmp.Compare(b.Cells[mainB].Count, a.Cells[mainA].Count))
	})
	if unknown.Size > 0 {
		t.Rows = append(t.Rows, unknown)
	}
	for _, r := range t.Rows {
		for c := range r.Cells {
			r.Cells[c].Share = float64(r.Cells[c].Count) / float64(max(1, r.Size))
		}
	}
	return t
}
