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

// TestAllPairsRounds: of many positive pairs, epochs of one step take 100,000 in turn, and a
// selection lasts as many rounds as otherwise epochs, but an eighth of the training at most, or
// with the default epochs as many steps as in batches, up to 400. The paper's Cora has too few
// pairs for that, and Pubmed is the graph that needs it.
func TestAllPairsRounds(t *testing.T) {
	cora, pubmed := pairs.Thresholds{PosStart: 0.0110, PosEnd: 0.0010, NegStart: 0.1, NegEnd: 0.5}, pairs.Thresholds{PosStart: 0.0013, PosEnd: 0.0010, NegStart: 0.7, NegEnd: 0.8}
	for _, test := range []struct {
		n    int
		c    Config
		want int
	}{
		{2708, Config{BatchSize: AllPairs, Thresholds: cora}, 10},
		{19717, Config{BatchSize: AllPairs, Thresholds: pubmed}, 50},              // 505,382 pairs: 6 rounds of 10
		{19717, Config{BatchSize: AllPairs, Thresholds: pubmed, Epochs: 800}, 60}, // which 800 epochs have
		{19717, Config{BatchSize: AllPairs, Thresholds: pubmed, Epochs: 20}, 10},
		{19717, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Sampled}, 10},
		{19717, Config{Thresholds: pubmed}, 10},
	} {
		c := test.c.withDefaults()
		if got := c.updateEvery(test.n); got != test.want {
			t.Errorf("%d nodes, %+v: a selection every %d epochs, want %d", test.n, test.c, got, test.want)
		}
	}

	for _, test := range []struct {
		n                   int
		c                   Config
		epochs, updateEvery int
	}{
		{2708, Config{BatchSize: AllPairs, Thresholds: cora}, 400, 10},
		{3100, Config{BatchSize: AllPairs, Thresholds: cora}, 400, 110}, // 105,710 pairs: 11 batches, ten times
		{19717, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Exact}, 800, 400},
		{19717, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Exact, Epochs: 320}, 320, 10},
		{19717, Config{BatchSize: AllPairs, Thresholds: pubmed, Ranking: pairs.Exact, UpdateEvery: 20}, 400, 20},
		{19717, Config{Thresholds: pubmed}, 400, 10},
	} {
		c := test.c.withDefaults().For(test.n, 500).lengthened()
		if c.Epochs != test.epochs || c.UpdateEvery != test.updateEvery {
			t.Errorf("%d nodes, %+v: %d epochs with a selection every %d, want %d and %d", test.n, test.c, c.Epochs, c.UpdateEvery, test.epochs, test.updateEvery)
		}
		if again := c.lengthened(); again != c {
			t.Errorf("%+v becomes %+v the second time", c, again)
		}
	}

	const positives = 250_000
	selection := &pairs.Selection{Positives: positives, I: make([]int32, positives), J: make([]int32, positives)}
	for k := range selection.I {
		selection.I[k], selection.J[k] = int32(k), int32(-k)
	}
	c := Config{BatchSize: AllPairs, Ranking: pairs.Exact}.withDefaults()
	s := source{c: c, selection: selection}
	next := 0
	for epoch := 20; epoch < 23; epoch++ {
		i, j := s.positives(epoch)
		if len(i) != 100_000 || len(j) != len(i) {
			t.Fatalf("epoch %d has %d pairs, want 100,000", epoch, len(i))
		}
		for k := range i {
			if int(i[k]) != next%positives || j[k] != -i[k] {
				t.Fatalf("pair %d of epoch %d is (%d, %d), want (%d, %d)", k, epoch, i[k], j[k], next%positives, -(next % positives))
			}
			next++
		}
	}
	s.c.BatchSize = 10_000
	if i, _ := s.positives(20); len(i) != positives {
		t.Errorf("with batches, an epoch has %d of %d pairs", len(i), positives)
	}
}

// TestBestLayers: best mode has half of up to eight layers, rounded up, and keeps more.
func TestBestLayers(t *testing.T) {
	for layers, want := range map[int]int{1: 1, 3: 2, 8: 4, 9: 9, 35: 35} {
		o := Options{Filter: laplacian.Filter{Layers: layers}}
		if got := o.Best().Layers; got != want {
			t.Errorf("%d layers become %d, want %d", layers, got, want)
		}
	}
}

// TestShortRows: where one large entry decides the unit and the rows are short, a training of
// one step per epoch gets rows with a mean length from 1 to 2, which are those that the unit
// gives. With batches, or if the rows are long enough, the unit remains.
func TestShortRows(t *testing.T) {
	g := testutil.NinetyGraph(t)
	x := *g.Features.Sparse
	x.Values = slices.Repeat([]float32{0.03}, x.NNZ())
	x.Values[7] = 1
	short := *g
	short.Features = graph.Features{Sparse: &x}
	for _, test := range []struct {
		name   string
		g      *graph.Graph
		batch  int
		scaled bool
	}{{"all pairs", &short, AllPairs, true}, {"batches", &short, 0, false}, {"long rows", g, AllPairs, false}} {
		o := Options{Config: Config{BatchSize: test.batch}}
		input := testutil.Value(Prepare(t.Context(), test.g, o)).OrFatal(t)
		want := linalg.Narrow(test.g.Features.Dims())
		want.Data = make([]float32, len(input.Smoothed.Data))
		testutil.NoError(t, input.Filter.SmoothTo(t.Context(), want, input.Operator, test.g.Features, input.Unit))
		if !slices.Equal(input.Smoothed.Data, want.Data) {
			t.Errorf("%s: the smoothed features are not those of unit %v", test.name, input.Unit)
		}
		mean := 0.
		for i := range want.Rows {
			sum := 0.
			for _, v := range want.Data[i*want.Stride:][:want.Cols] {
				sum += float64(v) * float64(v)
			}
			mean += math.Sqrt(sum) / float64(want.Rows)
		}
		if (input.Unit < 1) != test.scaled || test.scaled && !(mean >= 1 && mean < 2) {
			t.Errorf("%s: unit %v, rows of mean length %v", test.name, input.Unit, mean)
		}
		input.Close()
	}
}
