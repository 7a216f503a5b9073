package method

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
)

// infomaxOf returns the network on a graph, with weights far from their start and
// a corrupted graph that is drawn with a seed.
func infomaxOf(t *testing.T, m dgi, g *graph.Graph, seed uint64) *infomax {
	t.Helper()
	tr := trainerFor(t, asMethod(m), g)
	c := m.model(tr, g)
	enlarge(tr)
	c.drawCorrupted(rand.New(rand.NewPCG(seed, seed)))
	return c
}

// enlarge adds numbers between −2 and 2 to all weights, so that float32 is precise
// enough for differences of losses.
func enlarge(t *trainer) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, w := range t.weights {
		addScaled(w, randomMatrix(w.Rows, w.Cols, 2, rnd), 1)
	}
}

// TestDGILoss compares with the definition, in float64 and with dense matrices, to
// 1e-5.
func TestDGILoss(t *testing.T) {
	g := twelve(t)
	c := infomaxOf(t, filled(dgi{Dims: 3}), g, 7)
	weight := func(w weight) *mat.Dense { return linalg.Float64(c.t.weights[w]) }
	w, b, m := weight(c.weights), weight(c.bias), weight(c.bilinear)
	a, e := weight(c.slope).At(0, 0), weight(c.offset).At(0, 0)
	const n = 12
	order := rand.New(rand.NewPCG(7, 7)).Perm(n) // as infomaxOf draws it
	x, corrupted := mat.NewDense(n, 6, nil), mat.NewDense(n, 6, nil)
	for i := range n {
		r := linalg.Float64(*g.Features.Dense).RawRowView(i)
		x.SetRow(i, r)
		row := mat.NewVecDense(6, x.RawRowView(i))
		row.ScaleVec(1/mat.Norm(row, 1), row)
	}
	for i, from := range order {
		corrupted.SetRow(i, x.RawRowView(from))
	}
	layer := func(x *mat.Dense) *mat.Dense {
		filter := linalg.Float64(c.filter.Dense())
		var h mat.Dense
		h.Product(filter, x, w)
		h.Apply(func(_, j int, v float64) float64 {
			if v += b.At(0, j); v < 0 {
				return a * v
			}
			return v
		}, &h)
		return &h
	}
	h, other := layer(x), layer(corrupted)
	summary := mat.NewVecDense(3, nil)
	for j := range 3 {
		summary.SetVec(j, 1/(1+math.Exp(-mat.Sum(h.ColView(j))/n)))
	}
	want := 0.0
	for i := range n {
		isGenuine := 1 / (1 + math.Exp(-mat.Inner(h.RowView(i), m, summary)-e))
		isFooled := 1 / (1 + math.Exp(-mat.Inner(other.RowView(i), m, summary)-e))
		want -= (math.Log(isGenuine) + math.Log(1-isFooled)) / (2 * n)
	}
	got := testutil.Value(c.update.differentiate(t.Context())).OrFatal(t)
	if !scalar.EqualWithinRel(got, want, 1e-5) {
		t.Errorf("loss %v, want %v", got, want)
	}
}

// TestDGIGradients compares with finite differences.
func TestDGIGradients(t *testing.T) {
	g := twelve(t)
	wantGradients(t, infomaxOf(t, filled(dgi{Dims: 3}), g, 7).update)
}

// TestPatience: a training with patience ends after that many epochs without a lower loss,
// with the weights before the step of the lowest, also if it was stopped in between, wherever
// the weights are.
func TestPatience(t *testing.T) {
	for _, resident := range []bool{false, true} {
		kept := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
		patience(t, resident, nil, 1, 0)
		patience(t, resident, kept, 1, 7)
		patience(t, resident, kept, 7, 0)
	}
}

// patience trains a weight, which is the number of the last epoch, from a first epoch on, and
// stops before an epoch if that is not 0.
func patience(t *testing.T, resident bool, kept *store.Store, first, stop int) {
	losses, enough := []float64{5, 4, 4.5, 4.2, 3, 3.5, 3, 3.1, 1}, errors.New("enough")
	tr := trainerOn(t, asMethod(dgi{}), twelve(t), choices(t)[0], resident)
	tr.o.Checkpoints = kept
	w := tr.weight(linalg.New(1, 1))
	tr.patience = 3
	last := 0
	err := tr.train(t.Context(), len(losses), func(epoch int, _ *rand.Rand) (float64, error) {
		if last == 0 && epoch != first {
			t.Fatalf("begins with epoch %d, want %d", epoch, first)
		}
		if epoch == stop {
			return 0, errors.Join(enough, tr.save(epoch-1))
		}
		last = epoch
		tr.weights[w].Data[0] = float32(epoch)
		tr.place.reload(w)
		return losses[epoch-1], nil
	})
	testutil.NoError(t, tr.fetch())
	if stop > 0 {
		if !errors.Is(err, enough) {
			t.Fatalf("error %v, want that it was stopped", err)
		}
	} else if err != nil || last != 8 || tr.weights[w].Data[0] != 4 {
		t.Errorf("%d epochs, the weight after epoch %v, error %v: want 8 epochs, the weight after epoch 4", last, tr.weights[w].Data[0], err)
	}
}

// TestContrastiveClusters: published modes cluster by k-means, with bounded
// epochs, and the widths of NS4GC are the authors' for the graph.
func TestContrastiveClusters(t *testing.T) {
	g := planted(t, 120, false)
	g.Catalogue = "citeseer"
	for name, width := range map[string]int{"DGI": 512, "NS4GC": 256} {
		m := testutil.Value(New(name, Settings{MostEpochs: 2, Published: true})).OrFatal(t)
		epochs := 0
		out := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 3, Seed: 4, Running: encoder.Running{Progress: func(encoder.Event) { epochs++ }}})).OrFatal(t)
		want := testutil.Value(cluster.KMeans(t.Context(), linalg.Normalize(out.Embedding), 3, cluster.KMeansOptions{Restarts: 10}, source(4))).OrFatal(t)
		if epochs != 2 || out.Embedding.Cols != width || !m.Info().Clusters || !slices.Equal(out.Clusters, want.Labels) {
			t.Errorf("%s: %d epochs, width %d, clusters %v, want %v", name, epochs, out.Embedding.Cols, out.Clusters, want.Labels)
		}
	}
}

// TestContrastive trains for a part of the epochs. The clusters must be on
// the way to what full runs reach (NMI above .5).
func TestContrastive(t *testing.T) {
	g := planted(t, 300, false)
	if testutil.IsLong() {
		g = testutil.LoadGraph(t, "cora")
	}
	for _, m := range []Method{asMethod(dgi{Epochs: 10}), asMethod(ns4gc{Epochs: 10})} {
		z, loss := embed(t, m, g, 1)
		found := testutil.Value(cluster.KMeans(t.Context(), linalg.Normalize(z), g.Classes, cluster.KMeansOptions{}, source(0))).OrFatal(t)
		nmi := metric.NMI(g.Labels, found.Labels)
		t.Logf("%s: loss %.4f to %.4f, NMI %.3f", m.Name(), loss[0], loss[9], nmi)
		if nmi < 0.35 {
			t.Errorf("%s: NMI %v", m.Name(), nmi)
		}
	}
}
