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

// infomaxOf returns the network of m on a graph, with random weights ([enlarge]) and the corrupted
// graph that corruptionOf(seed) draws.
func infomaxOf(t *testing.T, m dgi, g *graph.Graph, seed uint64) *infomax {
	t.Helper()
	tr := trainerFor(t, asMethod(m), g)
	c := m.model(tr, g)
	enlarge(tr)
	c.drawCorrupted(corruptionOf(seed))
	return c
}

// corruptionOf returns the random source that draws a corrupted graph, for a seed.
func corruptionOf(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, seed)) }

// enlarge adds numbers between −2 and 2 to all weights, so that float32 is precise
// enough for differences of losses.
func enlarge(t *trainer) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for _, w := range t.weights {
		addScaled(w, randomMatrix(w.Rows, w.Cols, 2, rnd), 1)
	}
}

// TestDGILoss compares the loss with the formulas of [dgi], in float64 and with dense matrices, to
// 1e-5.
func TestDGILoss(t *testing.T) {
	const n, f, dims, seed = 12, 6, 3, 7
	g := twelve(t)
	c := infomaxOf(t, filled(dgi{Dims: dims}), g, seed)
	weight := func(w weight) *mat.Dense { return linalg.Float64(c.t.weights[w]) }
	w, b, m := weight(c.weights), weight(c.bias), weight(c.bilinear)
	a, e := weight(c.slope).At(0, 0), weight(c.offset).At(0, 0)
	order := corruptionOf(seed).Perm(n) // as drawCorrupted draws it
	x, corrupted := mat.NewDense(n, f, nil), mat.NewDense(n, f, nil)
	for i := range n { // rows whose magnitudes have the sum 1
		x.SetRow(i, linalg.Float64(*g.Features.Dense).RawRowView(i))
		row := mat.NewVecDense(f, x.RawRowView(i))
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
	h, hCorrupted := layer(x), layer(corrupted)
	summary := mat.NewVecDense(dims, nil) // σ(mean of the rows of H)
	for j := range dims {
		summary.SetVec(j, 1/(1+math.Exp(-mat.Sum(h.ColView(j))/n)))
	}
	want := 0.0
	for i := range n {
		// The probabilities that a node is taken for one of the graph: want high and low.
		genuine := 1 / (1 + math.Exp(-mat.Inner(h.RowView(i), m, summary)-e))
		fooled := 1 / (1 + math.Exp(-mat.Inner(hCorrupted.RowView(i), m, summary)-e))
		want -= (math.Log(genuine) + math.Log(1-fooled)) / (2 * n)
	}
	got := testutil.Value(c.update.differentiate(t.Context())).OrFatal(t)
	if !scalar.EqualWithinRel(got, want, 1e-5) {
		t.Errorf("loss %v, want %v", got, want)
	}
}

// TestDGIGradients compares the gradients of all weights with finite differences of the loss.
func TestDGIGradients(t *testing.T) {
	const seed = 7
	wantGradients(t, infomaxOf(t, filled(dgi{Dims: 3}), twelve(t), seed).update)
}

// TestPatience: a training with a patience of 3 ends after three epochs in a row without a lower loss,
// with the weights before the steps of the lowest. This holds with the weights on the host and on the
// device, and also for a training that is stopped before epoch 7 and goes on from its checkpoint.
func TestPatience(t *testing.T) {
	for _, resident := range []bool{false, true} {
		kept := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
		wantPatience(t, patienceRun{resident: resident, first: 1})
		wantPatience(t, patienceRun{resident: resident, first: 1, stop: 7, kept: kept})
		wantPatience(t, patienceRun{resident: resident, first: 7, kept: kept})
	}
}

// patienceRun is a training of [wantPatience].
type patienceRun struct {
	resident bool         // the weights are on the device
	first    int          // the epoch with which it has to begin
	stop     int          // the epoch before which it is stopped; 0: none
	kept     *store.Store // for checkpoints; nil: none
}

// wantPatience trains one weight, which each epoch sets to the epoch's number, with losses that are
// given. Unless the run is stopped, it has to end after epoch 8, the third after the lowest loss in
// epoch 5, with the weight before epoch 5, which is 4.
func wantPatience(t *testing.T, run patienceRun) {
	t.Helper()
	losses, enough := []float64{5, 4, 4.5, 4.2, 3, 3.5, 3, 3.1, 1}, errors.New("enough")
	tr := trainerOn(t, asMethod(dgi{}), twelve(t), choices(t)[0], run.resident)
	tr.o.Checkpoints = run.kept
	w := tr.weight(linalg.New(1, 1))
	tr.patience = 3
	last := 0 // epoch so far
	err := tr.train(t.Context(), len(losses), func(epoch int, _ *rand.Rand) (float64, error) {
		if last == 0 && epoch != run.first {
			t.Fatalf("begins with epoch %d, want %d", epoch, run.first)
		}
		if epoch == run.stop {
			return 0, errors.Join(enough, tr.save(epoch-1))
		}
		last = epoch
		tr.weights[w].Data[0] = float32(epoch)
		tr.place.reload(w)
		return losses[epoch-1], nil
	})
	testutil.NoError(t, tr.fetch())
	if run.stop > 0 {
		if !errors.Is(err, enough) {
			t.Fatalf("error %v, want that it was stopped", err)
		}
		return
	}
	testutil.NoError(t, err)
	if last != 8 {
		t.Errorf("%d epochs, want 8", last)
	}
	if got := tr.weights[w].Data[0]; got != 4 {
		t.Errorf("the weight after epoch %v, want the one after epoch 4", got)
	}
}

// TestContrastiveClusters: the published modes of DGI and NS4GC return the clusters of k-means with ten
// starts on rows of length 1. MostEpochs bounds their epochs, and the width of the embedding is the
// authors': for NS4GC that for Citeseer, because the graph has its name.
func TestContrastiveClusters(t *testing.T) {
	g := planted(t, 120)
	g.Catalogue = "citeseer"
	for name, width := range map[string]int{"DGI": 512, "NS4GC": 256} {
		m := testutil.Value(New(name, Settings{MostEpochs: 2, Published: true})).OrFatal(t)
		epochs := 0
		out := testutil.Value(m.Fit(t.Context(), g, Options{Clusters: 3, Seed: 4, Running: encoder.Running{Progress: func(encoder.Event) { epochs++ }}})).OrFatal(t)
		want := testutil.Value(cluster.KMeans(t.Context(), linalg.Normalize(out.Embedding), 3, cluster.KMeansOptions{Restarts: 10}, source(4))).OrFatal(t)
		if epochs != 2 {
			t.Errorf("%s: %d epochs, want 2", name, epochs)
		}
		if out.Embedding.Cols != width {
			t.Errorf("%s: width %d, want %d", name, out.Embedding.Cols, width)
		}
		if !m.Info().Clusters {
			t.Errorf("%s: Info says that it finds no clusters", name)
		}
		if !slices.Equal(out.Clusters, want.Labels) {
			t.Errorf("%s: clusters %v, want %v", name, out.Clusters, want.Labels)
		}
	}
}

// TestContrastive: after ten epochs of DGI and NS4GC, the clusters of k-means have an NMI of .35 or more
// with the classes of a planted graph or, if the test is long, of Cora. Full runs reach more than .5.
func TestContrastive(t *testing.T) {
	g := planted(t, 300)
	if testutil.IsLong() {
		g = testutil.LoadGraph(t, "cora")
	}
	for _, m := range []Method{asMethod(dgi{Epochs: 10}), asMethod(ns4gc{Epochs: 10})} {
		z, loss := embed(t, m, g, 1)
		found := testutil.Value(cluster.KMeans(t.Context(), linalg.Normalize(z), g.Classes, cluster.KMeansOptions{}, source(0))).OrFatal(t)
		nmi := metric.NMI(g.Labels, found.Labels)
		t.Logf("%s: loss %.4f to %.4f, NMI %.3f", m.Name(), loss[0], loss[len(loss)-1], nmi)
		if nmi < 0.35 {
			t.Errorf("%s: NMI %v", m.Name(), nmi)
		}
	}
}
