package testgraph

import (
	"context"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/graphfolder"
)

// Folder writes a graph to a new folder.
func Folder(path string, g *graph.Graph) error {
	_, err := graphfolder.Create(context.Background(), path, nil, func(w *graphfolder.Writer) error {
		w.Nodes, w.Listed = g.N(), g.ListedEdges
		m, err := w.NewMatrix()
		if err != nil {
			return err
		}
		for i := range g.N() {
			for j, weight := range g.Adjacency.Each(i) {
				if err := m.Add(i, j, weight); err != nil {
					return err
				}
			}
		}
		if err := m.Close(); err != nil {
			return err
		}
		if g.Labels != nil {
			if err := w.PutLabels(g.Labels, g.ClassNames); err != nil {
				return err
			}
		}
		if g.NodeNames != nil {
			var text []byte
			var ends []int
			for _, name := range g.NodeNames {
				text = append(text, name...)
				ends = append(ends, len(text))
			}
			if err := w.PutIDs(text, ends); err != nil {
				return err
			}
		}
		return w.PutFeatures(g.Features)
	})
	return err
}
