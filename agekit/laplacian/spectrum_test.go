package laplacian_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// wantNear checks that got is want up to the tolerance; name says what it is.
func wantNear(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g ± %g", name, got, want, tolerance)
	}
}

// matrix is a dense symmetric matrix as an operator.
type matrix struct{ *mat.SymDense }

func (m matrix) Dim() int { return m.SymmetricDim() }

func (m matrix) MulTo(_ context.Context, dst, x blas64.General) error {
	mat.NewVecDense(dst.Rows, dst.Data).MulVec(m.SymDense, mat.NewVecDense(x.Rows, x.Data))
	return nil
}

// eigenvalues returns all eigenvalues of op.
func eigenvalues(t testing.TB, op linalg.Operator) []float64 {
	t.Helper()
	return testutil.Value(laplacian.Eigenvalues(context.Background(), op)).OrFatal(t)
}

// lambdaMax returns the largest eigenvalue of op, from a fixed random start.
func lambdaMax(t testing.TB, op linalg.Operator) float64 {
	t.Helper()
	x := testutil.Value(linalg.LargestEigenvalue(context.Background(), op, rand.New(rand.NewPCG(3, 4)))).OrFatal(t)
	return x.Value
}

// operator returns L̃sym of the graph of n nodes with the given edges.
func operator(t testing.TB, n int, edges [][2]int32) *laplacian.Operator {
	t.Helper()
	var u, v []int32
	for _, e := range edges {
		u, v = append(u, e[0]), append(v, e[1])
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	return laplacian.New(a)
}

// TestClosedForms compares all eigenvalues, to 1e-13, and λmax, to 1e-12, with closed forms: for graphs whose
// L̃sym = I − D̃^-½(A+I)D̃^-½ has known eigenvalues. Some have more than 256 nodes, above which rows are
// processed in several bands.
func TestClosedForms(t *testing.T) {
	cycle := func(n int) (edges [][2]int32, want []float64) {
		for i := range n {
			edges = append(edges, [2]int32{int32(i), int32((i + 1) % n)})
			// Circulant with 1/3 on and next to the diagonal.
			want = append(want, 1-(1+2*math.Cos(2*math.Pi*float64(i)/float64(n)))/3)
		}
		return edges, want
	}
	complete := func(n int) (edges [][2]int32, want []float64) {
		for i := range n {
			for j := range i {
				edges = append(edges, [2]int32{int32(i), int32(j)})
			}
			want = append(want, 1) // L̃ = I − 11ᵀ/n
		}
		want[0] = 0
		return edges, want
	}
	star := func(n int) (edges [][2]int32, want []float64) {
		for i := 1; i < n; i++ {
			edges = append(edges, [2]int32{0, int32(i)})
			want = append(want, 0.5) // vectors that are 0 at the center
		}
		// On the center and the mean of the leaves, D̃^-½(A+I)D̃^-½ is [[1/n,
		// √((n−1)/2n)], [·, 1/2]], with eigenvalues 1 and 1/n − 1/2.
		want[0] = 0
		return edges, append(want, 1.5-1/float64(n))
	}
	// Paths of 2 and 3 nodes are a complete graph and a star.
	path2 := [][2]int32{{0, 1}}
	path3 := [][2]int32{{0, 1}, {1, 2}}

	type sample struct {
		name  string
		n     int
		edges [][2]int32
		want  []float64
	}
	samples := []sample{
		{"one node", 1, nil, []float64{0}},
		{"no edges", 5, nil, []float64{0, 0, 0, 0, 0}},
		{"path of 2", 2, path2, []float64{0, 1}},
		{"path of 3", 3, path3, []float64{0, 0.5, 1.5 - 1./3}},
		{"path of 3 and 2 single nodes", 5, [][2]int32{{0, 4}, {4, 2}}, []float64{0, 0, 0, 0.5, 1.5 - 1./3}},
	}
	for _, n := range []int{3, 4, 7, 300} {
		edges, want := cycle(n)
		samples = append(samples, sample{"cycle", n, edges, want})
		edges, want = complete(n)
		samples = append(samples, sample{"complete graph", n, edges, want})
		edges, want = star(n)
		samples = append(samples, sample{"star", n, edges, want})
	}
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			op := operator(t, s.n, s.edges)
			slices.Sort(s.want)
			got := eigenvalues(t, op)
			if len(got) != s.n {
				t.Fatalf("%d eigenvalues for %d nodes", len(got), s.n)
			}
			for i := range got {
				wantNear(t, "eigenvalue", got[i], s.want[i], 1e-13)
			}
			wantNear(t, "λmax", lambdaMax(t, op), s.want[s.n-1], 1e-12)
		})
	}
}

