package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/figure/palette"
	"github.com/agekit/age/agekit/graph"
)

// NodeMap is what scripts/map.js draws: one or more maps of the same N nodes.
type NodeMap struct {
	Title string
	N     int
	// Names are the nodes' names, or nil. Numbered says that the map also shows the nodes'
	// numbers.
	Names    []string `json:",omitempty"`
	Numbered bool
	// Edges is the adjacency matrix; nil if the map does not show edges.
	Edges *graph.CSR `json:"-"`
	// Later, Ends, Colors, Shapes and Dark are set when the map is written. Later[i] is the
	// number of node i's neighbors with larger numbers than i, and Ends has these neighbors,
	// node after node.
	Later, Ends numbers `json:",omitempty"`
	// Colors are the colors of the groups. The first len(Colors) groups have the first of
	// Shapes as their marks, the next ones the second, and so on. Dark maps a color
	// to the one that replaces it on a dark page.
	Colors []string
	Shapes []string          `json:",omitempty"`
	Dark   map[string]string `json:",omitempty"`
	Views  []NodeView

	// Page says that the map fills a page of its own. Such a map has the clusters' names
	// written on it, what is known of a node beside the node's dot, and buttons that save.
	Page bool `json:",omitempty"`
	// IDName is the user's word for the names of the nodes, and TitleName the user's word
	// for Titles, which say what each node is about.
	IDName, TitleName string   `json:",omitempty"`
	Titles            []string `json:",omitempty"`
	// Clusters are the clusters' names, "" for a cluster without one.
	Clusters []string `json:",omitempty"`
}

// NodeView is one map. All views of a NodeMap have the same kinds of colorings in the same
// order; a map is first shown in the first coloring. Note is said while the map is shown.
type NodeView struct {
	Name      string
	Note      string  `json:",omitempty"`
	X, Y      numbers // by [Grid]
	Colorings []Coloring
}

// Coloring is a property that gives nodes their colors and is said of a node: the group that
// the node belongs to, or a number. For the coloring with the name "cluster", the map also
// says how many neighbors of a node are in the same group.
type Coloring struct {
	Name string
	// Numbers has one entry per node: its group, as an index of Labels, or its number on the
	// scale from 0 for Low to 65535 for High.
	Numbers numbers
	// Labels are the names of the groups. Unknown says that the last label is for nodes that
	// belong to no group. Unsaid says that the text of a node leaves the group out.
	Labels          []string `json:",omitempty"`
	Unknown, Unsaid bool
	// Low and High are the least and the largest number. The colors go from red at the
	// number Red to blue at the number Blue; RedLabel and BlueLabel say what these mean.
	Low, High, Red, Blue float64
	RedLabel, BlueLabel  string `json:",omitempty"`

	// Own says that this is a column of the user's own data, which is said only beside the
	// node's dot. The fields below are for such columns.
	Own bool `json:",omitempty"`
	// Values are exact numbers, which replace Numbers on a scale.
	Values values `json:",omitempty"`
	// Words are categories. Numbers then has indices of Words, and len(Words) for a node
	// without a category. The first Most categories have colors.
	Words []string `json:",omitempty"`
	Most  int      `json:",omitempty"`
	// Texts are said as they are. A column that has only Texts gives no colors.
	Texts []string `json:",omitempty"`
}

// values are numbers that a page holds with all digits, and null for NaN or an infinity.
type values []float64

// MarshalJSON returns the numbers as a JSON array, each with as few digits as name it exactly.
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

// numberColoring returns a coloring by numbers, one per node. The colors go from red at the
// number red to blue at the number blue; the labels stand at these two ends of the key.
func numberColoring(name string, perNode []float64, red, blue float64, redLabel, blueLabel string) Coloring {
	low, high := slices.Min(perNode), slices.Max(perNode)
	return Coloring{Name: name, Numbers: onScale(perNode, low, high-low), Low: low, High: high,
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

// HTML returns m as the HTML of a map with a page of its own, and the text of the script in
// that HTML. The script does not depend on the data, so a page may allow it by its hash.
func (m NodeMap) HTML() (page, script string, err error) {
	const name, more = "map", "mappage" // scripts/map.js, and what mappage.js adds to it
	m.Page = true
	page, err = interactiveHTML(name, m.Title, "The map needs JavaScript.", packed{m.forScript()}, more)
	if err != nil {
		return page, "", err
	}
	script, err = scriptOf(name, more)
	return page, script, err
}

// forScript returns m with the fields that scripts/map.js needs and the caller does not set:
// Later and Ends from the edges, and the colors and shapes for the largest number of groups.
func (m NodeMap) forScript() NodeMap {
	if a := m.Edges; a != nil {
		m.Later = make(numbers, a.Rows)
		for i := range a.Rows {
			neighbors, _ := a.Row(i) // without the weights
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
