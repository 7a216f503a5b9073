package tsne

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/spatial/r2"
)

// golden holds what scikit-learn computes for 150 points of five Gaussian
// clusters in eight dimensions.
type golden struct {
	X                    [][]float32
	Labels               []int
	Perplexity           float64
	PFirstRows           [][]float64 `json:"p_first_rows"`
	Y                    [][2]float64
	KLAtY                float64      `json:"kl_at_y"`
	GradAtY              [][2]float64 `json:"grad_at_y"`
	FinalKL              float64      `json:"final_kl"`
	FinalTrustworthiness float64      `json:"final_trustworthiness"`
}

func loadGolden(t *testing.T) (golden, blas32.General) {
	t.Helper()
	data := testutil.Value(os.ReadFile("testdata/sklearn.json")).OrFatal(t)
	var g golden
	testutil.NoError(t, json.Unmarshal(data, &g))
	return g, blas32.General{Rows: len(g.X), Cols: len(g.X[0]), Stride: len(g.X[0]), Data: slices.Concat(g.X...)}
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(7, 11)) }

// clusters returns n points around k centers in f dimensions, and the center
// of each. Points have standard deviation 1 in each dimension, centers
// standard deviation distance.
func clusters(n, f, k int, distance float64, rnd *rand.Rand) (blas32.General, []int) {
	centers := newGeneral(k, f)
	for i := range centers.Data {
		centers.Data[i] = float32(distance * rnd.NormFloat64())
	}
	x, labels := newGeneral(n, f), make([]int, n)
	for i := range n {
		labels[i] = i % k
		for j := range f {
			x.Data[i*f+j] = centers.Data[labels[i]*f+j] + float32(rnd.NormFloat64())
		}
	}
	return x, labels
}

// TestEmbedAgainstScikitLearn checks that the final divergence and the
// neighbors preserved match scikit-learn's, within the variation between its
// own seeds (0.524 to 0.560).
func TestEmbedAgainstScikitLearn(t *testing.T) {
	g, x := loadGolden(t)
	var kls []float64
	y := testutil.Value(Map(t.Context(), x, Options{
		Perplexity: g.Perplexity,
		Progress:   func(_ int, kl float64) { kls = append(kls, kl) },
	}, seeded())).OrFatal(t)
	last := kls[len(kls)-1]
	trust := trustworthiness(x, y, 10)
	t.Logf("divergence %.4f (scikit-learn %.4f), trustworthiness %.4f (%.4f)", last, g.FinalKL, trust, g.FinalTrustworthiness)
	if last > 1.05*g.FinalKL {
		t.Errorf("divergence %v, want at most 5 %% above scikit-learn's %v", last, g.FinalKL)
	}
	if trust < g.FinalTrustworthiness-0.01 {
		t.Errorf("trustworthiness %v, want at least scikit-learn's %v minus 0.01", trust, g.FinalTrustworthiness)
	}
	if want := 750 / progressEvery; len(kls) != want {
		t.Errorf("%d progress calls, want %d", len(kls), want)
	}
	for i := 10; i < len(kls); i++ { // after the exaggeration
		if kls[i] > kls[i-1]*1.02 {
			t.Errorf("divergence rises from %v to %v after iteration %d", kls[i-1], kls[i], i*progressEvery)
		}
	}
}

// TestEmbedKeepsClusters: of planted clusters, nearly all of a point's nearest neighbors in the map are
// of its cluster.
func TestEmbedKeepsClusters(t *testing.T) {
	x, labels := clusters(420, 80, 7, 2, seeded())
	y := testutil.Value(Map(t.Context(), x, Options{Iterations: 400}, seeded())).OrFatal(t)
	if purity := neighborPurity(y, labels, 10); purity < 0.95 {
		t.Errorf("%.3f of the 10 nearest neighbors have the point's label, want at least 0.95", purity)
	}
}

