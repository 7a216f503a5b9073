package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/metric"
)

// mostDots is the largest number of nodes that the small map of a view shows.
const mostDots = 4000

// seenView is one view of the nodes, as the page shows it.
type seenView struct {
	*explain.View
	Chosen bool          // the clusters of this view are those of the page
	Map    template.HTML // the small map; empty if the nodes have no places
	// Alike has the adjusted Rand index of this view's clusters with those of each view.
	Alike    []float64
	coloring figure.Coloring // by the view's clusters
}

// readViews returns the views of the run with their clusters, their small maps, and how much
// they are alike. It appends the table of each view that was not chosen to v.Others.
func (v *view) readViews(c *nodeColumns) (shown []seenView, err error) {
	for i := range v.Run.Views {
		s := seenView{View: &v.Run.Views[i]}
		s.Chosen = s.Name == v.Run.View
		const atLeast = 0 // clusters: only those that occur
		if s.coloring, err = v.otherClusters(s.Column, atLeast); err != nil {
			return nil, err
		}
		if !s.Chosen {
			v.Others = append(v.Others, newCross(s.coloring, c.clusters, v.names))
		}
		if c.x != nil {
			s.Map = smallMap(c, s.coloring.Numbers, s.Name.Title())
		}
		shown = append(shown, s)
	}
	for i := range shown {
		clusters := shown[i].coloring.Numbers // the cluster of each node
		for j := range shown {
			shown[i].Alike = append(shown[i].Alike, metric.ARI(clusters, shown[j].coloring.Numbers))
		}
	}
	return shown, nil
}

// smallMap returns an SVG with a dot at the place of each node, in the color of its cluster;
// clusters has one entry per node. If there are more than mostDots nodes, it draws every
// second node, or every third, and so on. title says by what the nodes are grouped.
func smallMap(c *nodeColumns, clusters []int, title string) template.HTML {
	const size = 200              // the drawing's width and height
	x, y := figure.Grid(c.x, c.y) // from 0 to 65535
	const scale = size / 65535.
	step := max(1, (len(clusters)+mostDots-1)/mostDots)
	dots := make([]strings.Builder, slices.Max(clusters)+1) // the path of each cluster's dots
	for i := 0; i < len(clusters); i += step {
		fmt.Fprintf(&dots[clusters[i]], "M%.1f %.1fh0", scale*float64(x[i]), size-scale*float64(y[i]))
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg role="img" aria-label="The nodes by %s" viewBox="-4 -4 %d %d">`, title, size+8, size+8)
	for cluster := range dots {
		fmt.Fprintf(&out, `<path d="%s" style="stroke:%s"/>`, &dots[cluster], color(cluster))
	}
	out.WriteString("</svg>")
	return template.HTML(out.String())
}
