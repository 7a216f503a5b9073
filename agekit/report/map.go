package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"github.com/agekit/age/agekit/figure"
)

// drawMap returns the map of the nodes with its colorings: by cluster, by known, by confidence
// and outlier score, and by the user's own columns. known are the colorings by class and by
// other clusters; one without labels is left out. drawMap sets v.mapScript.
func (v *view) drawMap(c *nodeColumns, known []figure.Coloring) (template.HTML, error) {
	p := v.Page
	shown := figure.NodeView{Colorings: []figure.Coloring{{Name: "cluster", Numbers: c.clusters, Labels: v.names}}}
	shown.X, shown.Y = figure.Grid(c.x, c.y)
	for _, k := range known {
		if k.Labels != nil {
			shown.Colorings = append(shown.Colorings, k)
		}
	}
	if c.confidence != nil {
		shown.Colorings = append(shown.Colorings,
			figure.Coloring{Name: "confidence", Values: rounded(c.confidence), Red: 0, Blue: 1, RedLabel: "0 or less: between clusters", BlueLabel: "1: sure"},
			figure.Coloring{Name: "outlier score", Values: rounded(c.outlier), Red: 2, Blue: 0, RedLabel: "2 or more: far from its cluster", BlueLabel: "0 or less: typical"})
	}
	shown.Colorings = append(shown.Colorings, p.colorings(c.title)...)
	clusterNames := make([]string, v.Found) // "" for a cluster without a name of its own
	for _, cluster := range p.Clusters {
		if cluster.Cluster >= 0 && cluster.Cluster < v.Found {
			clusterNames[cluster.Cluster] = cluster.Name
		}
	}
	m := figure.NodeMap{
		Title: "Map of the nodes", N: len(c.ids), Names: c.ids, IDName: p.Columns.ID,
		Titles: c.titles, Clusters: clusterNames, Views: []figure.NodeView{shown},
	}
	if c.title >= 0 {
		m.TitleName = p.nodes.Columns[c.title].Name
	}
	if p.Model != nil && p.Model.Graph.Edges() <= mostEdges {
		m.Edges = p.Model.Graph.Adjacency
	}
	page, script, err := m.HTML()
	v.mapScript = script
	return template.HTML(page), err
}

// rounded returns the values, rounded to four decimals.
func rounded(values []float64) []float64 {
	r := make([]float64, len(values))
	for i, v := range values {
		r[i] = math.Round(1e4*v) / 1e4
	}
	return r
}

// classes returns the coloring by the known classes, in the order of their names. Its last
// label is "unknown".
func (p *Page) classes() (figure.Coloring, error) {
	words, err := p.words(p.Columns.Class)
	if err != nil {
		return figure.Coloring{}, err
	}
	names := slices.Compact(slices.Sorted(slices.Values(words)))
	if names[0] == "" { // the word of nodes of unknown class
		names = names[1:]
	}
	c := figure.Coloring{Name: "class", Labels: append(names, "unknown"), Unknown: true}
	for _, w := range words {
		class, ok := slices.BinarySearch(names, w)
		if !ok {
			class = len(names)
		}
		c.Numbers = append(c.Numbers, class)
	}
	return c, nil
}

// otherClusters returns the coloring by the column of nodes.csv with the given name, whose
// numbers are other clusters: those of a view, of a level, or of the run that this one
// started from. The labels are "cluster 0", "cluster 1", … up to the largest number, but at
// least the given number of them, and a last label "new" for nodes without a number.
func (p *Page) otherClusters(name string, atLeast int) (figure.Coloring, error) {
	k, err := p.nodes.Find(name)
	if err != nil {
		return figure.Coloring{}, err
	}
	count := atLeast // of clusters
	for _, v := range p.nodes.Columns[k].Numbers {
		if v >= math.MaxUint16 { // more than a map can hold, so not a number of clusters
			return figure.Coloring{}, fmt.Errorf("nodes.csv: column %s: cluster %v: want less", name, v)
		}
		if v >= 0 {
			count = max(count, int(v)+1)
		}
	}
	c := figure.Coloring{Name: name, Labels: append(figure.ClusterNames(count), "new"), Unknown: true}
	for i := range p.nodes.Rows {
		cluster := count // the place of "new"
		if numbers := p.nodes.Columns[k].Numbers; numbers != nil && numbers[i] >= 0 {
			cluster = int(numbers[i])
		}
		c.Numbers = append(c.Numbers, cluster)
	}
	return c, nil
}
