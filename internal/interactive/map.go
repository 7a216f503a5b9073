package interactive

import (
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/palette"
)

// Map is what map.js draws: one or more maps of the same nodes.
type Map struct {
	Title string
	N     int
	// Names are the nodes' names, or nil. Numbered says that readers know nodes by
	// their number, too.
	Names    []string `json:",omitempty"`
	Numbered bool
	// Later is the number of neighbors of each node that have larger numbers, and Ends
	// are these neighbors; nil where edges are not shown.
	Later, Ends Numbers `json:",omitempty"`
	Colors      []string
	Views       []View
}

// View is one map. All views have the same kinds of colorings, and begin with the first.
type View struct {
	Name      string
	X, Y      Numbers
	Colorings []Coloring
}

// Coloring is what gives nodes their colors and is said of them: groups, or numbers.
// Neighbors in the same group are counted for the one with the name "cluster".
type Coloring struct {
	Name    string
	Numbers Numbers // of the groups, or from Low to High
	// Labels are the names of groups. Unknown says that the last is of nodes that
	// belong to none, and Unsaid that only the colors show the groups.
	Labels          []string `json:",omitempty"`
	Unknown, Unsaid bool
	// Low and High are the least and the largest number. The colors go from Red to
	// Blue; RedLabel and BlueLabel say what these mean.
	Low, High, Red, Blue float64
	RedLabel, BlueLabel  string `json:",omitempty"`
}

// NumberColoring returns the coloring by values.
func NumberColoring(name string, values []float64, red, blue float64, redLabel, blueLabel string) Coloring {
	low, high := slices.Min(values), slices.Max(values)
	return Coloring{Name: name, Numbers: onScale(values, low, high-low), Low: low, High: high,
		Red: red, Blue: blue, RedLabel: redLabel, BlueLabel: blueLabel}
}

// ClusterNames returns "cluster 0" to "cluster k−1".
func ClusterNames(k int) []string {
	names := make([]string, k)
	for c := range names {
		names[c] = fmt.Sprint("cluster ", c)
	}
	return names
}

// Link shows the edges of an adjacency matrix.
func (m *Map) Link(a *graph.CSR) {
	m.Later = make(Numbers, a.Rows)
	for i := range a.Rows {
		neighbors, _ := a.Row(i)
		for _, j := range neighbors {
			if int(j) > i {
				m.Later[i]++
				m.Ends = append(m.Ends, int(j))
			}
		}
	}
}

// Colored returns m with the colors of its groups, ready for map.js.
func (m Map) Colored() Map {
	groups := 0
	for _, v := range m.Views {
		for _, c := range v.Colorings {
			groups = max(groups, len(c.Labels))
		}
	}
	for i := range min(groups, palette.Len) {
		m.Colors = append(m.Colors, palette.CSS(i))
	}
	return m
}
