package input

// Edge is an edge as its file has it.
type Edge struct {
	Source string  `json:"source"` // the ids of its ends
	Target string  `json:"target"`
	Weight float64 `json:"weight"` // 1 if the edges have no weights
}

// mostFirst is how many edges show a person how their file was read.
const mostFirst = 3

// first returns the edges of the first rows of the table, in their order.
func (t *edgeTable) first() (edges []Edge) {
	const source, target = false, true
	for row := range min(mostFirst, len(t.ends)) {
		e := Edge{t.end(row, source), t.end(row, target), 1}
		if t.weights != nil {
			e.Weight = t.weights[row]
		}
		edges = append(edges, e)
	}
	return edges
}

// FirstEdges returns the first few edges as the table of edges has them; or, of a graph that was not read from
// such a table, those of the first nodes.
func (d *Data) FirstEdges() []Edge {
	if d.firstEdges != nil {
		return d.firstEdges
	}
	var edges []Edge
	id := numberedIDs(d.Graph.N()).id
	if d.Graph.NodeNames != nil {
		id = func(node int) string { return d.Graph.NodeNames[node] }
	}
	for i := range d.Graph.N() {
		for j, weight := range d.Graph.Adjacency.Each(i) {
			if j > i {
				edges = append(edges, Edge{id(i), id(j), float64(weight)})
			}
			if len(edges) == mostFirst {
				return edges
			}
		}
	}
	return edges
}
