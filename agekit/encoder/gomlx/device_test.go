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

// TestPrograms trains with batches of many sizes, with both rankings and both ways to encode:
// the loop and the embedding are compiled once each, and on a GPU the selection, and the log
// says so.
func TestPrograms(t *testing.T) {
	g := SmallGraph(t)
	for _, choice := range choices(t) {
		for _, gpu := range []bool{false, true} {
			for mode, batch := range map[pairs.Ranking]int{pairs.Exact: 300, pairs.Sampled: 40} { // the latter gathers
				c := Small()
				c.Ranking, c.BatchSize, c.EpochPairs, c.Anchors = mode, batch, 200, 100
				want := 2
				if gpu && mode == pairs.Exact {
					want = 3
				}
				what := fmt.Sprintf("%s, GPU %v, %v", choice.Name, gpu, mode)
				var log []string
				r := MustTrain(t, g, c, Options{Backend: gomlxBackend{choice: choice, gpu: gpu}, Running: Running{Progress: func(e Event) { log = append(log, e.Line) }}})
				if r.Programs != want {
					t.Errorf("%s: %d programs compiled, want %d", what, r.Programs, want)
				}
				if r.Seconds.Compile <= 0 {
					t.Errorf("%s: compiling took %v s", what, r.Seconds.Compile)
				}
				if !slices.ContainsFunc(log, func(line string) bool { return strings.Contains(line, "programs compiled in") }) {
					t.Errorf("%s: no line about compiled programs in %q", what, log)
				}
				sizes := map[int]bool{}
				for _, s := range r.Members[0].Saved {
					sizes[s.Positives] = true
				}
				if len(sizes) < 3 {
					t.Errorf("%s: %d numbers of positives only", what, len(sizes))
				}
			}
		}
	}
}

// TestGPUTrains: what a GPU does selects the same numbers of pairs as the native step does, by
// nearly the same thresholds, and has the same bytes after it was stopped.
func TestGPUTrains(t *testing.T) {
	g, c := SmallGraph(t), Small()
	native := MustTrain(t, g, c, Options{})
	b := forms(t)["integers"]
	r := MustTrain(t, g, c, Options{Backend: b})
	near(t, "first loss", r.Members[0].Loss[0], native.Members[0].Loss[0], 1e-5)
	for k, s := range r.Members[0].Saved {
		want := native.Members[0].Saved[k]
		if s.Positives != want.Positives {
			t.Errorf("%d positives, want %d", s.Positives, want.Positives)
		}
		if s.Positives > 0 {
			near(t, "positive threshold", float64(s.PosThreshold), float64(want.PosThreshold), 0.02)
			near(t, "negative threshold", float64(s.NegThreshold), float64(want.NegThreshold), 0.02)
		}
	}
	stops := []int{7}
	if testutil.IsLong() {
		stops = []int{3, 7, 15}
	}
	Resume(t, b, stops...) // which trains from the beginning, too
}

// TestDeviceMemoryTooSmall: if training does not fit, the error says how much memory it needs
// and what to do. If the features do not fit, the host sends them; if the similarities do not
// fit, it ranks the pairs.
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

	log := func(c Options, f *dense) string {
		t.Setenv("AGEKIT_DEVICE_MEMORY", strconv.FormatInt(f.bytes(), 10))
		var lines []string
		MustTrain(t, g, c, Options{Backend: gomlxBackend{choice: choice, gpu: true}, Running: Running{Progress: func(e Event) { lines = append(lines, e.Line) }}})
		return strings.Join(lines, "\n")
	}
	_, f := g.Features.Dims()
	x := linalg.Narrow(g.N(), f)
	if lines := log(c, newDense(x, c.Dims, 2*c.BatchSize, true)); !strings.Contains(lines, "selection ran on the host") {
		t.Errorf("no line about selection on the host in %q", lines)
	}
	c.Ranking, c.BatchSize, c.EpochPairs, c.Anchors = pairs.Sampled, 20, 200, 100
	sent := newDense(x, c.Dims, 2*c.BatchSize, true)
	sent.resident = false
	if lines := log(c, sent); !strings.Contains(lines, "gathered for each batch by the host") {
		t.Errorf("no line about features on the host in %q", lines)
	}
}

