package gomlx

import (
	"context"
	"errors"
	"math"
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
	"github.com/agekit/age/internal/affine"
	"github.com/agekit/age/internal/testutil"
)

// devices returns every GoMLX backend, opened without a limit.
func devices(t *testing.T) map[string]*device {
	t.Helper()
	all := map[string]*device{}
	for _, choice := range choices(t) {
		d := testutil.Value(openDevice(choice, 0)).OrFatal(t)
		t.Cleanup(d.close)
		all[choice.Name] = d
	}
	return all
}

// TestDeviceGram compares every similarity of a device's blocks with a float64
// dot product to 1e-6 and checks that each pair is visited exactly once, for a
// matrix with itself and with other rows, where the last tile and the last
// blocks are not full.
func TestDeviceGram(t *testing.T) {
	const n, anchors, d = tileRows + 100, 130, 20
	z, other := RandomRows(n, d, 1), RandomRows(anchors, d, 2)
	for name, dev := range devices(t) {
		for _, symmetric := range []bool{true, false} {
			right := z
			if !symmetric {
				right = other
			}
			g, err := dev.Gram(z, right, symmetric)
			testutil.NoError(t, err)
			seen := make([]uint8, n*right.Rows)
			err = g.EachBlock(t.Context(), func(b linalg.GramBlock) {
				if b.Rows > linalg.GramRows || b.Cols > linalg.GramCols || b.Lo%linalg.GramRows != 0 {
					t.Errorf("%s: block of %d×%d at row %d", name, b.Rows, b.Cols, b.Lo)
				}
				for r := range b.Rows {
					for c, s := range b.Row(r) {
						i, j := b.Lo+r, b.From+c
						seen[i*right.Rows+j]++
						if (i*31+j)%97 != 0 { // a sample is enough
							continue
						}
						if want := dot64(linalg.Row(z, i), linalg.Row(right, j)); math.Abs(float64(s)-want) > 1e-6 {
							t.Errorf("%s: similarity of %d and %d is %v, want %v", name, i, j, s, want)
						}
					}
				}
			})
			testutil.NoError(t, err)
			for i := range n {
				for j := range right.Rows {
					count := seen[i*right.Rows+j]
					if want := !symmetric || j >= i; count > 1 || want && count == 0 {
						t.Fatalf("%s: pair %d, %d visited %d times", name, i, j, count)
					}
				}
			}
			g.Close()
		}
	}
}

// TestDeviceSelection compares both selections on Cora's smoothed features, on
// each device, with the host's. similarities differ by rounding, so the
// thresholds agree to 1e-6, and the positives agree except at the threshold.
func TestDeviceSelection(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	in, _ := inputs(t, g, Options{}.WithDefaults().Filter)
	z := linalg.Normalize(in.Smoothed)
	for name, dev := range devices(t) {
		for _, mode := range []pairs.Ranking{pairs.Exact, pairs.Sampled} {
			run := func(similar linalg.GramMaker) *pairs.Selection {
				var s *pairs.Selection
				var err error
				if mode == pairs.Exact {
					s, err = pairs.Select(t.Context(), z, 0.011, 0.1, pairs.Options{Draws: 100_000, Key: 1, Gram: similar})
				} else {
					s, err = pairs.SelectSampled(t.Context(), z, 0.011, 0.1, 300, 1<<30, rand.New(rand.NewPCG(1, 2)), pairs.Options{Gram: similar})
				}
				testutil.NoError(t, err)
				return s
			}
			got, want := run(dev.Gram), run(linalg.HostGram)
			near(t, name+" positive threshold", float64(got.PosThreshold), float64(want.PosThreshold), 1e-6)
			near(t, name+" negative threshold", float64(got.NegThreshold), float64(want.NegThreshold), 1e-5)
			if got.Positives != want.Positives || got.Negatives != want.Negatives || len(got.I) != len(want.I) {
				t.Errorf("%s, %v: %d, %d, %d pairs, want %d, %d, %d", name, mode, got.Positives, got.Negatives, len(got.I), want.Positives, want.Negatives, len(want.I))
			}
			listed := map[[2]int32]bool{}
			for k := range want.I {
				listed[[2]int32{want.I[k], want.J[k]}] = true
			}
			other := 0
			for k := range got.I {
				if !listed[[2]int32{got.I[k], got.J[k]}] {
					other++
				}
			}
			if other > len(want.I)/10000 {
				t.Errorf("%s, %v: %d of %d positives differ", name, mode, other, len(want.I))
			}
			// The shape of the tiles does not change which negatives are drawn.
			drawn := map[[2]int32]int{}
			draws := func(s *pairs.Selection, by int) {
				i, j, err := s.NextNegatives(t.Context(), 0, s.Drawn(), nil)
				testutil.NoError(t, err)
				for k := range i {
					drawn[[2]int32{i[k], j[k]}] += by
				}
			}
			draws(want, 1)
			draws(got, -1)
			other = 0
			for _, c := range drawn {
				other += max(c, -c)
			}
			if other > 2 || mode == pairs.Exact && want.Drawn() < 100_000 {
				t.Errorf("%s, %v: %d and %d negatives drawn, %d differ", name, mode, got.Drawn(), want.Drawn(), other)
			}
		}
	}
}

