package baseline

import (
	"context"
	"math/rand/v2"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/device"
	. "github.com/gomlx/gomlx/core/graph"
)

// trainOnDevice trains a network that ends in an embedding for an objective of
// its pairs, as GoMLX graph code. It starts with the same weights as train.
func trainOnDevice(ctx context.Context, g *graph.Graph, n *network, pairs objective, s schedule, o Options) (*Output, error) {
	width := 0
	for _, l := range n.layers {
		width += l.value.Cols
	}
	t, err := newTrainer(g, o, layerBytes(g, n.layers[0].value.Cols)+8*device.Floats(g.N()+n.filter.NNZ(), width))
	if err != nil {
		return nil, err
	}
	defer t.close()
	filter := t.sparse(n.filter)
	var weights []weight
	for _, l := range n.layers {
		weights = append(weights, t.weight(l.value))
	}
	t.layers[weights[0]] = views{x: n.x, filters: []*graph.CSR{n.filter}}
	embedding := func(v *nodes) *Node {
		var y *Node
		for k, l := range n.layers {
			times := l.filters
			if k == 0 {
				y = v.weight(weights[0]) // the host has multiplied it with X and, once, the filter
				times--
			} else {
				y = product(y, v.weight(weights[k]))
			}
			for range times {
				y = filter.times(v, y)
			}
			if l.relu {
				y = MaxScalar(y, 0)
			}
		}
		return y
	}
	update := t.step(loss{graph: func(v *nodes) (z, scalar *Node) { return embedding(v), nil }, pairs: pairs}, s.learningRate, 0)
	err = t.train(ctx, s.epochs, func(_ int, rnd *rand.Rand) (float64, error) {
		redraw(pairs, rnd)
		return update.take(ctx)
	})
	if err != nil {
		return nil, err
	}
	z, err := t.evaluate(embedding)
	if err != nil {
		return nil, err
	}
	return t.output(z), nil
}
