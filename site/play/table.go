package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/linalg"
)

// Written is a file that the page's user saves.
type Written struct{ Text string }

// trainTable writes the clusters of the chosen epoch as CSV, in the form of nodes.csv of agekit fit: the user's
// own columns, the classes, each node's cluster with the number that the page gives it and its name, its
// confidence and outlier score and, if the request's numbers "places" have it, its place on the map. Unlike
// agekit fit, the page doesn't ask whether clusters of data without groups would tell as much: clusters have
// names in any case.
func (p *Player) trainTable(ctx context.Context, r Request) (Reply, error) {
	if p.train == nil || p.train.session.Labels == nil {
		return Reply{}, fmt.Errorf("%s: train until there are clusters first", r.Name)
	}
	n, clusters := p.g.N(), p.train.session.Labels
	places := r.Numbers["places"]
	if len(places) != 0 && len(places) != 2*n {
		return Reply{}, fmt.Errorf("%s: %d numbers of places: want %d", r.Name, len(places), 2*n)
	}
	z := linalg.New(n, p.train.z.Cols)
	if err := p.train.session.EmbedChosenTo(ctx, z); err != nil {
		return Reply{}, err
	}
	found, err := explain.Explain(ctx, p.g, p.data.Recipe, linalg.InMemory(z), clusters)
	if err != nil && !errors.Is(err, explain.ErrUnexplained) {
		return Reply{}, err
	}
	shown := metric.Match(p.g, clusters)
	var names []string // by the page's numbers
	if found != nil {
		if own := explain.Names(found.Clusters); own != nil {
			names = make([]string, slices.Max(shown)+1)
			for i, c := range clusters {
				names[shown[i]] = own[c]
			}
		}
	}
	t, _, _ := explain.NewTable(p.data)
	t.AddClusters(shown, names)
	if found != nil {
		t.AddNumbers(recipe.ConfidenceColumn, found.Confidence)
		t.AddNumbers(recipe.OutlierColumn, found.Outlier)
	}
	if len(places) != 0 {
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(places[2*i]), float64(places[2*i+1])
		}
		t.AddNumbers(recipe.XColumn, x)
		t.AddNumbers(recipe.YColumn, y)
	}
	write, err := table.Writer("nodes.csv")
	if err != nil {
		return Reply{}, err
	}
	var text bytes.Buffer
	if err := write(&text, t.Table); err != nil {
		return Reply{}, err
	}
	return Reply{Written{text.String()}, nil}, nil
}
