package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/npz"
	"github.com/agekit/age/internal/classes"
	"github.com/agekit/age/internal/limit"
	"github.com/agekit/age/internal/numpy"
)

func init() {
	Register(Format{Extensions: []string{".npz"}, Graph: readNPZGraph, Features: readNPZFeatures, Edges: readNPZEdges, WriteArrays: writeNPZGraph})
}

// archiveGraph returns the graph in an archive, in one of two forms. In the first,
// adj_data, adj_indices, adj_indptr and adj_shape hold the adjacency matrix as CSR;
// attr_data, attr_indices, attr_indptr and attr_shape hold the features as CSR, or
// attr_matrix holds dense features; labels, if present, holds the class of each
// node (any integers; classes are numbered in increasing order). The adjacency
// matrix may be directed: every entry becomes an undirected edge, and self loops
// are dropped. ListedEdges counts an entry and its mirror image once.
//
// The second has the names of PyTorch Geometric's Data: edge_index, 2×E, holds the
// ends of the edges, edge_weight, if present, their weights, x the features, and y,
// if present, the classes, where −1 is an unknown one.
//
// The graph has no name. The caller must check it with [graph.Graph.Validate].
func archiveGraph(ctx context.Context, a *npz.Archive) (g *graph.Graph, err error) {
	if a.Has("edge_index") {
		return dataGraph(ctx, a)
	}
	adj, err := a.Sparse("adj_")
	if err != nil {
		return nil, err
	}
	if adj.Rows != adj.Cols {
		return nil, fmt.Errorf("arrays adj_…: %d×%d matrix, want a square one", adj.Rows, adj.Cols)
	}
	if adj.NNZ() == 0 && hasValues(a, "adj_data") {
		return nil, errors.New("array adj_data: all values are 0: want the weights of edges")
	}
	g = &graph.Graph{}
	if a.Has("attr_matrix") {
		err = a.Read("attr_matrix", func(array *numpy.Array) error {
			g.Features, err = arrayFeatures(ctx, array)
			return err
		})
	} else {
		g.Features.Sparse, err = sparseFeatures(a, "attr_")
	}
	if err != nil {
		return nil, err
	}
	if a.Has("labels") {
		ids, err := npz.Values[int64](a, "labels", -1)
		if err != nil {
			return nil, err
		}
		g.Labels, g.ClassNames = classes.Number(ids)
		g.Classes = len(g.ClassNames)
	}
	return g, setEdges(g, adj, "adj_")
}

// setEdges sets g's adjacency from a matrix that may be directed.
func setEdges(g *graph.Graph, adj *graph.CSR, prefix string) (err error) {
	if err := limit.Memory(fmt.Sprintf("arrays %s…", prefix), 4*float64(adj.NNZ())); err != nil {
		return err
	}
	u, v := make([]int32, 0, adj.NNZ()), adj.Indices
	for i := range adj.Rows {
		for range adj.Indptr[i+1] - adj.Indptr[i] {
			u = append(u, int32(i))
		}
	}
	if g.Adjacency, err = graph.Adjacency(adj.Rows, u, v, adj.Values); err != nil {
		return fmt.Errorf("array %sdata: %w", prefix, err)
	}
	for k := range u {
		if u[k] <= v[k] || adj.At(int(v[k]), int(u[k])) == 0 {
			g.ListedEdges++
		}
	}
	return nil
}

// sparseFeatures returns the features whose array names begin with prefix.
func sparseFeatures(a *npz.Archive, prefix string) (*graph.CSR, error) {
	m, err := a.Sparse(prefix)
	if err != nil {
		return nil, err
	}
	if err := checkSparse(m); err != nil {
		return nil, fmt.Errorf("array %sdata: %w", prefix, err)
	}
	return m, nil
}

