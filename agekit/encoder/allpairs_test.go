package encoder

import (
	"math"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// The thresholds of two of the paper's data sets, and their numbers of nodes. Pubmed is the one
// with more than 100,000 positive pairs.
var (
	coraThresholds   = pairs.Thresholds{PosStart: 0.0110, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}
	pubmedThresholds = pairs.Thresholds{PosStart: 0.0013, PosEnd: 0.0010, NegStart: 0.7, NegEnd: 0.8}
)

const coraNodes, pubmedNodes = 2708, 19717

// TestUpdateEvery compares the epochs between two selections with those counted by hand. With
// AllPairs and more than 100,000 positive pairs, a selection lasts UpdateEvery rounds through its
// pairs, but at most an eighth of the training, or UpdateEvery epochs if those are more.
func TestUpdateEvery(t *testing.T) {
	cora, pubmed := coraThresholds, pubmedThresholds
	for _, test := range []struct {
		n    int
		c    Config
		want int // epochs from one selection to the next
	}{
		{coraNodes, Config{BatchSize: AllPairs, Thresholds: cora}, 10},                             // too few pairs
		{pubmedNodes, Config{BatchSize: AllPairs, Thresholds: pubmed}, 50},                         // 505,382 pairs, so 60 for ten rounds: an eighth of 400
		{pubmedNodes, Config{BatchSize: AllPairs, Thresholds: pubmed, Epochs: 800}, 60},            // less than an eighth of 800
		{pubmedNodes, Config{BatchSize: AllPairs, Thresholds: pubmed, Epochs: 20}, 10},             // more than an eighth of 20
		{pubmedNodes, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Sampled}, 10}, // a sampled ranking has no rounds
		{pubmedNodes, Config{Thresholds: pubmed}, 10},                                              // in batches
	} {
		c := test.c.withDefaults()
		if got := c.updateEvery(test.n); got != test.want {
			t.Errorf("%d nodes, %+v: a selection every %d epochs, want %d", test.n, test.c, got, test.want)
		}
	}
}

// TestLengthened compares the schedule of a training of AllPairs with the one counted by hand. If
// its epochs are the default ones and its pairs more than 100,000, a selection lasts as many steps
// as ten epochs in batches of 10,000, up to 400, and there are two selections or more. A second
// call changes nothing.
func TestLengthened(t *testing.T) {
	cora, pubmed := coraThresholds, pubmedThresholds
	const features = 500
	for _, test := range []struct {
		n                   int
		c                   Config
		epochs, updateEvery int // wanted
	}{
		{coraNodes, Config{BatchSize: AllPairs, Thresholds: cora}, 400, 10}, // too few pairs
		{3100, Config{BatchSize: AllPairs, Thresholds: cora}, 400, 110},     // 105,710 pairs: 11 batches, ten times
		{pubmedNodes, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Exact}, 800, 400},
		{pubmedNodes, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Exact, Epochs: 320}, 320, 10},
		{pubmedNodes, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Exact, UpdateEvery: 20}, 400, 20},
		{pubmedNodes, Config{Thresholds: pubmed}, 400, 10}, // in batches
	} {
		c := test.c.withDefaults().For(test.n, features).lengthened()
		if c.Epochs != test.epochs || c.UpdateEvery != test.updateEvery {
			t.Errorf("%d nodes, %+v: %d epochs with a selection every %d, want %d and %d", test.n, test.c, c.Epochs, c.UpdateEvery, test.epochs, test.updateEvery)
		}
		if again := c.lengthened(); again != c {
			t.Errorf("%+v becomes %+v the second time", c, again)
		}
	}
}

