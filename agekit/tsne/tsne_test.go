package tsne

import (
	"bytes"
	"cmp"
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

// golden holds what scikit-learn computes for 150 points X of five Gaussian clusters in eight dimensions: the
// first rows of P, the divergence and the gradient of a map with the places Y, and the divergence and
// the trustworthiness of its own final map.
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

// loadGolden returns the golden values, and their points X as a matrix.
func loadGolden(t *testing.T) (golden, blas32.General) {
	t.Helper()
	data := testutil.Value(os.ReadFile("testdata/sklearn.json")).OrFatal(t)
	var g golden
	testutil.NoError(t, json.Unmarshal(data, &g))
	return g, blas32.General{Rows: len(g.X), Cols: len(g.X[0]), Stride: len(g.X[0]), Data: slices.Concat(g.X...)}
}

// seeded returns random numbers with a fixed seed.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(7, 11)) }

// clusters returns n points around k random centers in f dimensions, and the number of each point's center.
// In each dimension, centers have the standard deviation distance, and points around theirs 1.
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

// TestMapAgainstScikitLearn compares the map of the golden points with scikit-learn's: the final
// divergence is at most 5 % higher, as scikit-learn's varies between its own seeds (0.524 to 0.560),
// and the trustworthiness, how well neighbors are preserved, at most 0.01 lower. Progress is reported
// every 25 iterations, and the divergence does not rise after the exaggeration, up to 2 % of noise.
func TestMapAgainstScikitLearn(t *testing.T) {
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
	const exaggerated = 250 // iterations
	for i := exaggerated / progressEvery; i < len(kls); i++ {
		if kls[i] > kls[i-1]*1.02 {
			t.Errorf("divergence rises from %v to %v after iteration %d", kls[i-1], kls[i], i*progressEvery)
		}
	}
}

// TestMapKeepsClusters checks a map of seven planted clusters: of the ten nearest neighbors of the
// points on the map, 95 % are of the point's cluster.
func TestMapKeepsClusters(t *testing.T) {
	x, labels := clusters(420, 80, 7, 2, seeded())
	y := testutil.Value(Map(t.Context(), x, Options{Iterations: 400}, seeded())).OrFatal(t)
	const neighbors = 10
	if purity := neighborPurity(y, labels, neighbors); purity < 0.95 {
		t.Errorf("%.3f of the 10 nearest neighbors have the point's label, want at least 0.95", purity)
	}
}

// TestMapSameBytesOnAnyNumberOfCores checks that the map has the same bytes on one, two and three
// cores, and again on one.
func TestMapSameBytesOnAnyNumberOfCores(t *testing.T) {
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

// TestMapStart checks maps that begin at an earlier one, which is turned by a quarter: each cluster
// stays nearest to where its center was, also with a sample. Places of another number of rows or
// columns, or that are not finite, are errors.
func TestMapStart(t *testing.T) {
	const n, k = 120, 3
	x, labels := clusters(n, 8, k, 4, rand.New(rand.NewPCG(3, 0)))
	first := testutil.Value(Map(t.Context(), x, Options{Iterations: 300}, rand.New(rand.NewPCG(1, 0)))).OrFatal(t)
	turned := newGeneral(n, 2) // by a quarter
	for i := range n {
		turned.Data[2*i], turned.Data[2*i+1] = -first.Data[2*i+1], first.Data[2*i]
	}
	centers := func(y blas32.General) (c [k]r2.Vec) { // mean place of each cluster
		for i, l := range labels {
			c[l] = r2.Add(c[l], r2.Scale(float64(k)/n, r2.Vec{X: float64(y.Data[2*i]), Y: float64(y.Data[2*i+1])}))
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
	notFinite := newGeneral(n, 2)
	notFinite.Data[2*n-1] = float32(math.NaN())
	for _, start := range []blas32.General{newGeneral(n-1, 2), newGeneral(n, 3), notFinite} {
		testutil.Value(Map(t.Context(), x, Options{Start: start}, rand.New(rand.NewPCG(2, 0)))).Fails(t, "Start")
	}
}

// TestMapStops checks that Map returns the context's error if the context is canceled by the first call
// of Progress, without another call, or before Map begins.
func TestMapStops(t *testing.T) {
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

// TestMapDegenerateInput checks that rows which could break a tree of points or the search for β give a
// finite place to each row.
func TestMapDegenerateInput(t *testing.T) {
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
			if _, err := centered(y); err != nil { // a place is not finite
				t.Error(err)
			}
			if y.Rows != x.Rows || y.Cols != 2 {
				t.Errorf("result is %d×%d, want %d×2", y.Rows, y.Cols, x.Rows)
			}
		})
	}
}

// TestMapRejects checks that too few rows, numbers that are not finite and options out of range are
// errors that name them. It also checks that a gradient at a place that is not finite is an error.
func TestMapRejects(t *testing.T) {
	x, _ := clusters(20, 3, 2, 1, seeded())
	bad := newGeneral(20, 3)
	bad.Data[7] = float32(math.NaN())
	for _, c := range []struct {
		x    blas32.General
		opts Options
		want string
	}{
		{x: newGeneral(3, 3), want: "3 points"},
		{x: bad, want: "row 2, column 1"},
		{x: x, opts: Options{Perplexity: 19}, want: "Perplexity"}, // n−1: want less
		{x: x, opts: Options{Perplexity: 1}, want: "Perplexity"},
		{x: x, opts: Options{Perplexity: math.NaN()}, want: "Perplexity"},
		{x: x, opts: Options{Iterations: -1}, want: "Iterations"},
	} {
		testutil.Value(Map(t.Context(), c.x, c.opts, seeded())).Fails(t, c.want)
	}
	// A tree of places that are not finite would never be done.
	p := testutil.Value(affinities(t.Context(), x, 5)).OrFatal(t)
	m := newLayout(p, theta, seeded())
	m.points[3].X = math.Inf(1)
	testutil.Fails(t, m.gradient(1), "diverged")
}

// ranked returns, for each row of x, the numbers of the other rows by increasing distance.
func ranked(x blas32.General) [][]int {
	order := make([][]int, x.Rows)
	for i := range order {
		for j := range x.Rows {
			if j != i {
				order[i] = append(order[i], j)
			}
		}
		slices.SortStableFunc(order[i], func(a, b int) int {
			return cmp.Compare(linalg.SquaredDistance(x, i, x, a), linalg.SquaredDistance(x, i, x, b))
		})
	}
	return order
}

// trustworthiness returns the measure of Venna and Kaski (2001) for the map y of the rows of x: 1 if
// the k nearest neighbors of each point of y are among the k nearest of its row in x. Each that is not
// costs how far its rank in x is beyond k.
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

// neighborPurity returns the fraction of the k nearest neighbors of the points of y that have the label of
// their point.
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