// dataGraph returns the graph in arrays named as in PyTorch Geometric's Data.
func dataGraph(ctx context.Context, a *npz.Archive) (g *graph.Graph, err error) {
	g = &graph.Graph{}
	err = a.Read("x", func(array *numpy.Array) error {
		g.Features, err = arrayFeatures(ctx, array)
		return err
	})
	if err != nil {
		return nil, err
	}
	n, _ := g.Features.Dims()
	err = a.Read("edge_index", func(array *numpy.Array) error {
		rows, edges, err := array.Matrix()
		if err != nil || rows != 2 {
			return errors.New("want 2×E ends of edges")
		}
		ends, err := numpy.Values[int32](array)
		if err != nil {
			return err
		}
		if g.ListedEdges = edges; array.Fortran { // both ends of an edge, then of the next
			u, v := make([]int32, 0, edges), make([]int32, 0, edges)
			for k := range edges {
				u, v = append(u, ends[2*k]), append(v, ends[2*k+1])
			}
			ends = append(u, v...)
		}
		var weights []float32
		if a.Has("edge_weight") {
			if weights, err = npz.Values[float32](a, "edge_weight", g.ListedEdges); err != nil {
				return err
			}
		}
		g.Adjacency, err = graph.Adjacency(n, ends[:g.ListedEdges], ends[g.ListedEdges:], weights)
		return err
	})
	if err != nil || !a.Has("y") {
		return g, err
	}
	ids, err := npz.Values[int64](a, "y", n)
	if err != nil {
		return nil, err
	}
	known := slices.DeleteFunc(slices.Clone(ids), func(c int64) bool { return c < 0 })
	var numbers []int
	numbers, g.ClassNames = classes.Number(known)
	g.Classes = len(g.ClassNames)
	for _, c := range ids {
		if c < 0 {
			g.Labels = append(g.Labels, graph.Unknown)
			continue
		}
		g.Labels, numbers = append(g.Labels, numbers[0]), numbers[1:]
	}
	return g, nil
}

// readNPZEdges reads an adjacency matrix as scipy.sparse.save_npz writes it.
func readNPZEdges(_ context.Context, f *os.File, g *graph.Graph) error {
	return withArchive(f, func(a *npz.Archive) error {
		adj, err := a.Saved()
		if err != nil {
			return err
		}
		n, _ := g.Features.Dims()
		if n == 0 { // unknown
			n = adj.Rows
		}
		if adj.Rows != n || adj.Cols != n {
			return fmt.Errorf("%d×%d matrix: want a square one with a row for each of the %d nodes", adj.Rows, adj.Cols, n)
		}
		return setEdges(g, adj, "")
	})
}

func readNPZGraph(ctx context.Context, f *os.File, g *graph.Graph) error {
	return withArchive(f, func(a *npz.Archive) error {
		got, err := archiveGraph(ctx, a)
		if err == nil {
			got.Name = g.Name
			*g = *got
		}
		return err
	})
}

// readNPZFeatures reads a matrix as scipy.sparse.save_npz writes it.
func readNPZFeatures(_ context.Context, f *os.File, g *graph.Graph) error {
	return withArchive(f, func(a *npz.Archive) (err error) {
		if g.Features.Sparse, err = a.Saved(); err != nil {
			return err
		}
		if err := checkSparse(g.Features.Sparse); err != nil {
			return fmt.Errorf("array data: %w", err)
		}
		return nil
	})
}

// hasValues reports whether an array that was already read has values.
func hasValues(a *npz.Archive, name string) (some bool) {
	_ = a.Read(name, func(array *numpy.Array) error {
		some = array.Len() > 0
		return nil
	})
	return some
}

func withArchive(f *os.File, do func(*npz.Archive) error) error {
	size, err := sizeOf(f)
	if err != nil {
		return err
	}
	a, err := npz.Open(f, size)
	if err == nil {
		err = do(a)
	}
	return named(f, err)
}

// writeNPZGraph writes g in the form that [archiveGraph] reads: 32-bit indices and
// values, and labels only if g has them. Class and node names are not stored.
func writeNPZGraph(w io.Writer, g *graph.Graph) error {
	x := g.Features.Sparse
	if x == nil {
		x = graph.FromDense(*g.Features.Dense)
	}
	arrays := append(npz.SparseArrays("adj_", g.Adjacency), npz.SparseArrays("attr_", x)...)
	if g.Labels != nil {
		labels := make([]int64, g.N())
		for i, c := range g.Labels {
			labels[i] = int64(c)
		}
		arrays = append(arrays, npz.Array{Name: "labels", Value: labels})
	}
	return npz.Write(w, arrays...)
}
