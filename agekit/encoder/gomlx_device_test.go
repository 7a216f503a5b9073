package encoder

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/testgraph"
	"gonum.org/v1/gonum/blas/blas64"
)

// devices returns every GoMLX backend, opened without a limit.
func devices(t *testing.T) map[string]*device {
	t.Helper()
	all := map[string]*device{}
	for _, choice := range backends(t) {
		if choice.Name == backend.Native {
			continue
		}
		d, err := openDevice(choice, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(d.close)
		all[choice.Name] = d
	}
	return all
}

// TestDeviceGram holds every similarity of a device's blocks against a dot
// product in float64 to 1e-6, each pair exactly once: with a last tile and
// last blocks that are not full, of a matrix with itself and with other rows.
func TestDeviceGram(t *testing.T) {
	const n, anchors, d = tileRows + 100, 130, 20
	z, other := randomRows(n, d, 1), randomRows(anchors, d, 2)
	for name, dev := range devices(t) {
		for _, symmetric := range []bool{true, false} {
			right := z
			if !symmetric {
				right = other
			}
			g, err := dev.gram(z, right, symmetric)
			if err != nil {
				t.Fatal(err)
			}
			seen := make([]uint8, n*right.Rows)
			err = g.eachBlock(t.Context(), func(b gramBlock) {
				if b.rows > blockRows || b.cols > blockCols || b.lo%blockRows != 0 {
					t.Errorf("%s: block of %d×%d at row %d", name, b.rows, b.cols, b.lo)
				}
				for r := range b.rows {
					for c, s := range b.row(r) {
						i, j := b.lo+r, b.from+c
						seen[i*right.Rows+j]++
						if (i*31+j)%97 != 0 { // a part will do
							continue
						}
						if want := dot64(row(z, i), row(right, j)); math.Abs(float64(s)-want) > 1e-6 {
							t.Errorf("%s: similarity of %d and %d is %v, want %v", name, i, j, s, want)
						}
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range right.Rows {
					count := seen[i*right.Rows+j]
					if want := !symmetric || j >= i; count > 1 || want && count == 0 {
						t.Fatalf("%s: pair %d, %d seen %d times", name, i, j, count)
					}
				}
			}
			g.close()
		}
	}
}

// TestDeviceSelection: both selections on Cora's smoothed features, on each
// device, against the host's. Similarities differ by rounding, so the
// thresholds agree to 1e-6, and the positives but for those at the threshold.
func TestDeviceSelection(t *testing.T) {
	g := testgraph.Load(t, "cora")
	c := PaperConfig("cora")
	z := Normalize(inputs(t, g, c.K, c.Layers)["smoothed"].Smoothed)
	for name, dev := range devices(t) {
		for _, mode := range []Mode{Exact, Sampled} {
			run := func(similar gramMaker) *Selection {
				var s *Selection
				var err error
				if mode == Exact {
					s, err = selectExact(t.Context(), z, 0.011, 0.1, draws{100_000, 1}, similar, (*anchorRows).guess)
				} else {
					s, err = selectSampled(t.Context(), z, 0.011, 0.1, 300, 1<<30, rand.New(rand.NewPCG(1, 2)), similar, (*anchorRows).guess)
				}
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			got, want := run(dev.gram), run(hostGram)
			near(t, name+" positive threshold", float64(got.PosThreshold), float64(want.PosThreshold), 1e-6)
			near(t, name+" negative threshold", float64(got.NegThreshold), float64(want.NegThreshold), 1e-5)
			if got.Positives != want.Positives || got.Negatives != want.Negatives || len(got.I) != len(want.I) {
				t.Errorf("%s, %v: %d, %d, %d pairs, want %d, %d, %d", name, mode, got.Positives, got.Negatives, len(got.I), want.Positives, want.Negatives, len(want.I))
			}
			pairs := map[[2]int32]bool{}
			for k := range want.I {
				pairs[[2]int32{want.I[k], want.J[k]}] = true
			}
			other := 0
			for k := range got.I {
				if !pairs[[2]int32{got.I[k], got.J[k]}] {
					other++
				}
			}
			if other > len(want.I)/10000 {
				t.Errorf("%s, %v: %d of %d positives are others", name, mode, other, len(want.I))
			}
			// Tiles of another shape do not change which negatives are drawn.
			drawn := map[pair]int{}
			for _, p := range want.drawn {
				drawn[p]++
			}
			for _, p := range got.drawn {
				drawn[p]--
			}
			other = 0
			for _, c := range drawn {
				other += max(c, -c)
			}
			if other > 2 || mode == Exact && len(want.drawn) < 100_000 {
				t.Errorf("%s, %v: of %d and %d negatives drawn %d are others", name, mode, len(got.drawn), len(want.drawn), other)
			}
		}
	}
}

// TestDeviceAffinity: products to 1e-12 of those of cluster.Gram, with
// twice the columns of a program and padding in the stride; and the clusters
// of Cora's smoothed features, which are the same, node by node.
func TestDeviceAffinity(t *testing.T) {
	g := testgraph.Load(t, "cora")
	c := PaperConfig("cora")
	z := Normalize(inputs(t, g, c.K, c.Layers)["smoothed"].Smoothed)
	host := cluster.Gram(z)
	const columns = 16
	matrix := func() blas64.General {
		return blas64.General{Rows: z.Rows, Cols: columns, Stride: columns + 8, Data: make([]float64, z.Rows*(columns+8))}
	}
	x, want, got := matrix(), matrix(), matrix()
	rnd := rand.New(rand.NewPCG(1, 2))
	for k := range x.Data {
		x.Data[k] = rnd.NormFloat64()
	}
	if err := host.MulTo(t.Context(), want, x); err != nil {
		t.Fatal(err)
	}
	clusters := func(s cluster.Affinity) []int {
		r, err := cluster.Spectral(t.Context(), s, 7, cluster.SpectralOptions{}, rand.New(rand.NewPCG(3, 4)))
		if err != nil {
			t.Fatal(err)
		}
		return r.Labels
	}
	wantClusters := clusters(host)
	for name, dev := range devices(t) {
		s := dev.affinity(z)
		if err := s.MulTo(t.Context(), got, x); err != nil {
			t.Fatal(err)
		}
		if d := distance(got.Data, want.Data); d > 1e-12 {
			t.Errorf("%s: product differs by %v", name, d)
		}
		if !slices.Equal(clusters(s), wantClusters) {
			t.Errorf("%s: other clusters", name)
		}
		if dev.compiled != 1 {
			t.Errorf("%s: %d programs for one product", name, dev.compiled)
		}
	}
}

// TestPrograms trains with batches of many sizes, in both modes and both ways
// to encode: step, embedding, similarities of X̃ and of Ẑ, and the clustering's
// product are compiled once each, and the log says so.
func TestPrograms(t *testing.T) {
	choice, err := backend.Resolve(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	g := smallGraph(t)
	const want = 5
	for mode, batch := range map[Mode]int{Exact: 300, Sampled: 40} { // the latter gathers
		c := smallConfig()
		c.Mode, c.BatchSize, c.EpochPairs, c.Anchors = mode, batch, 200, 100
		var log []string
		r := fit(t, g, c, Options{Backend: choice, Progress: func(e Event) { log = append(log, e.Message) }})
		if r.Programs != want {
			t.Errorf("%v: %d programs compiled, want %d", mode, r.Programs, want)
		}
		if r.Seconds.Compile <= 0 {
			t.Errorf("%v: compiling took %v s", mode, r.Seconds.Compile)
		}
		if !slices.ContainsFunc(log, func(line string) bool { return strings.Contains(line, "programs compiled in") }) {
			t.Errorf("%v: no line about programs in %q", mode, log)
		}
		sizes := map[int]bool{}
		for _, s := range r.Saved {
			sizes[s.Positives] = true
		}
		if len(sizes) < 3 {
			t.Errorf("%v: %d numbers of positives only", mode, len(sizes))
		}
	}
}

// TestDeviceMemoryTooSmall: training that does not fit is an error that says
// how much is needed and what to do; with room for training alone, all else
// runs on the host.
func TestDeviceMemoryTooSmall(t *testing.T) {
	choice, err := backend.Resolve(backend.Go)
	if err != nil {
		t.Fatal(err)
	}
	g, c := smallGraph(t), smallConfig()
	t.Setenv(backend.MemoryVariable, "1MB")
	_, err = Fit(t.Context(), g, c, Options{Backend: choice})
	if err == nil || !strings.Contains(err.Error(), "there are 1.0 MB ($AGE_DEVICE_MEMORY)") || !strings.Contains(err.Error(), "--batch") {
		t.Errorf("error %v, want one that names the memory, where the figure comes from and --batch", err)
	}
	t.Setenv(backend.MemoryVariable, "lots")
	if _, err = Fit(t.Context(), g, c, Options{Backend: choice}); err == nil || !strings.Contains(err.Error(), `"lots"`) {
		t.Errorf("error %v, want one that names the value", err)
	}
	_, f := g.Features.Dims()
	t.Setenv(backend.MemoryVariable, strconv.FormatInt(stepBytes(g.N(), f, c.Dims, newPairLists(g.N(), 2*c.BatchSize)), 10))
	var log []string
	r := fit(t, g, c, Options{Backend: choice, Progress: func(e Event) { log = append(log, e.Message) }})
	for _, stage := range []string{"selection", "clustering"} {
		if !slices.ContainsFunc(log, func(line string) bool { return strings.HasPrefix(line, stage+" ran on the host") }) {
			t.Errorf("no line about %s on the host in %q", stage, log)
		}
	}
	if r.Programs != 2 {
		t.Errorf("%d programs, want step and embedding", r.Programs)
	}
}

// TestDeviceErrors: what a device says when its memory runs out (the text is
// XLA's) becomes advice; another error keeps its text; a failing product
// leaves a clustering as an error.
func TestDeviceErrors(t *testing.T) {
	cause := errors.New("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1073741824 bytes")
	err := deviceError("training step", cause)
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "--batch") || !strings.HasPrefix(err.Error(), "training step: ") {
		t.Errorf("error %v", err)
	}
	if err := deviceError("embedding", context.Canceled); err.Error() != "embedding: context canceled" {
		t.Errorf("error %v", err)
	}
	s := cluster.GramBy(randomRows(200, 5, 1), func(context.Context, blas64.General, blas64.General) error { return cause })
	if _, err := cluster.Spectral(t.Context(), s, 3, cluster.SpectralOptions{}, rand.New(rand.NewPCG(1, 2))); !errors.Is(err, cause) {
		t.Errorf("error %v, want the device's", err)
	}
}

// TestGramStops: no further tile once the context is done.
func TestGramStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	z := randomRows(100, 5, 1)
	for name, dev := range devices(t) {
		g, err := dev.gram(z, z, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.eachBlock(ctx, func(gramBlock) { t.Errorf("%s: visited", name) }); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestPairLists fills lists with batches of random pairs, some in one row
// over and over: adding up the pieces gives each row its pairs, counted by
// brute force.
func TestPairLists(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, size := range []struct{ n, pairs, most int }{{5, 1, 1}, {50, 128, 128}, {50, 200, 300}, {3, 300, 300}, {1000, 40, 60}} {
		l := newPairLists(size.n, size.most)
		for range 3 { // lists are used again and again
			b := randomBatch(size.n, size.pairs, rnd)
			for k := range b.I {
				if k%3 == 0 {
					b.I[k] = 1
				}
			}
			l.fill(b)
			got, want := make([]int, size.n*size.n), make([]int, size.n*size.n)
			for k := range b.I {
				want[int(b.I[k])*size.n+int(b.J[k])] += k + 1
				want[int(b.J[k])*size.n+int(b.I[k])] += k + 1
			}
			for p, pair := range l.pairs {
				if l.weights[pair] != 0 {
					got[int(l.rows[p/pieceLength])*size.n+int(l.others[p])] += int(pair) + 1
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: rows have other pairs", size)
			}
			if !slices.IsSorted(l.rows) {
				t.Errorf("%+v: rows %v are not sorted", size, l.rows)
			}
		}
	}
}

// TestGatheredEmbedsInto: an embedding that is written over the one before is
// the one that selections on the device see.
func TestGatheredEmbedsInto(t *testing.T) {
	g := smallGraph(t)
	in := inputs(t, g, 2.0/3, 4)["smoothed"]
	_, f := g.Features.Dims()
	for _, choice := range backends(t) {
		if choice.Name == backend.Native {
			continue
		}
		m, err := NewModel(choice, in, InitialState(f, 30, rand.New(rand.NewPCG(1, 1))), Probability, 0.001, 50)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		gathered := m.(*gatheredGoMLX)
		z := newEmbedding(g.N(), 30)
		var thresholds []float32
		for seed := range uint64(2) {
			if err := m.SetState(InitialState(f, 30, rand.New(rand.NewPCG(seed, 1)))); err != nil {
				t.Fatal(err)
			}
			if err := gathered.embedInto(t.Context(), z); err != nil {
				t.Fatal(err)
			}
			s, err := selectExact(t.Context(), z, 0.01, 0.5, draws{}, gathered.gram, (*anchorRows).guess)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Select(t.Context(), z, 0.01, 0.5)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "threshold", float64(s.PosThreshold), float64(want.PosThreshold), 1e-6)
			thresholds = append(thresholds, s.NegThreshold)
		}
		if thresholds[0] == thresholds[1] {
			t.Error("two embeddings, one selection")
		}
	}
}
