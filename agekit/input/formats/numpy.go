package formats

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/system"
)

func init() {
	Register(Format{Extensions: []string{".npz"}, Graph: fromArchive(archiveGraph), Features: fromArchive(savedFeatures), Edges: fromArchive(savedEdges)})
}

// fromArchive returns a reader of files that opens a file as an archive of arrays and gives it to read.
func fromArchive(read func(context.Context, *npy.Archive, *graph.Graph) error) readFunc {
	return func(ctx context.Context, f *table.File, g *graph.Graph) error {
		a, err := npy.OpenArchive(f, f.Size())
		if err == nil {
			err = read(ctx, a, g)
		}
		return f.Error(err)
	}
}

// archiveGraph sets g to the graph in an archive, which has one of two forms (see the package): arrays
// named as in PyTorch Geometric's Data, or CSR matrices adj_… and attr_…. An entry of the adjacency
// matrix and its mirror image count as one listed edge.
func archiveGraph(ctx context.Context, a *npy.Archive, g *graph.Graph) error {
	if a.Has("edge_index") {
		return dataGraph(ctx, a, g)
	}
	adj, err := a.Sparse("adj_")
	if err != nil {
		return err
	}
	if adj.Rows != adj.Cols {
		return fmt.Errorf("arrays adj_…: %d×%d matrix, want a square one", adj.Rows, adj.Cols)
	}
	if adj.NNZ() == 0 {
		if weights, err := npy.ArchiveValues[float32](a, "adj_data", -1); err == nil && len(weights) > 0 {
			return errors.New("array adj_data: all values are 0: want the weights of edges")
		}
	}
	if a.Has("attr_matrix") {
		err = arrayOfFeatures(ctx, a, "attr_matrix", g)
	} else {
		g.Features.Sparse, err = a.Sparse("attr_")
		err = checkSparse("attr_data", g.Features.Sparse, err)
	}
	if err != nil {
		return err
	}
	if a.Has("labels") {
		ids, err := npy.ArchiveValues[int64](a, "labels", -1)
		if err != nil {
			return err
		}
		graph.SetClasses(g, len(ids), func(node int) (int64, bool) { return ids[node], true })
	}
	return setEdges(g, adj, "adj_")
}

// setEdges sets Adjacency and ListedEdges of g from a matrix of edges, which may be directed. Prefix
// begins the names of the arrays of the matrix, for errors.
func setEdges(g *graph.Graph, adj *graph.CSR, prefix string) (err error) {
	if err := system.CheckMemory(fmt.Sprintf("arrays %s…", prefix), 4*float64(adj.NNZ())); err != nil {
		return err
	}
	u := make([]int32, 0, adj.NNZ()) // the row of each entry
	for i := range adj.Rows {
		for j := range adj.Each(i) {
			u = append(u, int32(i))
			if i <= j || adj.At(j, i) == 0 { // not the mirror image of an entry that was counted
				g.ListedEdges++
			}
		}
	}
	if g.Adjacency, err = graph.Adjacency(adj.Rows, u, adj.Indices, adj.Values); err != nil {
		return fmt.Errorf("array %sdata: %w", prefix, err)
	}
	return nil
}

// arrayOfFeatures sets the features of g to the array with a name in an archive.
func arrayOfFeatures(ctx context.Context, a *npy.Archive, name string, g *graph.Graph) error {
	return a.Read(name, func(array *npy.Array) (err error) {
		g.Features, err = arrayFeatures(ctx, array)
		return err
	})
}

// dataGraph sets g to the graph in arrays named as in PyTorch Geometric's Data: x has the features,
// edge_index the ends of edges, edge_weight, if there is one, their weights, and y the classes,
// negative for an unknown one.
func dataGraph(ctx context.Context, a *npy.Archive, g *graph.Graph) error {
	if err := arrayOfFeatures(ctx, a, "x", g); err != nil {
		return err
	}
	n, _ := g.Features.Dims()
	err := a.Read("edge_index", func(array *npy.Array) error {
		rows, edges, err := array.Matrix()
		if err != nil || rows != 2 {
			return errors.New("want 2×E ends of edges")
		}
		ends, err := npy.Values[int32](array)
		if err != nil {
			return err
		}
		var weights []float32
		if a.Has("edge_weight") {
			if weights, err = npy.ArchiveValues[float32](a, "edge_weight", edges); err != nil {
				return err
			}
		}
		g.ListedEdges = edges
		g.Adjacency, err = graph.Adjacency(n, ends[:edges], ends[edges:], weights)
		return err
	})
	if err != nil || !a.Has("y") {
		return err
	}
	classes, err := npy.ArchiveValues[int64](a, "y", n)
	if err == nil {
		graph.SetClasses(g, n, func(node int) (int64, bool) { return classes[node], classes[node] >= 0 })
	}
	return err
}

// savedEdges sets the edges of g to an adjacency matrix as scipy.sparse.save_npz writes it. If g has
// features, the matrix must have a row for each of theirs.
func savedEdges(_ context.Context, a *npy.Archive, g *graph.Graph) error {
	adj, err := a.Sparse("")
	if err != nil {
		return err
	}
	n, _ := g.Features.Dims()
	n = cmp.Or(n, adj.Rows)
	if err := CheckNodes(adj, n); err != nil {
		return err
	}
	return setEdges(g, adj, "")
}

// CheckNodes returns an error if an adjacency matrix is not one of n nodes.
func CheckNodes(adj *graph.CSR, n int) error {
	if adj.Rows != n || adj.Cols != n {
		return fmt.Errorf("%d×%d matrix: want a square one with a row for each of the %d nodes", adj.Rows, adj.Cols, n)
	}
	return nil
}

// savedFeatures sets the features of g to a matrix as scipy.sparse.save_npz writes it.
func savedFeatures(_ context.Context, a *npy.Archive, g *graph.Graph) (err error) {
	g.Features.Sparse, err = a.Sparse("")
	return checkSparse("data", g.Features.Sparse, err)
}

func init() {
	Register(Format{Extensions: []string{".npy"}, Features: readNPY})
}

// mapAbove is the size in bytes above which a feature file is memory-mapped. It is a variable
// for tests.
var mapAbove int64 = 64 << 20

// readNPY sets the features of g to the 2-dimensional array in f. If the file is large, and holds
// float32 values in row-major order, it is mapped to memory and not read.
func readNPY(ctx context.Context, f *table.File, g *graph.Graph) error {
	size := f.Size()
	a, err := npy.Open(f, size)
	if err != nil {
		return f.Error(err)
	}
	if rows, columns, err := a.Matrix(); err == nil && size > mapAbove && a.Mappable() {
		if values, err := mapped.Floats(f.Name(), a.Offset); err == nil && len(values) == rows*columns {
			g.Features, err = denseFeatures(ctx, blas32.General{Rows: rows, Cols: columns, Stride: columns, Data: values})
			return f.Error(err)
		}
	}
	g.Features, err = arrayFeatures(ctx, a)
	return f.Error(err)
}
