package laplacian_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// golden holds reference values of a data set, computed with numpy and scipy in float64: λmax and, for
// each filter ("k=2/3,t=8"), figures of the smoothed features.
type golden struct {
	LambdaMax float64 `json:"lambda_max"`
	Smoothed  map[string]struct {
		Frobenius, Sum    float64
		Nonzeros          int
		Entries           [][3]float64 // row, column and value
		RayleighOfColumns [][2]float64 `json:"rayleigh_of_columns"`
	}
}

// TestSmoothGolden compares smoothed features and the Rayleigh quotients of their columns with scipy's
// ([golden]), to a relative 1e-5, since the features here are float32.
func TestSmoothGolden(t *testing.T) {
	names := []string{"cora", "citeseer", "wiki"}
	if testing.Short() { // for the other SIMD levels, whose kernels are the same on all graphs
		names = names[:1]
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			g := testutil.LoadGraph(t, name)
			var want golden
			data := testutil.Value(os.ReadFile("testdata/" + name + ".json")).OrFatal(t)
			testutil.NoError(t, json.Unmarshal(data, &want))
			op := laplacian.New(g.Adjacency)
			for key, w := range want.Smoothed {
				var f laplacian.Filter
				var k string
				if _, err := fmt.Sscanf(strings.Replace(key, ",", " ", 1), "k=%s t=%d", &k, &f.Layers); err != nil {
					t.Fatalf("%q: %v", key, err)
				}
				f.K = map[string]float64{"2/3": 2.0 / 3, "1": 1, "1/2": 0.5, "1/lambda_max": 1 / want.LambdaMax}[k]
				x := testutil.Value(f.Smooth(t.Context(), op, g.Features)).OrFatal(t)
				var squares, sum float64
				for i := range x.Rows {
					for _, v := range x.Data[i*x.Stride : (i+1)*x.Stride] { // with the padding, which must be zero
						squares += float64(v) * float64(v)
						sum += float64(v)
					}
				}
				near(t, key+" Frobenius norm", math.Sqrt(squares), w.Frobenius, 1e-5)
				near(t, key+" sum", sum, w.Sum, 1e-5)
				for _, e := range w.Entries {
					got := float64(x.Data[int(e[0])*x.Stride+int(e[1])])
					near(t, fmt.Sprintf("%s entry (%v, %v)", key, e[0], e[1]), got, e[2], 1e-5)
				}
				quotients := op.RayleighQuotients(x)
				for _, r := range w.RayleighOfColumns {
					near(t, fmt.Sprintf("%s Rayleigh quotient of column %v", key, r[0]), quotients[int(r[0])], r[1], 1e-5)
				}
			}
		})
	}
}

// near checks that got is want up to a relative tolerance.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: got %v, want %v to %v relative", what, got, want, relative)
	}
}

// randomGraph draws the adjacency matrix of a graph of 1 to 30 nodes, weighted or not, and sparse
// features of its nodes.
func randomGraph(t *rapid.T) (*graph.CSR, *graph.CSR) {
	n := rapid.IntRange(1, 30).Draw(t, "nodes")
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	var u, v []int32
	var w []float32
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		u = append(u, rnd.Int32N(int32(n)))
		v = append(v, rnd.Int32N(int32(n)))
		w = append(w, 0.1+rnd.Float32())
	}
	if rapid.Bool().Draw(t, "binary") {
		w = nil
	}
	a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
	cols := rapid.IntRange(1, 150).Draw(t, "features")
	var entries []graph.Entry
	for range rapid.IntRange(0, 5*n).Draw(t, "words") {
		entries = append(entries, graph.Entry{Row: rnd.Int32N(int32(n)), Col: rnd.Int32N(int32(cols)), Value: rnd.Float32()})
	}
	return a, graph.FromEntries(n, cols, entries)
}

// denseLaplacian returns L̃sym of the graph with adjacency matrix a by its definition, in float64.
func denseLaplacian(a *graph.CSR) *mat.Dense {
	n := a.Rows
	l := mat.NewDense(n, n, nil)
	degree := make([]float64, n)
	loop := 1. // w̄, the mean weight
	if len(a.Values) > 0 {
		loop = 0
		for _, w := range a.Values {
			loop += float64(w) / float64(len(a.Values))
		}
	}
	weight := func(i, j int) float64 {
		if i == j {
			return loop
		}
		return float64(a.At(i, j))
	}
	for i := range n {
		for j := range n {
			degree[i] += weight(i, j)
		}
	}
	for i := range n {
		for j := range n {
			v := -weight(i, j) / math.Sqrt(degree[i]*degree[j])
			if i == j {
				v++
			}
			l.Set(i, j, v)
		}
	}
	return l
}

