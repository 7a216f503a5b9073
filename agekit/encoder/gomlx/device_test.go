package gomlx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/internal/testutil"
)

// TestPrograms counts the programs that a training compiles, although its selections, and so its
// batches, have three or more different sizes: the training loop, the embedding and, with a GPU's
// exact ranking, the selection, once each. The result has their number and time, and the log a line
// about them.
func TestPrograms(t *testing.T) {
	g := SmallGraph(t)
	batchSizes := map[pairs.Ranking]int{
		pairs.Exact:   300, // a step encodes all nodes
		pairs.Sampled: 40,  // a step encodes only the gathered nodes of a batch
	}
	for _, choice := range choices(t) {
		for _, gpu := range []bool{false, true} {
			for ranking, batchSize := range batchSizes {
				c := Small()
				c.Ranking, c.BatchSize, c.EpochPairs, c.Anchors = ranking, batchSize, 200, 100
				want := 2 // the loop and the embedding
				if gpu && ranking == pairs.Exact {
					want = 3
				}
				what := fmt.Sprintf("%s, GPU %v, %v", choice.Name, gpu, ranking)
				logged := false
				report := func(e Event) { logged = logged || strings.Contains(e.Line, "programs compiled in") }
				r := MustTrain(t, g, c, Options{Backend: gomlxBackend{choice: choice, gpu: gpu}, Running: Running{Progress: report}})
				if r.Programs != want {
					t.Errorf("%s: %d programs compiled, want %d", what, r.Programs, want)
				}
				if r.Seconds.Compile <= 0 {
					t.Errorf("%s: compiling took %v s", what, r.Seconds.Compile)
				}
				if !logged {
					t.Errorf("%s: no line about compiled programs in the log", what)
				}
				sizes := map[int]bool{} // of the selections
				for _, s := range r.Members[0].Saved {
					sizes[s.Positives] = true
				}
				if len(sizes) < 3 { // a precondition
					t.Errorf("%s: %d numbers of positives only", what, len(sizes))
				}
			}
		}
	}
}

// TestGPUTrains compares a training by the code for GPUs, run by XLA wherever that is, with one on
// the native backend: the first loss to 1e-5, the number of positive pairs of every selection, and
// the thresholds to 2 %. Stopped after some epochs, it must resume to the same bytes ([Resume]).
func TestGPUTrains(t *testing.T) {
	g, c := SmallGraph(t), Small()
	native := MustTrain(t, g, c, Options{})
	b := forms(t)["integers"] // as a GPU adds up pairs
	r := MustTrain(t, g, c, Options{Backend: b})
	near(t, "first loss", r.Members[0].Loss[0], native.Members[0].Loss[0], 1e-5)
	for k, s := range r.Members[0].Saved {
		want := native.Members[0].Saved[k]
		if s.Positives != want.Positives {
			t.Errorf("%d positives, want %d", s.Positives, want.Positives)
		}
		if s.Positives > 0 { // the last epoch selects none
			near(t, "positive threshold", float64(s.PosThreshold), float64(want.PosThreshold), 0.02)
			near(t, "negative threshold", float64(s.NegThreshold), float64(want.NegThreshold), 0.02)
		}
	}
	stops := []int{7}
	if testutil.IsLong() {
		stops = []int{3, 7, 15}
	}
	Resume(t, b, stops...)
}

// TestDeviceMemoryTooSmall sets the environment variable that limits a device's memory. If the
// training does not fit, the error names the memory, the variable and smaller batches, and a value
// that is no size is an error, too.
func TestDeviceMemoryTooSmall(t *testing.T) {
	choice, err := backend.Resolve(backend.Go)
	testutil.NoError(t, err)
	g, c := SmallGraph(t), Small()
	t.Setenv("AGEKIT_DEVICE_MEMORY", "1MB")
	_, err = Train(t.Context(), g, c, Options{Backend: On(choice)})
	if err == nil || !strings.Contains(err.Error(), "only 1.0 MB is available ($AGEKIT_DEVICE_MEMORY)") || !strings.Contains(err.Error(), "smaller batches") {
		t.Errorf("error %v, want one that names the memory, the source of that number, and the batch size", err)
	}
	t.Setenv("AGEKIT_DEVICE_MEMORY", "lots")
	testutil.Value(Train(t.Context(), g, c, Options{Backend: On(choice)})).Fails(t, `"lots"`)
}

// TestDeviceMemoryForLess: where the training fits in the device's memory, but not the similarities
// of all pairs, the log says that the host selects; where the smoothed features do not fit, it says
// that the host gathers their rows for each batch.
func TestDeviceMemoryForLess(t *testing.T) {
	choice, err := backend.Resolve(backend.Go)
	testutil.NoError(t, err)
	g, c := SmallGraph(t), Small()
	// logWith returns the log of a training with just the memory that the form needs.
	logWith := func(c Options, f *dense) string {
		t.Setenv("AGEKIT_DEVICE_MEMORY", strconv.FormatInt(f.bytes(), 10))
		var lines []string
		MustTrain(t, g, c, Options{Backend: gomlxBackend{choice: choice, gpu: true}, Running: Running{Progress: func(e Event) { lines = append(lines, e.Line) }}})
		return strings.Join(lines, "\n")
	}
	_, f := g.Features.Dims()
	x := linalg.Narrow(g.N(), f)
	const gpu = true
	if lines := logWith(c, newDense(x, c.Dims, 2*c.BatchSize, gpu)); !strings.Contains(lines, "selection ran on the host") {
		t.Errorf("no line about selection on the host in %q", lines)
	}
	c.Ranking, c.BatchSize, c.EpochPairs, c.Anchors = pairs.Sampled, 20, 200, 100 // a batch has few nodes
	sent := newDense(x, c.Dims, 2*c.BatchSize, gpu)
	sent.resident = false
	if lines := logWith(c, sent); !strings.Contains(lines, "gathered for each batch by the host") {
		t.Errorf("no line about features on the host in %q", lines)
	}
}

