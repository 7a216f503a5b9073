package report

import (
	"cmp"
	"slices"

	"github.com/agekit/age/agekit/figure"
)

// mostClasses is the number of rows of the table of classes and clusters.
const mostClasses = 100

// cross is the table of known classes, or of earlier clusters, and clusters.
type cross struct {
	Of       string   // what the rows are
	Names    []string // of the clusters
	Clusters []int    // the columns
	Rows     []crossRow
	LeftOut  int // smaller classes, beyond mostClasses
}

// crossRow is a class, with how many of its nodes are in each cluster.
type crossRow struct {
	Class string
	Size  int
	Cells []crossCell
}

// crossCell has the number of nodes and their share of the class's.
type crossCell struct {
	Count int
	Share float64
}

// newCross counts the nodes of each class and cluster. Classes are in the order of the
// clusters that have most of their nodes, so that those that match are on the diagonal.
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
	// main returns the cluster that has most of a class's nodes.
	main := func(r crossRow) int {
		best := 0
		for c, cell := range r.Cells {
			if cell.Count > r.Cells[best].Count {
				best = c
			}
		}
		return best
	}
	slices.SortStableFunc(t.Rows, func(a, b crossRow) int {
		return cmp.Or(cmp.Compare(main(a), main(b)), cmp.Compare(b.Cells[main(b)].Count, a.Cells[main(a)].Count))
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
