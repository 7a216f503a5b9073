package gomlx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/pairs"
	on "github.com/agekit/age/internal/device"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	mlx "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"
)

// openChoice opens a backend without a limit until the test ends.
func openChoice(t testing.TB, choice backend.Choice) *on.Device {
	t.Helper()
	d := testutil.Value(on.Open(choice, on.Need{What: "a test"})).OrFatal(t)
	t.Cleanup(d.Close)
	return d
}

// onEach runs a test on every GoMLX backend.
func onEach(t *testing.T, run func(t *testing.T, name string, d *on.Device)) {
	for _, choice := range choices(t) {
		t.Run(choice.Name, func(t *testing.T) { run(t, choice.Name, openChoice(t, choice)) })
	}
}

// choose returns the selection of s among the rows of z, which it sends to the device, for
// fractions of all pairs.
func choose(t interface{ Fatal(...any) }, s *selector, z blas32.General, positives, negatives float64, o pairs.Options) *pairs.Selection {
	rows := on.Matrix(z)
	defer rows.MustFinalizeAll()
	found, err := s.choose(context.Background(), z, rows, positives, negatives, o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// wholeRows returns n random rows of whole numbers from low to high, times a power of two that
// brings similarities into [−1, 1]. Products and sums of such numbers are exact in any order.
func wholeRows(n, d, low, high int, seed uint64) blas32.General {
	rnd := rand.New(rand.NewPCG(seed, 1))
	z := linalg.New(n, d)
	scale := 1.0
	for scale*scale*float64(d*max(low*low, high*high)) > 1 {
		scale /= 2
	}
	for i := range n {
		for c := range d {
			z.Data[i*z.Stride+c] = float32(scale * float64(low+rnd.IntN(high-low+1)))
		}
	}
	return z
}

// sameSelection requires two selections to have the same pairs and, to the bit, thresholds.
func sameSelection(got, want *pairs.Selection) error {
	switch {
	case got.Positives != want.Positives || got.Negatives != want.Negatives || got.Anchors != want.Anchors:
		return fmt.Errorf("%d positives, %d negatives, %d nodes: want %d, %d, %d", got.Positives, got.Negatives, got.Anchors, want.Positives, want.Negatives, want.Anchors)
	case got.PosThreshold != want.PosThreshold || got.NegThreshold != want.NegThreshold:
		return fmt.Errorf("thresholds %v and %v: want %v and %v", got.PosThreshold, got.NegThreshold, want.PosThreshold, want.NegThreshold)
	case !slices.Equal(got.I, want.I) || !slices.Equal(got.J, want.J):
		return fmt.Errorf("pairs %v, %v: want %v, %v", head(got.I), head(got.J), head(want.I), head(want.J))
	}
	return nil
}

// head returns the first 20 numbers, for messages.
func head(x []int32) []int32 { return x[:min(20, len(x))] }

// manyShares returns pairs of fractions of all pairs of n nodes, for positives and negatives, which
// range from one pair to all.
func manyShares(n int) [][2]float64 {
	onePair := 1 / float64(n*n)
	return [][2]float64{{0.01, 0.1}, {0.3, 0.9}, {onePair, 1 - onePair}, {0.5, 0.5}, {1, 0}, {0.9, 0.02}, {2 * onePair, 1 - 2*onePair}}
}

// isSelect compares selections of s, for manyShares, with those of [pairs.Select] on the host, pair
// by pair and to the bit.
func isSelect(t *testing.T, s *selector, z blas32.General) {
	t.Helper()
	for _, share := range manyShares(z.Rows) {
		positives, negatives := share[0], share[1]
		_, count := pairs.Counts(z.Rows, positives, negatives)
		if count > z.Rows*z.Rows || positives > 1 { // manyShares needs more than a single pair
			continue
		}
		got := choose(t, s, z, positives, negatives, pairs.Options{})
		want := testutil.Value(pairs.Select(t.Context(), z, positives, negatives, pairs.Options{})).OrFatal(t)
		if err := sameSelection(got, want); err != nil {
			t.Errorf("%d nodes, shares %v: %v", z.Rows, share, err)
		}
	}
}

// TestSelectorTies compares selections with those of the host (isSelect) for rows of which many
// pairs have the same, exact similarity, so that many tie with the last positive or negative pair.
// One program must serve them all.
func TestSelectorTies(t *testing.T) {
	const n, d = 129, 12
	const mostCandidates = 1000
	repeated, units, isolated := wholeRows(n, d, -3, 9, 1), linalg.New(n, d), wholeRows(n, d, 0, 4, 2)
	for i := range n {
		copy(linalg.Row(repeated, i), linalg.Row(repeated, i%7)) // seven different rows
		units.Data[i*units.Stride+i%5] = 1                       // five unit vectors
		if i%3 == 0 {                                            // every third row is zero
			clear(linalg.Row(isolated, i))
		}
	}
	onEach(t, func(t *testing.T, _ string, d *on.Device) {
		s := newSelector(d, n, repeated.Cols, n*n, mostCandidates)
		for name, z := range map[string]blas32.General{
			"repeated":       repeated,
			"units":          units,
			"isolated nodes": isolated,
			"zeros":          linalg.New(n, repeated.Cols),
			"few levels":     wholeRows(n, repeated.Cols, -1, 1, 3),
			"many levels":    wholeRows(n, repeated.Cols, -100, 100, 4),
			"negative":       opposite(wholeRows(n, repeated.Cols, 1, 5, 5)),
		} {
			t.Run(name, func(t *testing.T) { isSelect(t, s, z) })
		}
		if programs, _ := d.Compiled(); programs != 1 {
			t.Errorf("%d programs were compiled", programs)
		}
	})
}

// opposite negates every other row of z, in place, and returns z.
func opposite(z blas32.General) blas32.General {
	for i := 0; i < z.Rows; i += 2 {
		for c := range z.Cols {
			z.Data[i*z.Stride+c] *= -1
		}
	}
	return z
}

// TestSelectorSizes compares selections with those of the host (isSelect) for few rows, and for
// numbers of rows that fill words of 32 bits or not.
func TestSelectorSizes(t *testing.T) {
	const d, mostCandidates = 7, 100
	onEach(t, func(t *testing.T, name string, device *on.Device) {
		sizes := []int{1, 5, 64}
		if testutil.IsLong() || name == backend.Go { // which compiles nothing
			sizes = []int{1, 2, 3, 4, 5, 31, 32, 33, 64, 256}
		}
		for _, n := range sizes {
			isSelect(t, newSelector(device, n, d, n*n, mostCandidates), wholeRows(n, d, -9, 9, uint64(n)))
		}
	})
}

// TestSelectorRandom compares random selections with those of [pairs.Select] on the host, for up to
// 40 rows of small whole numbers, so that many pairs tie. XLA, which compiles for every number of
// rows, gets only 33.
func TestSelectorRandom(t *testing.T) {
	const d, mostCandidates = 3, 0
	onEach(t, func(t *testing.T, name string, device *on.Device) {
		made := map[int]*selector{} // by the number of rows
		rapid.Check(t, func(t *rapid.T) {
			n := 33
			if name == backend.Go {
				n = rapid.IntRange(1, 40).Draw(t, "nodes")
			}
			if made[n] == nil {
				made[n] = newSelector(device, n, d, n*n, mostCandidates)
			}
			low, high := rapid.IntRange(-3, 0).Draw(t, "low"), rapid.IntRange(0, 3).Draw(t, "high")
			z := wholeRows(n, d, low, high, rapid.Uint64().Draw(t, "seed"))
			positives, negatives := rapid.Float64Range(0, 1).Draw(t, "positives"), rapid.Float64Range(0, 1).Draw(t, "negatives")
			got := choose(t, made[n], z, positives, negatives, pairs.Options{})
			want, err := pairs.Select(context.Background(), z, positives, negatives, pairs.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := sameSelection(got, want); err != nil {
				t.Fatal(err)
			}
		})
	})
}

// TestRankPairs compares what a device ranks with a full sort of its keys (rankAgainstSorting), for
// similarities that are rounded: those of features and of an embedding of Cora's nodes.
func TestRankPairs(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	input, _ := inputs(t, g, encoder.Options{}.WithDefaults().Filter)
	_, f := g.Features.Dims()
	start := step.InitialState(f, 100, rand.New(rand.NewPCG(1, 2)))
	m := testutil.Value(step.Native.NewModel(input, start, step.Steps{Loss: step.Probability, LearningRate: 0.001, Pairs: 100})).OrFatal(t)
	defer m.Close()
	embedding := testutil.Value(step.Embed(t.Context(), m, g.N(), start.Weights)).OrFatal(t)
	onEach(t, func(t *testing.T, name string, d *on.Device) {
		for what, z := range map[string]blas32.General{"features": linalg.Normalize(input.Smoothed), "embedding": embedding} {
			if name == backend.Go {
				z.Rows = 300 // because all rows take a minute
			} else if !testutil.IsLong() {
				z.Rows = 1001
			}
			t.Run(what, func(t *testing.T) { rankAgainstSorting(t, d, z) })
		}
	})
}

// rankAgainstSorting ranks the pairs of the rows of z on a device (rankPairs) and sorts all pairs
// by the keys that the device has. The keys must be symmetric and those of similarities in float64,
// to 5e-6. Thresholds and positives must be those of the sorted pairs, and a candidate for a
// negative pair must be accepted if its key is at most the threshold's, and only then.
func rankAgainstSorting(t *testing.T, d *on.Device, z blas32.General) {
	const room = 7 // places in the list beyond the positives
	const candidates, seed = 3200, 1 << 63
	n := z.Rows
	positives, negatives := pairs.Counts(n, 0.011, 0.1) // the paper's first fractions for Cora
	p := d.Program(func(inputs []*mlx.Node) []*mlx.Node {
		keys := similarityKeys(inputs[0])
		r := rankPairs(keys, inputs[1], inputs[2], positives+room, candidates)
		return []*mlx.Node{keys, r.Thresholds, r.I, r.J, r.Accepted}
	})
	ranks := []uint64{uint64(positives), uint64(n*n - negatives + 1)} // of the last positive and the first negative pair
	out := testutil.Value(p.Call(on.Matrix(z), ranks, uint64(seed))).OrFatal(t)
	keys, width := fetch[uint32](out[0], out[0].Size()), out[0].Shape().Dim(1)
	thresholds, bits := fetch[uint32](out[1], 2), fetch[uint32](out[4], candidates/32)
	gotI, gotJ := fetch[int32](out[2], positives), fetch[int32](out[3], positives)

	type pair struct {
		key  uint32
		i, j int
	}
	byNode := func(a, b pair) int { return cmp.Or(cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j)) }
	var all []pair
	for i := range n {
		for j := range n {
			key := keys[i*width+j]
			all = append(all, pair{key, i, j})
			if key != keys[j*width+i] {
				t.Fatalf("the keys of (%d, %d) and (%d, %d) differ", i, j, j, i)
			}
			if (i*31+j)%97 > 0 { // the products in float64 take long: one in 97 of them
				continue
			}
			// On a GPU, a sum of 1,433 products in float32 was off by 2·10⁻⁶.
			if s := similarityOf(key); math.Abs(float64(s)-dot64(linalg.Row(z, i), linalg.Row(z, j))) > 5e-6 {
				t.Fatalf("the similarity of %d and %d is %v", i, j, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return cmp.Or(cmp.Compare(b.key, a.key), byNode(a, b)) })
	if want := []uint32{all[positives-1].key, all[n*n-negatives].key}; !slices.Equal(thresholds, want) {
		t.Fatalf("the keys at the ranks are %v, want %v", thresholds, want)
	}
	slices.SortFunc(all[:positives], byNode)
	for k, want := range all[:positives] {
		if int(gotI[k]) != want.i || int(gotJ[k]) != want.j {
			t.Fatalf("positive %d is (%d, %d), want (%d, %d)", k, gotI[k], gotJ[k], want.i, want.j)
		}
	}
	for k := range candidates {
		i, j := pairs.Candidate(seed, k, n)
		accepted, want := bits[k/32]>>(k%32)&1 == 1, keys[int(i)*width+int(j)] <= thresholds[1]
		if accepted != want {
			t.Fatalf("candidate %d, (%d, %d): accepted %v, want %v", k, i, j, accepted, want)
		}
	}
}

// TestOrderedKeys: the keys that a device gives to ascending numbers ascend, −0 and 0 have the same
// key, and similarityOf returns the number of a key.
func TestOrderedKeys(t *testing.T) {
	minusZero := float32(math.Copysign(0, -1))
	numbers := []float32{-math.MaxFloat32, -2, -1, -math.SmallestNonzeroFloat32, minusZero, 0, math.SmallestNonzeroFloat32, 0.25, 1, math.MaxFloat32}
	onEach(t, func(t *testing.T, _ string, d *on.Device) {
		p := d.Program(func(inputs []*mlx.Node) []*mlx.Node { return []*mlx.Node{orderedKeys(inputs[0])} })
		keys := fetch[uint32](testutil.Value(p.Call(numbers)).OrFatal(t)[0], len(numbers))
		for k, key := range keys {
			if similarityOf(key) != numbers[k] {
				t.Errorf("%v comes back as %v", numbers[k], similarityOf(key))
			}
			if k > 0 && (keys[k-1] == key) != (numbers[k-1] == numbers[k]) {
				t.Errorf("%v and %v: keys %d and %d", numbers[k-1], numbers[k], keys[k-1], key)
			}
		}
		if !slices.IsSorted(keys) {
			t.Errorf("keys %v are not sorted", keys)
		}
	})
}

// TestCandidatePairs: candidatePairs gives on a device the candidates of [pairs.Candidate] on the
// host, for few and for many nodes.
func TestCandidatePairs(t *testing.T) {
	const count = 640
	onEach(t, func(t *testing.T, _ string, d *on.Device) {
		for _, n := range []int{1, 3, 19717, 1 << 20} {
			p := d.Program(func(inputs []*mlx.Node) []*mlx.Node {
				i, j := candidatePairs(inputs[0], n, count)
				return []*mlx.Node{i, j}
			})
			for _, seed := range []uint64{0, 1, 1<<53 + 1, math.MaxUint64} {
				out := testutil.Value(p.Call(seed)).OrFatal(t)
				gotI, gotJ := fetch[int32](out[0], count), fetch[int32](out[1], count)
				for k := range count {
					if i, j := pairs.Candidate(seed, k, n); gotI[k] != i || gotJ[k] != j {
						t.Fatalf("seed %d, candidate %d of %d nodes is (%d, %d), want (%d, %d)", seed, k, n, gotI[k], gotJ[k], i, j)
					}
				}
			}
		}
	})
}

// TestSelectorNegatives: the negatives that a selection draws are the candidates
// ([pairs.Candidate]) whose similarity, computed in float64, is at most the threshold, in order.
// They must be as many as are asked for, or more. A precondition is that 20 candidates or more have
// just the threshold.
func TestSelectorNegatives(t *testing.T) {
	const n, draws = 150, 2000
	const positives, negatives = 0.02, 0.6 // fractions of all pairs
	z := wholeRows(n, 8, -2, 2, 1)         // few different similarities
	_, count := pairs.Counts(n, positives, negatives)
	candidates := pairs.Candidates(n, count, draws)
	onEach(t, func(t *testing.T, _ string, d *on.Device) {
		s := newSelector(d, n, z.Cols, n*n, candidates+500)
		for _, key := range []uint64{0, 5, 1 << 63} {
			got := choose(t, s, z, positives, negatives, pairs.Options{Draws: draws, Key: key})
			gotI, gotJ, err := got.NextNegatives(t.Context(), 0, got.Drawn(), nil)
			testutil.NoError(t, err)
			var wantI, wantJ []int32
			ties := 0 // candidates with just the threshold
			for k := range candidates {
				i, j := pairs.Candidate(key, k, n)
				similarity := float32(dot64(linalg.Row(z, int(i)), linalg.Row(z, int(j))))
				if similarity <= got.NegThreshold {
					wantI, wantJ = append(wantI, i), append(wantJ, j)
				}
				if similarity == got.NegThreshold {
					ties++
				}
			}
			if !slices.Equal(gotI, wantI) || !slices.Equal(gotJ, wantJ) {
				t.Errorf("key %d: %d negatives, want the %d that are up to the threshold", key, len(gotI), len(wantI))
			}
			if len(wantI) < draws || ties < 20 {
				t.Errorf("key %d: %d negatives, %d at the threshold, want %d and some", key, len(wantI), ties, draws)
			}
		}
	})
}

// TestSelectorFails: a context that is done, more positive pairs than there is room for, and a row
// with NaN are errors before any program is compiled. The last one is that of [pairs.Select].
func TestSelectorFails(t *testing.T) {
	const mostPositives, mostCandidates = 100, 100
	const positives, negatives = 0.01, 0.5 // fractions of all pairs
	z := wholeRows(40, 3, 1, 9, 1)
	for _, choice := range choices(t) {
		d := openChoice(t, choice)
		s := newSelector(d, z.Rows, z.Cols, mostPositives, mostCandidates)
		rows := on.Matrix(z)
		done, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.choose(done, z, rows, positives, negatives, pairs.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", choice.Name, err)
		}
		testutil.Value(s.choose(t.Context(), z, rows, 0.9, 0.95, pairs.Options{})).Fails(t, "there is room for 100")
		bad := linalg.New(z.Rows, z.Cols)
		bad.Data[17*bad.Stride] = float32(math.NaN())
		_, want := pairs.Select(t.Context(), bad, positives, negatives, pairs.Options{})
		testutil.Value(s.choose(t.Context(), bad, rows, positives, negatives, pairs.Options{})).Fails(t, want.Error())
		if programs, _ := d.Compiled(); programs > 0 || s.onHost {
			t.Errorf("%s: %d programs, on the host: %v", choice.Name, programs, s.onHost)
		}
	}
}

// TestSelectorOnHost: if the similarities do not fit in the device's memory, the selection is that
// of [pairs.Select], in all its parts.
func TestSelectorOnHost(t *testing.T) {
	const mostPositives, mostCandidates = 100, 100
	const positives, negatives = 0.01, 0.5 // fractions of all pairs
	z := wholeRows(40, 3, 1, 9, 1)
	t.Setenv("AGEKIT_DEVICE_MEMORY", "1kB")
	for _, choice := range choices(t) {
		s := newSelector(openChoice(t, choice), z.Rows, z.Cols, mostPositives, mostCandidates)
		o := pairs.Options{Draws: 10, Key: 3}
		got := choose(t, s, z, positives, negatives, o)
		want := testutil.Value(pairs.Select(t.Context(), z, positives, negatives, o)).OrFatal(t)
		if !s.onHost || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: on the host: %v, selection %+v, want %+v", choice.Name, s.onHost, got, want)
		}
	}
}

// BenchmarkSelection measures the first selection of Cora's training, from its smoothed
// features and with the negatives of an update, on the host and by XLA.
func BenchmarkSelection(b *testing.B) {
	c := encoder.Options{}.WithDefaults()
	pos, neg := c.Thresholds.PosStart, c.Thresholds.NegStart
	setup := func(b *testing.B) (z blas32.General, positives, negatives int, o pairs.Options) {
		input, _ := inputs(b, testutil.LoadGraph(b, "cora"), c.Filter)
		z = linalg.Normalize(input.Smoothed)
		positives, negatives = pairs.Counts(z.Rows, pos, neg)
		return z, positives, negatives, pairs.Options{Draws: 10 * positives, Key: 1}
	}
	testutil.BenchOne(b, "cora", "native", func(b *testing.B) func() error {
		z, _, _, o := setup(b)
		return func() error {
			_, err := pairs.Select(b.Context(), z, pos, neg, o)
			return err
		}
	})
	for _, choice := range choices(b) {
		if choice.Name == backend.Go {
			continue // takes half a minute
		}
		testutil.BenchOne(b, "cora", choice.Name, func(b *testing.B) func() error {
			z, positives, negatives, o := setup(b)
			s := newSelector(openChoice(b, choice), z.Rows, z.Cols, positives, pairs.Candidates(z.Rows, negatives, o.Draws))
			rows := on.Matrix(z)
			b.Cleanup(rows.MustFinalizeAll)
			return func() error {
				_, err := s.choose(b.Context(), z, rows, pos, neg, o)
				return err
			}
		})
	}
}