// TestDeviceErrors: an out-of-memory error (with XLA's text) becomes advice,
// other errors keep their text.
func TestDeviceErrors(t *testing.T) {
	cause := errors.New("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1073741824 bytes")
	err := deviceError("training step", cause)
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "smaller batches") || !strings.HasPrefix(err.Error(), "training step: ") {
		t.Errorf("error %v", err)
	}
	if err := deviceError("embedding", context.Canceled); err.Error() != "embedding: context canceled" {
		t.Errorf("error %v", err)
	}
}

// TestPieces fills lists with batches of random pairs, some of which repeat
// one row many times. The pieces of each row must contain its pairs, as counted
// by brute force.
func TestPieces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ n, pairs, most int }{{5, 1, 1}, {50, 128, 128}, {50, 200, 300}, {3, 300, 300}, {1000, 40, 60}} {
		sums := newPieceSums(size.n, size.most)
		lists := buffers(sums.lists(), 1)
		for range 3 { // lists are reused
			b := randomBatch(size.n, size.pairs, rnd)
			for k := range b.I {
				if k%3 == 0 {
					b.I[k] = 1
				}
			}
			sums.fill(lists, b)
			weights, rows, others, pairs := lists[3].([]float32), lists[4].([]int32), lists[5].([]int32), lists[6].([]int32)
			got, want := make([]int, size.n*size.n), make([]int, size.n*size.n)
			for k := range b.I {
				want[int(b.I[k])*size.n+int(b.J[k])] += k + 1
				want[int(b.J[k])*size.n+int(b.I[k])] += k + 1
			}
			for p, pair := range pairs {
				if weights[pair] != 0 {
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

// TestGatheredEmbedsInto: selections on the device use the new embedding after
// it has overwritten the previous one.
func TestGatheredEmbedsInto(t *testing.T) {
	g := SmallGraph(t)
	_, input := inputs(t, g, Small().Filter)
	_, f := g.Features.Dims()
	for _, choice := range choices(t) {
		m := testutil.Value(On(choice).NewModel(input, step.InitialState(f, 30, rand.New(rand.NewPCG(1, 1))), step.Steps{Loss: Probability, LearningRate: 0.001, Pairs: 50})).OrFatal(t)
		defer m.Close()
		if !strings.Contains(m.Product(), "gathered") {
			t.Fatalf("features %s, want them gathered", m.Product())
		}
		z := linalg.New(g.N(), 30)
		var thresholds []float32
		for seed := range uint64(2) {
			testutil.NoError(t, m.EmbedTo(t.Context(), z, step.InitialState(f, 30, rand.New(rand.NewPCG(seed, 1))).Weights))
			s := testutil.Value(m.Select(t.Context(), z, 0.01, 0.5, pairs.Options{})).OrFatal(t)
			want := testutil.Value(pairs.Select(t.Context(), z, 0.01, 0.5, pairs.Options{})).OrFatal(t)
			near(t, "threshold", float64(s.PosThreshold), float64(want.PosThreshold), 1e-6)
			thresholds = append(thresholds, s.NegThreshold)
		}
		if thresholds[0] == thresholds[1] {
			t.Error("two embeddings give the same selection")
		}
	}
}

func TestResume(t *testing.T) {
	for _, choice := range choices(t) {
		t.Run(choice.Name, func(t *testing.T) { Resume(t, On(choice), 7) })
	}
}

func TestUnknownBackendIsAnError(t *testing.T) {
	c := backend.Choice{Name: "xla:cpu", Config: "xla:/no/such/plugin.so", Plugin: "/no/such/plugin.so"}
	if _, err := Train(t.Context(), SmallGraph(t), Small(), Options{Backend: On(c)}); err == nil {
		t.Error("no error for a missing plugin")
	}
}