// TestDeviceErrors: deviceError names the stage, and for an out-of-memory error, with XLA's text,
// also advises smaller batches. The cause stays wrapped.
func TestDeviceErrors(t *testing.T) {
	cause := errors.New("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1073741824 bytes")
	err := deviceError("training step", cause)
	if !errors.Is(err, cause) {
		t.Errorf("error %v does not wrap its cause", err)
	}
	if !strings.HasPrefix(err.Error(), "training step: ") || !strings.Contains(err.Error(), "smaller batches") {
		t.Errorf("error %v, want one with the stage and advice", err)
	}
	if err := deviceError("embedding", context.Canceled); err.Error() != "embedding: context canceled" {
		t.Errorf("error %v", err)
	}
}

// TestPieces fills the lists of pieceSums with random pairs, of which a third has row 1, so that
// this row has many pieces. For each row and other end, the sum of the numbers of the pairs in the
// row's pieces must be that of the batch's own pairs. The rows of the pieces must be sorted.
func TestPieces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct {
		n           int
		pairs, most int // pairs of a batch, and those for which the lists have room
	}{{5, 1, 1}, {50, 128, 128}, {50, 200, 300}, {3, 300, 300}, {1000, 40, 60}} {
		sums := newPieceSums(size.n, size.most)
		lists := buffers(sums.lists(), 1)
		for range 3 { // batches, because the lists are reused
			b := randomBatch(size.n, size.pairs, rnd)
			for k := range b.I {
				if k%3 == 0 {
					b.I[k] = 1
				}
			}
			sums.fill(lists, b)
			weights, rows, others, pairs := lists[3].([]float32), lists[4].([]int32), lists[5].([]int32), lists[6].([]int32)
			// Element (row, other end) of both is the sum of its pairs' numbers, from 1.
			got, want := make([]int, size.n*size.n), make([]int, size.n*size.n)
			for k := range b.I {
				want[int(b.I[k])*size.n+int(b.J[k])] += k + 1
				want[int(b.J[k])*size.n+int(b.I[k])] += k + 1
			}
			for p, pair := range pairs {
				if weights[pair] != 0 { // not padding
					got[int(rows[p/pieceLength])*size.n+int(others[p])] += int(pair) + 1
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: the rows' pairs differ", size)
			}
			if !slices.IsSorted(rows) {
				t.Errorf("%+v: rows %v are not sorted", size, rows)
			}
		}
	}
}

// TestGatheredEmbedsInto embeds twice into the same matrix, with other weights, and selects pairs
// after each. Both selections must have the threshold of [pairs.Select] for the matrix, to 1e-6,
// and so not that of the embedding that was overwritten. The model gathers the features of a
// batch's nodes.
func TestGatheredEmbedsInto(t *testing.T) {
	const d = 30
	const positives, negatives = 0.01, 0.5 // fractions of all pairs
	g := SmallGraph(t)
	_, input := inputs(t, g, Small().Filter)
	_, f := g.Features.Dims()
	for _, choice := range choices(t) {
		m := testutil.Value(On(choice).NewModel(input, step.InitialState(f, d, rand.New(rand.NewPCG(1, 1))), step.Steps{Loss: Probability, LearningRate: 0.001, Pairs: 50})).OrFatal(t)
		defer m.Close()
		if !strings.Contains(m.Product(), "gathered") { // a precondition
			t.Fatalf("features %s, want them gathered", m.Product())
		}
		z := linalg.New(g.N(), d)
		var thresholds []float32 // for negatives, of the two embeddings
		for seed := range uint64(2) {
			testutil.NoError(t, m.EmbedTo(t.Context(), z, step.InitialState(f, d, rand.New(rand.NewPCG(seed, 1))).Weights))
			s := testutil.Value(m.Select(t.Context(), z, positives, negatives, pairs.Options{})).OrFatal(t)
			want := testutil.Value(pairs.Select(t.Context(), z, positives, negatives, pairs.Options{})).OrFatal(t)
			near(t, "threshold", float64(s.PosThreshold), float64(want.PosThreshold), 1e-6)
			thresholds = append(thresholds, s.NegThreshold)
		}
		if thresholds[0] == thresholds[1] {
			t.Error("two embeddings give the same selection")
		}
	}
}

// TestResume stops a training on each GoMLX backend after epoch 7, between updates ([Resume]).
func TestResume(t *testing.T) {
	for _, choice := range choices(t) {
		t.Run(choice.Name, func(t *testing.T) { Resume(t, On(choice), 7) })
	}
}

// TestUnknownBackendIsAnError: a plugin file that does not exist is an error, and no panic.
func TestUnknownBackendIsAnError(t *testing.T) {
	c := backend.Choice{Name: "xla:cpu", Config: "xla:/no/such/plugin.so", Plugin: "/no/such/plugin.so"}
	if _, err := Train(t.Context(), SmallGraph(t), Small(), Options{Backend: On(c)}); err == nil {
		t.Error("no error for a missing plugin")
	}
}