// TestOperatorAndFilterAgainstDense compares products with the operator, to 1e-12, and smoothed sparse
// and dense features, which are float32, to 2e-6 of their size, with dense matrices by the definitions
// of L̃sym and (I − k·L̃sym)ᵗX, on random graphs.
func TestOperatorAndFilterAgainstDense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := randomGraph(t)
		n := a.Rows
		op, l := laplacian.New(a), denseLaplacian(a)
		for j := range n {
			unit := mat.NewVecDense(n, nil)
			unit.SetVec(j, 1)
			var got mat.VecDense
			op.MulVecTo(&got, false, unit)
			for i := range n {
				if math.Abs(got.AtVec(i)-l.At(i, j)) > 1e-12 {
					t.Fatalf("L[%d,%d] is %v, want %v", i, j, got.AtVec(i), l.At(i, j))
				}
			}
		}
		f := laplacian.Filter{K: rapid.Float64Range(0.1, 1.5).Draw(t, "k"), Layers: rapid.IntRange(0, 6).Draw(t, "t")}
		want := mat.NewDense(n, x.Cols, nil)
		for i := range n {
			for j := range x.Cols {
				want.Set(i, j, float64(x.At(i, j)))
			}
		}
		h := mat.NewDense(n, n, nil)
		h.Scale(-f.K, l)
		for i := range n {
			h.Set(i, i, h.At(i, i)+1)
		}
		for range f.Layers {
			var next mat.Dense
			next.Mul(h, want)
			want.CloneFrom(&next)
		}
		dense := x.Dense()
		for form, features := range map[string]graph.Features{"sparse": {Sparse: x}, "dense": {Dense: &dense}} {
			got := testutil.Value(f.Smooth(context.Background(), op, features)).OrFatal(t)
			tolerance := 2e-6 * (1 + mat.Norm(want, 1))
			for i := range n {
				for j := range x.Cols {
					if d := math.Abs(float64(got.Data[i*got.Stride+j]) - want.At(i, j)); d > tolerance {
						t.Fatalf("%s: X̃[%d,%d] is off by %v", form, i, j, d)
					}
				}
			}
		}
	})
}

// TestRayleighQuotient compares with the closed form on a complete graph of n nodes, where L̃sym = I −
// J/n with a matrix J of ones: a constant signal has the quotient 0, and one that sums to zero the
// quotient 1.
func TestRayleighQuotient(t *testing.T) {
	var u, v []int32
	for i := range int32(6) {
		for j := range i {
			u, v = append(u, i), append(v, j)
		}
	}
	a := testutil.Value(graph.Adjacency(6, u, v, nil)).OrFatal(t)
	op := laplacian.New(a)
	for _, c := range []struct {
		x    []float64
		want float64
	}{{[]float64{2, 2, 2, 2, 2, 2}, 0}, {[]float64{1, -1, 3, -3, 0, 0}, 1}} {
		if got := op.RayleighQuotient(c.x); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("R(L, %v) is %v, want %v", c.x, got, c.want)
		}
	}
}

// TestSmoothErrors checks that Smooth returns an error for a k or a number of layers out of range, and
// for a context that is done.
func TestSmoothErrors(t *testing.T) {
	g := testutil.LoadGraph(t, "cora")
	op := laplacian.New(g.Adjacency)
	for _, f := range []laplacian.Filter{{K: 0, Layers: 1}, {K: -0.5, Layers: 1}, {K: math.NaN(), Layers: 1}, {K: 1, Layers: -1}} {
		if _, err := f.Smooth(t.Context(), op, g.Features); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (laplacian.Filter{K: 1, Layers: 3}).Smooth(canceled, op, g.Features); err == nil {
		t.Error("no error although the context was done")
	}
}

// TestUnitOfWeights checks a property on random graphs: weights multiplied by a constant give the same
// filter H, to 1e-6.
func TestUnitOfWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, _ := randomGraph(t)
		scaled := *a
		scaled.Values = make([]float32, a.NNZ())
		factor := float32(rapid.Float64Range(1e-6, 1e6).Draw(t, "factor"))
		for i := range a.Rows {
			p := a.Indptr[i]
			for _, w := range a.Each(i) {
				scaled.Values[p] = factor * w
				p++
			}
		}
		const k = 0.7
		want, got := laplacian.New(a).FilterMatrix(k), laplacian.New(&scaled).FilterMatrix(k)
		for p, v := range want.Values {
			if math.Abs(float64(v-got.Values[p])) > 1e-6 {
				t.Fatalf("factor %v: entry %d is %v, want %v", factor, p, got.Values[p], v)
			}
		}
	})
}

