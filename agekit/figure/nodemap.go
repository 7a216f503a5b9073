package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/figure/palette"
	"github.com/agekit/age/agekit/graph"
)

// NodeMap is what map.js draws: one or more maps of the same nodes.
type NodeMap struct {
	Title string
	N     int
	// Names are the nodes' names, or nil. Numbered says that readers know nodes by
	// their number, too.
	Names    []string `json:",omitempty"`
	Numbered bool
	// Edges is the adjacency matrix; nil where edges are not shown.
	Edges *graph.CSR `json:"-"`
	// Later is the number of neighbors of each node that have larger numbers, and Ends
	// are these neighbors.
	Later, Ends numbers `json:",omitempty"`
	Colors      []string
	// Shapes are the marks of the groups, each for as many as there are colors, and Dark
	// the colors to use instead of others on a dark page.
	Shapes []string          `json:",omitempty"`
	Dark   map[string]string `json:",omitempty"`
	Views  []NodeView

	// Page says that the page is the map's own. It then has the clusters' names on the
	// map, what is known of a node beside the dot, and buttons that save; IDName is what
	// the user calls the names of the nodes, Titles, called TitleName, are what they are
	// about, and Clusters are the clusters' names, "" for those without one.
	Page              bool     `json:",omitempty"`
	IDName, TitleName string   `json:",omitempty"`
	Titles, Clusters  []string `json:",omitempty"`
}

// NodeView is one map. All views have the same kinds of colorings, and begin with the first.
// Note is said while the map is shown.
type NodeView struct {
	Name      string
	Note      string  `json:",omitempty"`
	X, Y      numbers // by [Grid]
	Colorings []Coloring
}

// Coloring is what gives nodes their colors and is said of them: groups, or numbers.
// Neighbors in the same group are counted for the one with the name "cluster".
type Coloring struct {
	Name    string
	Numbers numbers // of the groups, or from Low to High
	// Labels are the names of groups. Unknown says that the last is of nodes that
	// belong to none, and Unsaid that only the colors show the groups.
	Labels          []string `json:",omitempty"`
	Unknown, Unsaid bool
	// Low and High are the least and the largest number. The colors go from Red to
	// Blue; RedLabel and BlueLabel say what these mean.
	Low, High, Red, Blue float64
	RedLabel, BlueLabel  string `json:",omitempty"`

	// The following is for the user's own columns, Own, which are said beside the dot
	// alone. Values are exact numbers instead of Numbers on a scale. Words are categories:
	// Numbers are their indices, len(Words) without one, and the first Most have colors.
	// Texts are said as they are; alone, they give no colors.
	Own    bool     `json:",omitempty"`
	Values values   `json:",omitempty"`
	Words  []string `json:",omitempty"`
	Most   int      `json:",omitempty"`
	Texts  []string `json:",omitempty"`
}

// values are numbers that a page has as they are, and null for NaN.
type values []float64

// MarshalJSON returns the numbers in as many digits as they need.
func (v values) MarshalJSON() ([]byte, error) {
	all := []byte{'['}
	for i, x := range v {
		if i > 0 {
			all = append(all, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			all = append(all, "null"...)
		} else {
			all = strconv.AppendFloat(all, x, 'g', -1, 64)
		}
	}
	return append(all, ']'), nil
}

// numberColoring returns the coloring by numbers.
func numberColoring(name string, v []float64, red, blue float64, redLabel, blueLabel string) Coloring {
	low, high := slices.Min(v), slices.Max(v)
	return Coloring{Name: name, Numbers: onScale(v, low, high-low), Low: low, High: high,
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

// HTML returns the page's own map, and the text of its script, which does not depend on the
// data: a page may allow it by its hash.
func (m NodeMap) HTML() (page, script string, err error) {
	const name, more = "map", "mappage"
	m.Page = true
	if page, err = interactiveHTML(name, m.Title, "The map needs JavaScript.", packed{m.forScript()}, more); err == nil {
		script, err = scriptOf(name, more)
	}
	return page, script, err
}

// forScript returns m with what scripts/map.js needs besides: the edges, from each node to those with
// higher numbers, and the colors of its groups.
func (m NodeMap) forScript() NodeMap {
	if a := m.Edges; a != nil {
		m.Later = make(numbers, a.Rows)
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
	groups := 0
	for _, v := range m.Views {
		for _, c := range v.Colorings {
			groups = max(groups, len(c.Labels), c.Most)
		}
	}
	m.Colors = palette.Colors[:min(groups, len(palette.Colors))]
	if m.Page || groups > len(palette.Colors) {
		m.Shapes = palette.Shapes[:]
	}
	if m.Page {
		m.Dark = palette.DarkColors
	}
	return m
}