// TestPrograms trains with batches of many sizes, with both rankings and both
// ways to encode: step, embedding, and similarities of X̃ and of Ẑ are compiled once
// each, and the log says so.
func TestPrograms(t *testing.T) {
	choice := testutil.Value(backend.Resolve(backend.Go)).OrFatal(t)
	g := SmallGraph(t)
	const want = 4
	for mode, batch := range map[pairs.Ranking]int{pairs.Exact: 300, pairs.Sampled: 40} { // the latter gathers
		c := Small()
		c.Ranking, c.BatchSize, c.EpochPairs, c.Anchors = mode, batch, 200, 100
		var log []string
		r := MustTrain(t, g, c, Options{Backend: On(choice), Progress: func(e Event) { log = append(log, e.Message) }})
		if r.Programs != want {
			t.Errorf("%v: %d programs compiled, want %d", mode, r.Programs, want)
		}
		if r.Seconds.Compile <= 0 {
			t.Errorf("%v: compiling took %v s", mode, r.Seconds.Compile)
		}
		if !slices.ContainsFunc(log, func(line string) bool { return strings.Contains(line, "programs compiled in") }) {
			t.Errorf("%v: no line about compiled programs in %q", mode, log)
		}
		sizes := map[int]bool{}
		for _, s := range r.Members[0].Saved {
			sizes[s.Positives] = true
		}
		if len(sizes) < 3 {
			t.Errorf("%v: %d numbers of positives only", mode, len(sizes))
		}
	}
}

// TestDeviceMemoryTooSmall: if training does not fit, the error says how much
// memory it needs and what to do; if only training fits, everything else runs
// on the host.
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
	_, f := g.Features.Dims()
	t.Setenv("AGEKIT_DEVICE_MEMORY", strconv.FormatInt(newDense(linalg.New(g.N(), f), c.Dims, 2*c.BatchSize, newPieceSums).bytes(), 10))
	var log []string
	r := MustTrain(t, g, c, Options{Backend: On(choice), Progress: func(e Event) { log = append(log, e.Message) }})
	if !slices.ContainsFunc(log, func(line string) bool { return strings.HasPrefix(line, "selection ran on the host") }) {
		t.Errorf("no line about selection on the host in %q", log)
	}
	if r.Programs != 2 {
		t.Errorf("%d programs, want step and embedding", r.Programs)
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

// TestGramStops: no tile is computed once the context is done.
func TestGramStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	z := RandomRows(100, 5, 1)
	for name, dev := range devices(t) {
		g := testutil.Value(dev.Gram(z, z, true)).OrFatal(t)
		if err := g.EachBlock(ctx, func(linalg.GramBlock) { t.Errorf("%s: visited", name) }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
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
	_, in := inputs(t, g, Small().Filter)
	_, f := g.Features.Dims()
	for _, choice := range choices(t) {
		m := testutil.Value(On(choice).NewModel(in, affine.InitialState(f, 30, rand.New(rand.NewPCG(1, 1))), affine.Steps{Loss: Probability, LearningRate: 0.001, Pairs: 50})).OrFatal(t)
		defer m.Close()
		if !strings.Contains(m.Product(), "gathered") {
			t.Fatalf("features %s, want them gathered", m.Product())
		}
		z := linalg.New(g.N(), 30)
		var thresholds []float32
		for seed := range uint64(2) {
			testutil.NoError(t, m.EmbedTo(t.Context(), z, affine.InitialState(f, 30, rand.New(rand.NewPCG(seed, 1))).Weights))
			s := testutil.Value(pairs.Select(t.Context(), z, 0.01, 0.5, pairs.Options{Gram: m.Gram})).OrFatal(t)
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
