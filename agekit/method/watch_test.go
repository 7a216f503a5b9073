package method

import (
	"errors"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/floats/scalar"
)

// looked is what a look saw.
type looked struct {
	epoch    int
	z        []float32
	clusters []int
	index    float64 // Davies–Bouldin
}

// watch returns what [Planned.Watch] returns for the method, and all that it looked at.
func watch(t *testing.T, m Method, g *graph.Graph) (out *Output, all []looked) {
	t.Helper()
	p := testutil.Value(Plan(m, g, Options{Clusters: 4, Seed: 1})).OrFatal(t)
	out = testutil.Value(p.Watch(t.Context(), func(epoch int, out *Output) error {
		all = append(all, looked{epoch, slices.Clone(out.Embedding.Data), slices.Clone(out.Clusters), out.Measures["DBI"]})
		return nil
	})).OrFatal(t)
	return out, all
}

// TestWatch, for a training of 12 epochs of each method: a run that is watched has the bytes of one that
// is not. It is looked at after each epoch, and what is seen after epoch 7 has the bytes of a training of 7
// epochs, and its Davies–Bouldin index, but for methods whose epochs depend on their number: DeepWalk's
// rate falls, and ARGA's published embedding is that before the last round.
func TestWatch(t *testing.T) {
	g := planted(t, 120)
	filter := laplacian.Filter{K: 2.0 / 3, Layers: 3}
	for name, training := range map[string]func(epochs int) Method{
		"DeepWalk":         func(n int) Method { return asMethod(deepWalk{Walks: n, Length: 10, Dims: 8, Window: 3}) },
		"GAE":              func(n int) Method { return asMethod(gae{Epochs: n}) },
		"VGAE":             func(n int) Method { return asMethod(vgae{Epochs: n}) },
		"DAEGC":            func(n int) Method { return asMethod(daegc{Epochs: n, Pretraining: 9, Hidden: 32}) },
		"DAEGC, published": func(n int) Method { return asMethod(daegc{Epochs: n, Pretraining: 9, Hidden: 32, Published: true}) },
		"GALA":             func(n int) Method { return asMethod(gala{Epochs: n, Hidden: 40, Dims: 20}) },
		"ARGA":             func(n int) Method { return asMethod(arga{Epochs: n}) },
		"ARGA, published":  func(n int) Method { return asMethod(arga{Epochs: n, Published: true}) },
		"ARVGA":            func(n int) Method { return asMethod(arga{Epochs: n, variational: true}) },
		"LS+RA":            func(n int) Method { return asMethod(lsra{Filter: filter, Epochs: n, Dims: 40}) },
		"LS+RX":            func(n int) Method { return asMethod(lsrx{Filter: filter, Epochs: n, Dims: 40}) },
		"NS4GC":            func(n int) Method { return asMethod(ns4gc{Epochs: n, Widths: []int{20, 10}}) },
		"NS4GC, published": func(n int) Method { return asMethod(ns4gc{Epochs: n, Widths: []int{20, 10}, Published: true}) },
	} {
		cluster4 := func(epochs int) *Output {
			return testutil.Value(Cluster(t.Context(), training(epochs), g, Options{Clusters: 4, Seed: 1})).OrFatal(t)
		}
		want := cluster4(12)
		got, all := watch(t, training(12), g)
		if !slices.Equal(got.Embedding.Data, want.Embedding.Data) || !slices.Equal(got.Clusters, want.Clusters) {
			t.Errorf("%s: watching changes the result", name)
		}
		if len(all) != 12 {
			t.Fatalf("%s: %d looks, want 12", name, len(all))
		}
		for k, look := range all {
			if look.epoch != k+1 {
				t.Errorf("%s: look %d is at epoch %d", name, k+1, look.epoch)
			}
		}
		if last := all[11]; !slices.Equal(last.z, want.Embedding.Data) || !slices.Equal(last.clusters, want.Clusters) {
			t.Errorf("%s: the last look is not at the result", name)
		}
		if name == "DeepWalk" || name == "ARGA, published" {
			continue
		}
		seen, short := all[6], cluster4(7)
		if !slices.Equal(seen.z, short.Embedding.Data) || !slices.Equal(seen.clusters, short.Clusters) {
			t.Errorf("%s: the look at epoch 7 is not at what a training of 7 epochs returns", name)
		}
		if index, known := short.Measures["DBI"]; known && !scalar.EqualWithinRel(seen.index, index, 1e-4) {
			t.Errorf("%s: Davies–Bouldin index %v, want %v", name, seen.index, index)
		}
	}
}

// TestWatchAGE: AGE is looked at after each selection, with the index by which it chooses among the epochs:
// so the look with the lowest index is at the result. The initial weights are not looked at.
func TestWatchAGE(t *testing.T) {
	g := planted(t, 120)
	m := testutil.Value(New("AGE", Settings{Filter: laplacian.Filter{K: 2.0 / 3, Layers: 3}, Config: encoder.Config{Epochs: 12, UpdateEvery: 5, Dims: 16}})).OrFatal(t)
	out, all := watch(t, m, g)
	best := slices.MinFunc(all, func(a, b looked) int {
		if a.index < b.index {
			return -1
		}
		return 1
	})
	if len(all) != 3 || all[2].epoch != 12 || !slices.Equal(best.z, out.Embedding.Data) {
		t.Errorf("%d looks, the last at epoch %d; the lowest index is at the result: %v", len(all), all[len(all)-1].epoch, slices.Equal(best.z, out.Embedding.Data))
	}
}

// TestWatchDGI: a training that its patience ends is last looked at as its result, that of the lowest loss.
func TestWatchDGI(t *testing.T) {
	g := planted(t, 120)
	out, all := watch(t, asMethod(dgi{Epochs: 400, Patience: 12, Dims: 20, LearningRate: 0.01}), g)
	last := all[len(all)-1]
	if len(all) < 2 || all[0].epoch != 10 || last.epoch >= 400 || !slices.Equal(last.z, out.Embedding.Data) {
		t.Errorf("%d looks from epoch %d to %d, the last at the result: %v", len(all), all[0].epoch, last.epoch, slices.Equal(last.z, out.Embedding.Data))
	}
}

// TestWatchStops: an error of a look is the run's, of AGE and of a method with a trainer.
func TestWatchStops(t *testing.T) {
	g, full := planted(t, 120), errors.New("seen enough")
	for _, m := range []Method{
		asMethod(gae{Epochs: 200}),
		testutil.Value(New("AGE", Settings{Filter: laplacian.Filter{K: 1, Layers: 1}, Config: encoder.Config{Epochs: 200, Dims: 16}})).OrFatal(t),
	} {
		p := testutil.Value(Plan(m, g, Options{Clusters: 4})).OrFatal(t)
		looks := 0
		_, err := p.Watch(t.Context(), func(int, *Output) error { looks++; return full })
		if !errors.Is(err, full) || looks != 1 {
			t.Errorf("%s: error %v after %d looks", m.Name(), err, looks)
		}
	}
}
