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

// mostDots is the number of nodes that the small maps of the views show.
const mostDots = 4000

// seenView is one view of the nodes.
type seenView struct {
	*explain.View
	Chosen bool          // its clusters are those of the page
	Map    template.HTML // empty if the nodes have no places
	// Alike has the adjusted Rand index with each view.
	Alike    []float64
	coloring figure.Coloring
}

// readViews returns the views of the run with their clusters, and how much they are alike.
func (v *view) readViews(c *nodeColumns) (seen []seenView, err error) {
	for i := range v.Run.Views {
		s := seenView{View: &v.Run.Views[i]}
		s.Chosen = s.Name == v.Run.View
		if s.coloring, err = v.otherClusters(s.Column, 0); err != nil {
			return nil, err
		}
		if !s.Chosen {
			v.Others = append(v.Others, newCross(s.coloring, c.clusters, v.names))
		}
		if c.x != nil {
			s.Map = smallMap(c, s.coloring.Numbers, s.Name.Title())
		}
		seen = append(seen, s)
	}
	for i := range seen {
		for j := range seen {
			seen[i].Alike = append(seen[i].Alike, metric.ARI(seen[i].coloring.Numbers, seen[j].coloring.Numbers))
		}
	}
	return seen, nil
}

// smallMap draws the places of the nodes, or of evenly spread ones of many, in the colors of
// clusters.
func smallMap(c *nodeColumns, clusters []int, title string) template.HTML {
	const size = 200              // of the drawing
	x, y := figure.Grid(c.x, c.y) // up to 65535
	const scale = size / 65535.
	step := max(1, (len(clusters)+mostDots-1)/mostDots)
	dots := make([]strings.Builder, slices.Max(clusters)+1) // of each cluster
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
