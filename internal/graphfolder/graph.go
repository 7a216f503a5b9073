package graphfolder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/graph"
)

// ErrOtherGraph means that a folder holds another graph.
var ErrOtherGraph = errors.New("another graph is there: want a new folder")

// Write writes a graph to a new folder at path. If a folder with the same graph is there, Write does
// nothing; if it has another graph, the error wraps [ErrOtherGraph].
func Write(ctx context.Context, path string, g *graph.Graph) error {
	from, err := json.Marshal(g.Fingerprint())
	if err != nil {
		return err
	}
	if IsFolder(path) {
		if old, err := ReadManifest(path); err == nil && string(old.From) == string(from) {
			return nil
		}
		return fmt.Errorf("%s: %w", path, ErrOtherGraph)
	}
	_, err = Create(ctx, path, nil, func(w *Writer) error {
		w.Nodes, w.Listed, w.From = g.N(), g.ListedEdges, from
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
			names := slices.Clip(g.ClassNames) // appending to it makes a copy
			for c := len(names); c < g.Classes; c++ {
				names = append(names, strconv.Itoa(c))
			}
			if err := w.PutLabels(g.Labels, names); err != nil {
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
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