// TestEmbedSameBytesOnAnyNumberOfCores: the map has the same bytes on one, two and three cores,
// and again on one.
func TestEmbedSameBytesOnAnyNumberOfCores(t *testing.T) {
	x, _ := clusters(300, 60, 5, 1, seeded())
	copy(x.Data[x.Stride:2*x.Stride], x.Data[:x.Stride]) // equal rows are separated by noise
	var first []byte
	for _, cores := range []int{1, 2, 3, 1} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
			y := testutil.Value(Map(t.Context(), x, Options{Iterations: 60}, seeded())).OrFatal(t)
			var b bytes.Buffer
			testutil.NoError(t, binary.Write(&b, binary.LittleEndian, y.Data))
			if first == nil {
				first = b.Bytes()
			} else if !bytes.Equal(first, b.Bytes()) {
				t.Errorf("%d cores: result differs from that of one core", cores)
			}
		}()
	}
}

// TestEmbedStart: a map that begins at an earlier one, turned by a quarter, keeps its
// arrangement, also with a sample; and an earlier map of something else is refused.
func TestEmbedStart(t *testing.T) {
	x, labels := clusters(120, 8, 3, 4, rand.New(rand.NewPCG(3, 0)))
	first := testutil.Value(Map(t.Context(), x, Options{Iterations: 300}, rand.New(rand.NewPCG(1, 0)))).OrFatal(t)
	turned := newGeneral(120, 2) // by a quarter
	for i := range 120 {
		turned.Data[2*i], turned.Data[2*i+1] = -first.Data[2*i+1], first.Data[2*i]
	}
	centers := func(y blas32.General) (c [3]r2.Vec) {
		for i, l := range labels {
			c[l] = r2.Add(c[l], r2.Scale(1/40., r2.Vec{X: float64(y.Data[2*i]), Y: float64(y.Data[2*i+1])}))
		}
		return c
	}
	want := centers(turned)
	for _, o := range []Options{{Iterations: 50, Start: turned}, {Iterations: 50, Start: turned, Sample: 60}} {
		y := testutil.Value(Map(t.Context(), x, o, rand.New(rand.NewPCG(2, 0)))).OrFatal(t)
		for l, c := range centers(y) {
			for other, w := range want {
				if other != l && r2.Norm(r2.Sub(c, w)) < r2.Norm(r2.Sub(c, want[l])) {
					t.Errorf("sample %d: the center of cluster %d is closer to where that of %d was", o.Sample, l, other)
				}
			}
		}
	}
	for _, start := range []blas32.General{newGeneral(119, 2), newGeneral(120, 3), {Rows: 120, Cols: 2, Stride: 2, Data: append(make([]float32, 239), float32(math.NaN()))}} {
		testutil.Value(Map(t.Context(), x, Options{Start: start}, rand.New(rand.NewPCG(2, 0)))).Fails(t, "Start")
	}
}

// TestEmbedStopsWhenTold: a context that is done during the progress, or before, ends the map.
func TestEmbedStopsWhenTold(t *testing.T) {
	x, _ := clusters(100, 10, 2, 1, seeded())
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err := Map(ctx, x, Options{Progress: func(int, float64) { calls++; cancel() }}, seeded())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if calls != 1 {
		t.Errorf("%d progress calls, want 1", calls)
	}
	if _, err := Map(ctx, x, Options{}, seeded()); !errors.Is(err, context.Canceled) {
		t.Errorf("with a canceled context: error %v, want context.Canceled", err)
	}
}