// TestEigenvaluesAgainstGonum compares all eigenvalues and the largest one with those of gonum's dense
// solver, on random symmetric matrices with few or many nonzero entries, up to and above the order from
// which rows are processed in bands.
func TestEigenvaluesAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		share := rapid.SampledFrom([]float64{0, 0.02, 0.1, 1}).Draw(t, "density")
		m := randomMatrix(n, share, rapid.Uint64().Draw(t, "seed"))
		compareWithGonum(t, m)
	})
	const manyBands = 401 // rows
	compareWithGonum(t, randomMatrix(manyBands, 1, 5))
}

// randomMatrix returns a symmetric n×n matrix in which a share of the entries are normal random numbers
// and the others 0.
func randomMatrix(n int, share float64, seed uint64) matrix {
	rnd := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			if rnd.Float64() < share {
				m.SetSym(i, j, rnd.NormFloat64())
			}
		}
	}
	return matrix{m}
}

// compareWithGonum compares the eigenvalues of m with gonum's, relative to the size of m: all to 1e-13,
// and the largest by iteration to 1e-9.
func compareWithGonum(t rapid.TB, m matrix) {
	t.Helper()
	var dense mat.EigenSym
	if !dense.Factorize(m, false) {
		t.Fatal("gonum did not converge")
	}
	want := dense.Values(nil)
	got := testutil.Value(laplacian.Eigenvalues(context.Background(), m)).OrFatal(t)
	size := max(1, mat.Norm(m, math.Inf(1)))
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-13*size {
			t.Fatalf("eigenvalue %d of %d is %v, gonum's %v", i, len(want), got[i], want[i])
		}
	}
	x := testutil.Value(linalg.LargestEigenvalue(context.Background(), m, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	if largest := want[len(want)-1]; math.Abs(x.Value-largest) > 1e-9*size {
		t.Fatalf("largest eigenvalue %v after %d steps, gonum's %v", x.Value, x.Steps, largest)
	}
}

// TestSameBytes checks that the eigenvalues and the estimated density are identical on one, two and five cores.
func TestSameBytes(t *testing.T) {
	m := randomMatrix(300, 1, 11)
	spectrum := func(cores int) ([]float64, *laplacian.Density) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		rnd := rand.New(rand.NewPCG(5, 6))
		return eigenvalues(t, m), testutil.Value(laplacian.EstimateDensityIn(context.Background(), m, 4, 20, rnd)).OrFatal(t)
	}
	wantValues, wantDensity := spectrum(1)
	for _, cores := range []int{2, 5} {
		values, density := spectrum(cores)
		if !slices.Equal(values, wantValues) {
			t.Errorf("%d cores: other eigenvalues than on one", cores)
		}
		if !reflect.DeepEqual(density, wantDensity) {
			t.Errorf("%d cores: another density than on one", cores)
		}
	}
}

