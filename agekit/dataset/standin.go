package dataset

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
)

func init() {
	register(&source{
		Info: Info{
			Name: "pubmed-standin", Unpublished: true,
			Description: "Pubmed's graph and labels with synthetic features of the same density, for tests of size and speed only: its scores are meaningless",
			Source:      "a file pubmed-standin.npz that you supply; it is not published", Citation: planetoidCite,
		},
		load: loadStandin,
		files: []file{
			{"pubmed-standin.npz", 4640582, "c46cef2369de32014b784f2fad6bcb761addba115b133e623e491f896b377fce"},
		},
	})
}

// loadStandin reads a file of arrays.
func loadStandin(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	_, files, err := s.gather(ctx, opts)
	if err != nil {
		return nil, err
	}
	d, err := input.Open(ctx, input.Source{Graph: files[0].Path, Name: s.Name})
	if err != nil {
		return nil, err
	}
	return d.Graph, nil
}