// TestEmbedDegenerateInput: inputs that could break a tree of points or the search for a bandwidth
// give a finite place to each row.
func TestEmbedDegenerateInput(t *testing.T) {
	random, _ := clusters(120, 6, 3, 2, seeded())
	half := newGeneral(120, 6)
	copy(half.Data, random.Data[:60*6])
	copy(half.Data[60*6:], random.Data[:60*6])
	line := newGeneral(120, 6)
	for i := range 120 {
		line.Data[6*i+2] = float32(i)
	}
	fewEqual := newGeneral(120, 6)
	copy(fewEqual.Data, random.Data)
	clear(fewEqual.Data[:50*6])
	wide := newGeneral(120, 6)
	for i := range wide.Data {
		wide.Data[i] = random.Data[i] * 1e37
	}
	for name, x := range map[string]blas32.General{
		"all rows equal":         newGeneral(120, 6),
		"each row twice":         half,
		"50 rows of zeros":       fewEqual,
		"points on a line":       line,
		"one column":             {Rows: 120, Cols: 1, Stride: 1, Data: random.Data[:120]},
		"four points":            {Rows: 4, Cols: 6, Stride: 6, Data: random.Data[:24]},
		"large values":           wide,
		"rows with a stride":     {Rows: 60, Cols: 6, Stride: 12, Data: random.Data},
		"more columns than rows": {Rows: 6, Cols: 100, Stride: 100, Data: random.Data[:600]},
	} {
		t.Run(name, func(t *testing.T) {
			y := testutil.Value(Map(t.Context(), x, Options{Iterations: 150}, seeded())).OrFatal(t)
			if _, err := centered(y); err != nil {
				t.Error(err)
			}
			if y.Rows != x.Rows || y.Cols != 2 {
				t.Errorf("result is %d×%d, want %d×2", y.Rows, y.Cols, x.Rows)
			}
		})
	}
}

// TestEmbedRejects: too few rows, numbers that are not finite and options out of range are errors
// that name them.
func TestEmbedRejects(t *testing.T) {
	x, _ := clusters(20, 3, 2, 1, seeded())
	bad := newGeneral(20, 3)
	bad.Data[7] = float32(math.NaN())
	for _, c := range []struct {
		x    blas32.General
		opts Options
		want string
	}{
		{newGeneral(3, 3), Options{}, "3 points"},
		{bad, Options{}, "row 2, column 1"},
		{x, Options{Perplexity: 19}, "Perplexity"},
		{x, Options{Perplexity: 1}, "Perplexity"},
		{x, Options{Perplexity: math.NaN()}, "Perplexity"},
		{x, Options{Iterations: -1}, "Iterations"},
	} {
		testutil.Value(Map(t.Context(), c.x, c.opts, seeded())).Fails(t, c.want)
	}
	// A tree of places that are not finite would never be done.
	p := testutil.Value(affinities(t.Context(), x, 5)).OrFatal(t)
	m := newLayout(p, theta, seeded())
	m.points[3].X = math.Inf(1)
	testutil.Fails(t, m.gradient(1), "diverged")
}

// ranked returns, for each row, the other rows by increasing distance.
func ranked(x blas32.General) [][]int {
	order := make([][]int, x.Rows)
	for i := range order {
		for j := range x.Rows {
			if j != i {
				order[i] = append(order[i], j)
			}
		}
		slices.SortStableFunc(order[i], func(a, b int) int {
			da, db := linalg.SquaredDistance(x, i, x, a), linalg.SquaredDistance(x, i, x, b)
			switch {
			case da < db:
				return -1
			case da > db:
				return 1
			}
			return 0
		})
	}
	return order
}

// trustworthiness is the measure of Venna and Kaski (2001): 1 when the k
// neighbors of each point of y are among its k neighbors in x.
func trustworthiness(x, y blas32.General, k int) float64 {
	inX, inY := ranked(x), ranked(y)
	n := x.Rows
	var penalty float64
	for i := range n {
		for _, j := range inY[i][:k] {
			penalty += float64(max(0, slices.Index(inX[i], j)+1-k))
		}
	}
	return 1 - penalty*2/float64(n*k*(2*n-3*k-1))
}

// neighborPurity is the fraction of the k nearest neighbors that have the
// label of their point.
func neighborPurity(y blas32.General, labels []int, k int) float64 {
	same := 0
	for i, order := range ranked(y) {
		for _, j := range order[:k] {
			if labels[i] == labels[j] {
				same++
			}
		}
	}
	return float64(same) / float64(y.Rows*k)
}