// TestDensityExactCases checks the estimated density where the result is known. The identity matrix has all ten
// eigenvalues at 1, without an error. Of a random matrix, the estimates of Σλ and Σλ² are near the trace and
// the sum of squares of the entries.
func TestDensityExactCases(t *testing.T) {
	identity := mat.NewSymDense(10, nil)
	for i := range 10 {
		identity.SetSym(i, i, 1)
	}
	d := testutil.Value(laplacian.EstimateDensity(context.Background(), matrix{identity}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	for b, want := range []float64{0, 0, 10, 0} { // 1 is an edge and counts above
		got := d.Histogram(4, 0, 2)[b]
		wantNear(t, "bin", got.Count, want, 1e-12)
		wantNear(t, "standard error", got.StandardError, 0, 1e-6)
	}
	if q := d.Quantiles(0, 0.5, 1); math.Abs(q[0]-1)+math.Abs(q[1]-1)+math.Abs(q[2]-1) > 1e-14 {
		t.Errorf("quantiles %v, want all 1", q)
	}

	// The estimates of the moments Σλ and Σλ² are unbiased: they must be
	// within 5 standard errors, which follow from n·Var ≤ 2·|m|² over the
	// probes.
	const n = 60
	m := randomMatrix(n, 1, 3)
	const probes, steps = 400, 10
	d = testutil.Value(laplacian.EstimateDensityIn(context.Background(), m, probes, steps, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	trace, norm := mat.Trace(m), mat.Norm(m, 2)
	first, second := 0.0, 0.0
	for _, r := range d.Rules {
		for j, x := range r.Nodes {
			first += n * r.Weights[j] * x / probes
			second += n * r.Weights[j] * x * x / probes
		}
	}
	wantNear(t, "trace", first, trace, 5*math.Sqrt(2./probes)*norm)
	var squared mat.Dense
	squared.Mul(m, m)
	wantNear(t, "sum of squares", second, norm*norm, 5*math.Sqrt(2./probes)*mat.Norm(&squared, 2))
}

// large is twice the identity matrix of n rows, as an operator that stores nothing.
type large struct{ n int }

func (l large) Dim() int { return l.n }

func (l large) MulTo(_ context.Context, dst, x blas64.General) error {
	for i, v := range x.Data {
		dst.Data[i] = 2 * v
	}
	return nil
}

// broken is an operator whose products are NaN.
type broken struct{ large }

func (b broken) MulTo(_ context.Context, dst, _ blas64.General) error {
	for i := range dst.Data {
		dst.Data[i] = math.NaN()
	}
	return nil
}

// TestErrors checks that computing all eigenvalues, the largest one and the density return errors that
// say what is wrong, for operators that are too large, not finite or empty, and for a context that is
// done. All eigenvalues of an empty operator are none, and λmax of a large one is found.
func TestErrors(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	all := func(ctx context.Context, op linalg.Operator) error {
		_, err := laplacian.Eigenvalues(ctx, op)
		return err
	}
	largest := func(ctx context.Context, op linalg.Operator) error {
		_, err := linalg.LargestEigenvalue(ctx, op, rnd)
		return err
	}
	density := func(ctx context.Context, op linalg.Operator) error {
		_, err := laplacian.EstimateDensity(ctx, op, rnd)
		return err
	}
	ctx := context.Background()
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"too large", all(ctx, large{5001}), "5001 nodes, want at most 5000"},
		{"NaN, all", all(ctx, broken{large{3}}), "entry (0, 0) of the operator is NaN"},
		{"NaN, largest", largest(ctx, broken{large{3}}), "not finite"},
		{"NaN, density", density(ctx, broken{large{3}}), "not finite"},
		{"empty, largest", largest(ctx, large{0}), "no rows"},
		{"empty, density", density(ctx, large{0}), "no rows"},
	} {
		testutil.Fails(t, c.err, c.want)
	}
	for name, err := range map[string]error{
		"all": all(canceled, large{4}), "largest": largest(canceled, large{4}),
		"density": density(canceled, large{4}),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after canceling", name, err)
		}
	}
	if values, err := laplacian.Eigenvalues(ctx, large{0}); err != nil || len(values) != 0 {
		t.Errorf("no nodes: %v, %v", values, err)
	}
	wantNear(t, "λmax of twice the identity", lambdaMax(t, large{1000}), 2, 1e-14)
}
