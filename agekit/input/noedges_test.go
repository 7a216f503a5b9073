package input

import (
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestNoEdges: a list without edges is an error, because the clusters would come from
// the features alone. A matrix or a graph file without edges says that the nodes are
// isolated: that is a note.
func TestNoEdges(t *testing.T) {
	path := writeInputs(t, map[string]string{
		"empty.tsv": "", "comments.txt": "# u v\n\n", "header.csv": "source,target\n", "x.csv": "1,2\n3,4\n5,7\n", "n.csv": "id,age\na,1\nb,2\nc,4\n",
		"g.graphml": `<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/></graph></graphml>`,
	})
	for _, s := range []Source{
		{Edges: path("empty.tsv"), Features: path("x.csv")}, {Edges: path("comments.txt"), Features: path("x.csv")},
		{Edges: path("header.csv"), Nodes: path("n.csv"), ID: "id"}, {Edges: path("header.csv"), Features: path("x.csv")},
	} {
		if _, err := Open(t.Context(), s); err == nil || !strings.HasPrefix(err.Error(), s.Edges+": no edges: want at least one") {
			t.Errorf("%s: error %v", s.Edges, err)
		}
	}
	matrix := path("none.npz")
	inputtest.Write(t, matrix, inputtest.NPZ(map[string][]byte{
		"format": inputtest.RawNPY("|S3", "False", "()", []byte("csr")), "shape": inputtest.NPY([]int64{3, 3}), "indptr": inputtest.NPY([]int32{0, 0, 0, 0}),
		"indices": inputtest.RawNPY("<i4", "False", "(0,)", nil), "data": inputtest.RawNPY("<f4", "False", "(0,)", nil),
	}))
	for path, s := range map[string]Source{
		matrix: {Edges: matrix, Features: path("x.csv")}, path("n.csv"): {Edges: matrix, Nodes: path("n.csv"), ID: "id"}, path("g.graphml"): {Graph: path("g.graphml")},
	} {
		d, err := Open(t.Context(), s)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if notes := strings.Join(inputtest.Texts(d.Warnings), "\n"); !strings.Contains(notes, "no edges: all nodes are isolated") {
			t.Errorf("%s: warnings %q", path, notes)
		}
	}
}
