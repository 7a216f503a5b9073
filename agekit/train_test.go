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

// TestSettings: a graph that is none of the paper's data sets gets the default settings, with one
// cluster per class.
func TestSettings(t *testing.T) {
	g := load(t, small)
	want := encoder.Options{}.WithDefaults()
	want.Clusters = 3
	if c := Settings(g); c.Filter != want.Filter || c.Config != want.Config {
		t.Errorf("settings %+v, want %+v", c, want)
	}
}

// TestTrain: the first call computes the result, and the second reads it from the store. Both
// results equal that of encoder.Fit, in best mode as well as without. Another seed gives
// another result. Wrong settings and an unknown backend are errors.
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
			if !slices.Equal(r.Labels, want.Labels) || r.DaviesBouldin != want.DaviesBouldin || !reflect.DeepEqual(r.Members, want.Members) {
				t.Errorf("%s: the clusters or scores are those of %+v, want %+v", name, r, want)
			}
			if r.LambdaMax != want.LambdaMax || r.Encoder.Filter != want.Encoder.Filter || r.Backend != "native" {
				t.Errorf("%s: λmax %v, filter %+v on %s, want %v and %+v on native", name, r.LambdaMax, r.Encoder.Filter, r.Backend, want.LambdaMax, want.Encoder.Filter)
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

// fit returns the result of encoder.Fit.
func fit(t *testing.T, g *graph.Graph, c encoder.Options) *encoder.Result {
	t.Helper()
	return testutil.Value(encoder.Fit(t.Context(), g, c)).OrFatal(t)
}

// TestScore compares with scores by hand, for two triangles without an edge between them. If the
// triangles are the clusters, modularity is 1/2 and conductance 0, and the scores by classes,
// if there are any, are 1. Six nodes in one cluster have ACC 1/2.
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
		const rows, cells = 3, 2 * 7 // with the header; cells below the header
		if strings.Count(table.HTML, "<tr>") != rows || strings.Count(table.HTML, "<td") != cells {
			t.Errorf("page %s", table.HTML)
		}
	}
}

// TestSelect: the positive pairs are the tenth of all pairs of rows with the highest cosines,
// computed and sorted here, so only the direction of a row matters. Thresholds without
// positive pairs, and those that cross, are errors.
func TestSelect(t *testing.T) {
	x, _ := clouds()
	const positives = 640 // a tenth of the 80² ordered pairs
	got := testutil.Value(Select(x, 0.1, 0.6)).OrFatal(t)
	if len(got.I) != positives {
		t.Errorf("%d positive pairs, want %d", len(got.I), positives)
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
	want := cosines[len(cosines)-positives] // the lowest of a positive pair
	if len(selected) != positives || math.Abs(lowest-want) > 1e-6 {
		t.Errorf("%d distinct pairs down to %v, want %d down to %v", len(selected), lowest, positives, want)
	}
	if math.Abs(float64(got.PosThreshold)-want) > 1e-6 {
		t.Errorf("threshold %v, want %v", got.PosThreshold, want)
	}
	testutil.Value(Select(x, 0, 0.6)).Fails(t, "no positive pairs")
	testutil.Value(Select(x, 0.7, 0.6)).Fails(t, "cross")
}
