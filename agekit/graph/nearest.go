package graph

import (
	"context"

	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// NearestEdges returns the k edges (u, v) from each row u of queries to the nearest rows v of x in
// Euclidean distance, row after row, nearest first. If the queries are x itself, no row is its own
// neighbor.
func NearestEdges(ctx context.Context, queries, x blas32.General, k int) (u, v []int32, err error) {
	nearest, err := linalg.NearestAmong(ctx, queries, x, k)
	if err != nil {
		return nil, nil, err
	}
	u, v = make([]int32, len(nearest)), make([]int32, len(nearest))
	for e, neighbor := range nearest {
		u[e], v[e] = int32(e/k), neighbor.Index
	}
	return u, v, nil
}

// JoinNearest returns the adjacency matrix of the graph in which each row of x is joined to the k
// nearest others ([NearestEdges]).
func JoinNearest(ctx context.Context, x blas32.General, k int) (*CSR, error) {
	u, v, err := NearestEdges(ctx, x, x, k)
	if err != nil {
		return nil, err
	}
	return Adjacency(x.Rows, u, v, nil)
}
