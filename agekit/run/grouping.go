package run

import (
	"context"

	"github.com/agekit/age/agekit/graph"
)

func groupsByFeatures(ctx context.Context, g *graph.Graph, labels []int, count int) (names []string, explained float64, err error) {
	return nil, 0, nil
}

func oddities(labels []int, g *graph.Graph) []string { return nil }