// TestAllPairsRounds: three epochs of one step take 100,000 of 250,000 positive pairs each, in
// turn, and start over at the end. In batches, an epoch has all pairs.
func TestAllPairsRounds(t *testing.T) {
	const positives = 250_000
	const first, end = 20, 23 // epochs: the first one of a selection, and the one after the last
	selection := &pairs.Selection{Positives: positives, I: make([]int32, positives), J: make([]int32, positives)}
	for k := range selection.I {
		selection.I[k], selection.J[k] = int32(k), int32(-k) // pair k tells its number
	}
	c := Config{BatchSize: AllPairs, Ranking: pairs.Exact}.withDefaults()
	s := source{c: c, selection: selection}
	next := 0 // the number of the next pair, without starting over
	for epoch := first; epoch < end; epoch++ {
		i, j := s.positives(epoch)
		if len(i) != 100_000 || len(j) != len(i) {
			t.Fatalf("epoch %d has %d pairs, want 100,000", epoch, len(i))
		}
		for k := range i {
			want := next % positives
			if int(i[k]) != want || int(j[k]) != -want {
				t.Fatalf("pair %d of epoch %d is (%d, %d), want (%d, %d)", k, epoch, i[k], j[k], want, -want)
			}
			next++
		}
	}
	s.c.BatchSize = 10_000
	if i, _ := s.positives(first); len(i) != positives {
		t.Errorf("with batches, an epoch has %d of %d pairs", len(i), positives)
	}
}

// TestBestLayers: best mode halves the number of layers, rounded up, if there are eight or fewer,
// and keeps more than eight.
func TestBestLayers(t *testing.T) {
	for layers, want := range map[int]int{1: 1, 3: 2, 8: 4, 9: 9, 35: 35} {
		o := Options{Filter: laplacian.Filter{Layers: layers}}
		if got := o.Best().Layers; got != want {
			t.Errorf("%d layers become %d, want %d", layers, got, want)
		}
	}
}

// TestShortRows: for a training with AllPairs, Prepare lowers the unit of the features if the rows
// of X̃ are short, to a mean length from 1 to 2. With batches, or if the rows are long enough, the
// unit is not lowered. In any case, X̃ must be what the filter gives for the unit.
func TestShortRows(t *testing.T) {
	g := testutil.NinetyGraph(t)
	x := *g.Features.Sparse
	x.Values = slices.Repeat([]float32{0.03}, x.NNZ()) // short rows
	x.Values[7] = 1                                    // the largest entry, which decides the unit
	short := *g
	short.Features = graph.Features{Sparse: &x}
	const defaultBatch = 0
	for _, test := range []struct {
		name   string
		g      *graph.Graph
		batch  int
		scaled bool // the unit is lowered
	}{
		{"all pairs", &short, AllPairs, true},
		{"batches", &short, defaultBatch, false},
		{"long rows", g, AllPairs, false},
	} {
		o := Options{Config: Config{BatchSize: test.batch}}
		input := testutil.Value(Prepare(t.Context(), test.g, o)).OrFatal(t)
		want := linalg.Narrow(test.g.Features.Dims())
		want.Data = make([]float32, len(input.Smoothed.Data))
		testutil.NoError(t, input.Filter.SmoothTo(t.Context(), want, input.Operator, test.g.Features, input.Unit))
		if !slices.Equal(input.Smoothed.Data, want.Data) {
			t.Errorf("%s: the smoothed features are not those of unit %v", test.name, input.Unit)
		}
		mean := 0. // length of the rows
		for i := range want.Rows {
			sum := 0.
			for _, v := range want.Data[i*want.Stride:][:want.Cols] {
				sum += float64(v) * float64(v)
			}
			mean += math.Sqrt(sum) / float64(want.Rows)
		}
		if scaled := input.Unit < 1; scaled != test.scaled {
			t.Errorf("%s: unit %v, with rows of mean length %v", test.name, input.Unit, mean)
		}
		if test.scaled && !(mean >= 1 && mean < 2) {
			t.Errorf("%s: unit %v, rows of mean length %v, want 1 to 2", test.name, input.Unit, mean)
		}
		input.Close()
	}
}
