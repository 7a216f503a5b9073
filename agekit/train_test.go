package agekit

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

func TestSettings(t *testing.T) {
	g := load(t, small)
	want := encoder.Options{}.WithDefaults()
	want.Clusters = 3
	if c := Settings(g); c.Filter != want.Filter || c.Config != want.Config {
		t.Errorf("settings %+v, want %+v", c, want)
	}
}

// TestTrain: the first call computes the result; the second reads the same
// bytes from the store. Both equal the encoder's own result, also in best mode.
// Other settings give another result.
func TestTrain(t *testing.T) {
	g := load(t, small)
	c := Settings(g)
	c.Dims, c.Epochs, c.UpdateEvery, c.BatchSize, c.Seed = 24, 6, 2, 500, 7
	train := func() (r *encoder.Result, text string) {
		t.Helper()
		text = printed(t, func() {
			var err error
			if r, err = Train(g, c); err != nil {
				t.Fatal(err)
			}
		})
		return r, text
	}
	for _, c = range []encoder.Options{c.Best(), c} {
		first, text := train()
		if !regexp.MustCompile(`(?m)^training: computed in [\d.]+ s, saved for the next cell\n\z`).MatchString(text) {
			t.Errorf("the first time it printed %q", text)
		}
		second, text := train()
		if !regexp.MustCompile(`^training: from the store, in \d+ ms\n$`).MatchString(text) {
			t.Errorf("the second time it printed %q", text)
		}
		want := fit(t, g, c)
		for name, r := range map[string]*encoder.Result{"first": first, "second": second} {
			if err := sameRows(r.Embedding, want.Embedding); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for k, w := range want.Encoder.Weights {
				if err := sameRows(r.Encoder.Weights[k].W, w.W); err != nil || !slices.Equal(r.Encoder.Weights[k].B, w.B) {
					t.Errorf("%s: different weights of encoder %d: %v", name, k, err)
				}
			}
			if !slices.Equal(r.Labels, want.Labels) || r.DaviesBouldin != want.DaviesBouldin || r.LambdaMax != want.LambdaMax ||
				r.Encoder.Filter != want.Encoder.Filter || r.Backend != "native" || !reflect.DeepEqual(r.Members, want.Members) {
				t.Errorf("%s: %+v, want %+v", name, r, want)
			}
		}
	}
	before := must(Train(g, c))
	c.Seed++
	other, text := train()
	if !strings.Contains(text, "computed in") || sameRows(other.Embedding, before.Embedding) == nil {
		t.Errorf("with another seed it printed %q", text)
	}
	c.Epochs = -1
	testutil.Value(Train(g, c)).Fails(t, "training: epochs is -1")
	t.Setenv("AGEKIT_BACKEND", "tpu")
	testutil.Value(Train(g, c)).Fails(t, `unknown backend "tpu"`)
}

func fit(t *testing.T, g *graph.Graph, c encoder.Options) *encoder.Result {
	t.Helper()
	return testutil.Value(encoder.Fit(t.Context(), g, c)).OrFatal(t)
}

// TestScore uses two triangles as clusters: modularity is 1/2, no edge joins
// the two, and the scores are 1 if the clusters are the classes.
func TestScore(t *testing.T) {
	x := blas32.General{Rows: 6, Cols: 1, Stride: 1, Data: make([]float32, 6)}
	triangles := [][2]int32{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}}
	clusters, allInOne := []int{1, 1, 1, 0, 0, 0}, []int{0, 0, 0, 0, 0, 0}
	for _, test := range []struct {
		labels []int
		want   string
	}{
		{[]int{0, 0, 0, 1, 1, 1}, "right 1.000 1.000 1.000 1.000 0.500 0.000 all in one 0.500 0.000 0.000 0.333 0.000 0.000"},
		{nil, "right – – – – 0.500 0.000 all in one – – – – 0.000 0.000"},
	} {
		table := Score(fromEdges(t, x, test.labels, triangles...), []string{"right", "all in one"}, clusters, allInOne)
		if table.Show() != nil {
			t.Error(table.Show())
		}
		text := strings.Join(strings.Fields(table.Text), " ")
		if want := "ACC NMI ARI F1 modularity conductance " + test.want; text != want {
			t.Errorf("table %s, want %s", text, want)
		}
		if strings.Count(table.HTML, "<tr>") != 3 || strings.Count(table.HTML, "<td") != 14 {
			t.Errorf("page %s", table.HTML)
		}
	}
}

// TestSelect: only the direction of a row matters, and the selection matches
// the encoder's.
func TestSelect(t *testing.T) {
	x, _ := clouds()
	got := testutil.Value(Select(x, 0.1, 0.6)).OrFatal(t)
	if want := 640; len(got.I) != want { // of 80² ordered pairs
		t.Errorf("%d positive pairs, want %d", len(got.I), want)
	}
	unit := linalg.Normalize(x)
	lowest, cosines := math.Inf(1), []float64{}
	selected := map[[2]int32]bool{}
	for k := range got.I {
		selected[[2]int32{got.I[k], got.J[k]}] = true
	}
	for i := range 80 {
		for j := range 80 {
			c := 0.0
			for f := range 3 {
				c += float64(unit.Data[i*unit.Stride+f]) * float64(unit.Data[j*unit.Stride+f])
			}
			cosines = append(cosines, c)
			if selected[[2]int32{int32(i), int32(j)}] {
				lowest = min(lowest, c)
			}
		}
	}
	slices.Sort(cosines)
	if want := cosines[len(cosines)-640]; len(selected) != 640 || math.Abs(lowest-want) > 1e-6 || math.Abs(float64(got.PosThreshold)-want) > 1e-6 {
		t.Errorf("%d distinct pairs down to %v, threshold %v, want 640 down to %v", len(selected), lowest, got.PosThreshold, want)
	}
	testutil.Value(Select(x, 0, 0.6)).Fails(t, "no positive pairs")
	testutil.Value(Select(x, 0.7, 0.6)).Fails(t, "cross")
}
