package formats

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestRegister adds a format as a separate package would: a file with its extension, in any case, is
// read by it. A second format with the same extension panics.
func TestRegister(t *testing.T) {
	const ext = ".pair"
	Register(Format{
		Extensions: []string{ext},
		Graph: func(_ context.Context, f *table.File, g *graph.Graph) (err error) {
			g.Features.Sparse = &graph.CSR{Rows: 2, Cols: 1, Indptr: []int{0, 1, 2}, Indices: []int32{0, 0}}
			g.Adjacency, err = graph.Adjacency(2, []int32{0}, []int32{1}, nil)
			return err
		},
	})
	defer delete(registered, ext)
	path := filepath.Join(t.TempDir(), "a.PAIR")
	inputtest.Write(t, path, nil)
	if g, err := readArrays(t.Context(), path); err != nil || g.Edges() != 1 {
		t.Errorf("read %+v (%v)", g, err)
	}

	defer func() {
		if recover() == nil {
			t.Error("an extension registered twice: no panic")
		}
	}()
	Register(Format{Extensions: []string{ext}})
}
