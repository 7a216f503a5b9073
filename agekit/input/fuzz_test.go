package input

import (
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
	"gonum.org/v1/gonum/blas/blas32"
)

// FuzzEdges: any text is refused as a list of edges between five nodes, or gives edges of which a graph
// can be made.
func FuzzEdges(f *testing.F) {
	f.Add([]byte("# u v w\n0\t1\t0.5\n\n3 3 1e3\r\n"))
	f.Add([]byte("0\t1\n2 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const n = 5
		edges, err := Source{Edges: inputtest.WriteText(t, "edges.tsv", string(data)), Features: "x.csv"}.edgeTable(t.Context(), table.Options{}, numberedIDs(n))
		if err != nil {
			return
		}
		e, err := edges.edges(t.Context(), edges.ids, false)
		if err != nil {
			return // a sum that is too large
		}
		if _, err := graph.Adjacency(n, e.u, e.v, e.w); err != nil {
			t.Error(err)
		}
	})
}

// FuzzLabels: any text is refused as the labels of three nodes, or gives three labels, and each class
// has a node.
func FuzzLabels(f *testing.F) {
	f.Add([]byte("3\n-1\n3\n"))
	f.Add([]byte("b\na\n# none\nb\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g := &graph.Graph{Features: graph.Features{Dense: &blas32.General{Rows: 3}}}
		if err := readLabels(t.Context(), inputtest.WriteText(t, "labels.txt", string(data)), g, "x.csv", &table.Remarks{}); err != nil {
			return
		}
		labels, names := g.Labels, g.ClassNames
		if len(labels) != 3 {
			t.Errorf("%d labels", len(labels))
		}
		used := make([]bool, len(names))
		for _, c := range labels {
			if c != graph.Unknown {
				used[c] = true
			}
		}
		for c, ok := range used {
			if !ok {
				t.Errorf("class %d of %q has no node", c, names)
			}
		}
	})
}
