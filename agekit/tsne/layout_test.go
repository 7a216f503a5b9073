package tsne

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/spatial/r2"

	"github.com/agekit/age/internal/testutil"
)

// exactDivergence returns KL(P‖Q) by its definition, with sums over all pairs of points. y has the points'
// coordinates x₀, y₀, x₁, …
func exactDivergence(p affinity, y []float64) float64 {
	n := len(y) / 2
	q := func(i, j int) float64 {
		dx, dy := y[2*i]-y[2*j], y[2*i+1]-y[2*j+1]
		return 1 / (1 + dx*dx + dy*dy)
	}
	var z, kl float64
	for i := range n {
		for j := range n {
			if i != j {
				z += q(i, j)
			}
		}
	}
	for i := range n {
		for k := p.indptr[i]; k < p.indptr[i+1]; k++ {
			if v := p.values[k]; v > 0 {
				kl += v * math.Log(v*z/q(i, int(p.indices[k])))
			}
		}
	}
	return kl
}

// goldenLayout returns a layout with the golden affinities whose points are at the golden places Y.
func goldenLayout(t *testing.T, theta float64) (*layout, golden) {
	g, x := loadGolden(t)
	p := testutil.Value(affinities(t.Context(), x, g.Perplexity)).OrFatal(t)
	m := newLayout(p, theta, seeded())
	for i, y := range g.Y {
		m.points[i].Vec = r2.Vec{X: y[0], Y: y[1]}
	}
	return m, g
}

// coordinates returns the coordinates x₀, y₀, x₁, … of points or vectors.
func coordinates(v []r2.Vec) []float64 {
	var flat []float64
	for _, p := range v {
		flat = append(flat, p.X, p.Y)
	}
	return flat
}

// norm returns the length of a vector.
func norm(v []float64) float64 {
	var s float64
	for _, e := range v {
		s += e * e
	}
	return math.Sqrt(s)
}

// distance returns the length of a − b.
func distance(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return norm(d)
}

// TestGradient compares the gradient and the divergence by a tree with θ near 0, where they are exact, with
// independent ones: the gradient with the numerical derivative of [exactDivergence], with scikit-learn's
// and with that of θ = 0, and the divergence with exactDivergence and scikit-learn's. The gradient with
// θ = 0.5 is near, but not equal.
func TestGradient(t *testing.T) {
	const nearZero = 1e-9
	m, g := goldenLayout(t, nearZero)
	testutil.NoError(t, m.gradient(1))
	got := coordinates(m.grad)
	var y []float64
	for _, p := range m.points {
		y = append(y, p.X, p.Y)
	}
	numerical := fd.Gradient(nil, func(y []float64) float64 { return exactDivergence(m.p, y) }, y, &fd.Settings{Formula: fd.Central})
	if d := distance(got, numerical) / norm(numerical); d > 1e-6 {
		t.Errorf("gradient differs from the numerical one by %.2g of its norm", d)
	}
	var sklearn []float64
	for _, v := range g.GradAtY {
		sklearn = append(sklearn, v[:]...)
	}
	if d := distance(got, sklearn) / norm(sklearn); d > 1e-5 {
		t.Errorf("gradient differs from scikit-learn's by %.2g of its norm", d)
	}
	kl := testutil.Value(m.divergence()).OrFatal(t)
	if exact := exactDivergence(m.p, y); math.Abs(kl-exact) > 1e-9*exact {
		t.Errorf("divergence %v, want %v", kl, exact)
	}
	if math.Abs(kl-g.KLAtY) > 1e-5*kl {
		t.Errorf("divergence %v, scikit-learn's %v", kl, g.KLAtY)
	}

	exact, _ := goldenLayout(t, 0) // no tree
	testutil.NoError(t, exact.gradient(1))
	if d := distance(got, coordinates(exact.grad)) / norm(got); d > 1e-9 {
		t.Errorf("gradient of the tree with θ near 0 differs from that without a tree by %.2g of its norm", d)
	}

	coarse, _ := goldenLayout(t, 0.5)
	testutil.NoError(t, coarse.gradient(1))
	d := distance(got, coordinates(coarse.grad)) / norm(got)
	if d > 0.03 || d == 0 {
		t.Errorf("gradient with θ = 0.5 is %.2g of its norm away from the exact one, want less than 0.03 and not 0", d)
	}
}

// TestExaggerationScalesAttractionOnly checks that the gradient is a linear function of the exaggeration, which
// multiplies one of its two parts: the steps from 1 to 2 and from 2 to 3 are equal, and not 0.
func TestExaggerationScalesAttractionOnly(t *testing.T) {
	grad := func(exaggeration float64) []float64 {
		m, _ := goldenLayout(t, 0.5)
		testutil.NoError(t, m.gradient(exaggeration))
		return coordinates(m.grad)
	}
	once, two, three := grad(1), grad(2), grad(3)
	for i := range once {
		if math.Abs((three[i]-two[i])-(two[i]-once[i])) > 1e-12 {
			t.Fatalf("coordinate %d: gradient is not linear in the exaggeration", i)
		}
	}
	if distance(once, two) == 0 {
		t.Error("exaggeration has no effect")
	}
}

// TestBuildTreeSeparatesCoincidentPoints checks that a gradient can be computed where 100 points
// coincide, and that no point is moved by more than 1e-6, which is too little to see in a figure.
func TestBuildTreeSeparatesCoincidentPoints(t *testing.T) {
	const equal = 100
	place := r2.Vec{X: 1, Y: 2}
	m, g := goldenLayout(t, theta)
	for i := range equal {
		m.points[i].Vec = place
	}
	testutil.NoError(t, m.gradient(1))
	for i, p := range m.points {
		want := r2.Vec{X: g.Y[i][0], Y: g.Y[i][1]}
		if i < equal {
			want = place
		}
		if r2.Norm(r2.Sub(p.Vec, want)) > 1e-6 {
			t.Errorf("point %d moved from %v to %v", i, want, p.Vec)
		}
	}
}
