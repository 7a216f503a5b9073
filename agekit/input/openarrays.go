package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/graph"
)

// openArrays reads a graph from a matrix of features and a plain list of edges
// between its rows.
func openArrays(ctx context.Context, s Source) (*graph.Graph, error) {
	g := &graph.Graph{Name: cmp.Or(s.Name, stem(s.Edges))}
	var err error
	if g.Features, err = readFeatures(ctx, s.Features); err != nil {
		return nil, err
	}
	n, _ := g.Features.Dims()
	if n == 0 {
		return nil, fmt.Errorf("%s: no rows: want one per node", s.Features)
	}
	if err := readPart(ctx, s.Edges, "edges", func(f Format) readFunc { return f.Edges }, g); err != nil {
		return nil, err
	}
	if s.Labels != "" {
		if err := readLabelFile(ctx, s.Labels, g, s.Features); err != nil {
			return nil, err
		}
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g, nil
}

// readFeatures reads a matrix of features from a file.
func readFeatures(ctx context.Context, path string) (graph.Features, error) {
	g := &graph.Graph{}
	err := readPart(ctx, path, "features", func(f Format) readFunc { return f.Features }, g)
	return g.Features, err
}

// readLabelFile sets the labels of g, whose features have one row per node and come
// from the file of nodes.
func readLabelFile(ctx context.Context, path string, g *graph.Graph, nodes string) error {
	err := readPart(ctx, path, "labels", func(f Format) readFunc { return f.Labels }, g)
	if n, _ := g.Features.Dims(); err == nil && len(g.Labels) != n {
		err = fmt.Errorf("%s: %d labels, want %d, %w", path, len(g.Labels), n, errCount)
	}
	if errors.Is(err, errCount) {
		return fmt.Errorf("%w (%s)", err, nodes)
	}
	return err
}