// TestExtended compares the smoothed features of the new nodes of a random graph that grew
// ([laplacian.Extended]) with dense matrices by definition, to 2e-6 a layer: the old nodes' rows of H
// are those of the graph without the new nodes. The first new node, if it has no edge to other new
// nodes, has the same features bit by bit when it is the only new one.
func TestExtended(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, x := randomGraph(t)
		n := a.Rows
		old := rapid.IntRange(1, n).Draw(t, "old")
		f := laplacian.Filter{K: 0.6, Layers: rapid.IntRange(0, 4).Draw(t, "t")}
		before, whole := denseLaplacian(part(a, old)), laplacian.Extended(a, old)
		smooth := func(a *graph.CSR, op *laplacian.Operator, x *graph.CSR) []float32 {
			out := linalg.Narrow(a.Rows-old, x.Cols)
			out.Data = make([]float32, out.Rows*out.Stride)
			testutil.NoError(t, f.SmoothTo(t.Context(), out, op, graph.Features{Sparse: x}, 1))
			return out.Data
		}
		// H by its definition.
		h := mat.NewDense(n, n, nil)
		loop := part(a, old).MeanWeight()
		degree := make([]float64, n)
		for i := range n {
			degree[i] = loop
			for j, w := range a.Each(i) {
				if i >= old || j < old {
					degree[i] += float64(w)
				}
			}
		}
		for i := range n {
			for j := range n {
				switch {
				case i < old && j < old:
					h.Set(i, j, -f.K*before.At(i, j))
				case i >= old && i == j:
					h.Set(i, j, -f.K*(1-loop/degree[i]))
				case i >= old:
					h.Set(i, j, f.K*float64(a.At(i, j))/math.Sqrt(degree[i]*degree[j]))
				}
				if i == j {
					h.Set(i, j, h.At(i, j)+1)
				}
			}
		}
		want := mat.NewDense(n, x.Cols, nil)
		for i := range n {
			for j, v := range x.Each(i) {
				want.Set(i, j, float64(v))
			}
		}
		for range f.Layers {
			var next mat.Dense
			next.Mul(h, want)
			want.Copy(&next)
		}
		got, stride := smooth(a, whole, x), linalg.Narrow(1, x.Cols).Stride
		for i := old; i < n; i++ {
			for j := range x.Cols {
				if d := math.Abs(float64(got[(i-old)*stride+j]) - want.At(i, j)); d > 2e-6*float64(1+f.Layers) {
					t.Fatalf("node %d, feature %d: off by %v", i, j, d)
				}
			}
		}
		if old == n {
			return
		}
		alone := true // whether the first new node has no new neighbor
		for j := range a.Each(old) {
			alone = alone && j < old
		}
		if !alone {
			return
		}
		single := *x
		single.Rows, single.Indptr, single.Indices = old+1, x.Indptr[:old+2], x.Indices[:x.Indptr[old+1]]
		if x.Values != nil {
			single.Values = x.Values[:x.Indptr[old+1]]
		}
		first := part(a, old+1)
		if !slices.Equal(smooth(first, laplacian.Extended(first, old), &single), got[:stride]) {
			t.Fatal("a new node has other features in company")
		}
	})
}

// part returns the adjacency matrix of the first n nodes of a and the edges between them.
func part(a *graph.CSR, n int) *graph.CSR {
	p := &graph.CSR{Rows: n, Cols: n, Indptr: make([]int, n+1)}
	for i := range n {
		for j, w := range a.Each(i) {
			if j < n {
				p.Indices, p.Values = append(p.Indices, int32(j)), append(p.Values, w)
			}
		}
		p.Indptr[i+1] = len(p.Indices)
	}
	if a.Values == nil {
		p.Values = nil
	}
	return p
}

// TestAmplitude compares [laplacian.Filter.Amplitude] with what smoothing does to each of gonum's
// eigenvectors of L̃sym, of length 1: the amplitude of the eigenvalue is the length afterward, to
// 1e-12.
func TestAmplitude(t *testing.T) {
	a := testutil.Value(graph.Adjacency(6, []int32{0, 0, 1, 2, 3, 4}, []int32{1, 2, 2, 3, 4, 5}, nil)).OrFatal(t)
	op := laplacian.New(a)
	var all mat.EigenSym
	if !all.Factorize(op.Dense(), true) {
		t.Fatal("no eigenvalues")
	}
	var vectors mat.Dense
	all.VectorsTo(&vectors)
	f := laplacian.Filter{K: 0.9, Layers: 3}
	for i, lambda := range all.Values(nil) {
		y := f.SmoothSignal(op, mat.Col(nil, i, &vectors))
		if got, want := mat.Norm(mat.NewVecDense(6, y), 2), f.Amplitude(lambda); math.Abs(got-want) > 1e-12 {
			t.Errorf("λ = %.3f: the length becomes %v, want %v", lambda, got, want)
		}
	}
}
