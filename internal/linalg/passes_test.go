package linalg_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// inputs are rows with what the passes over them take, and the rows in float64.
type inputs struct {
	z                      blas32.General
	own, unit              []*mat.VecDense
	of, degrees            []float64
	mean, means, l, basis  linalg.Matrix[float64]
	groups, n, d, products int
}

func random(n, d int) inputs {
	rnd := rand.New(rand.NewPCG(5, 6))
	matrix := func(r, c int) linalg.Matrix[float64] {
		m := linalg.NewMatrix[float64](r, c)
		for k := range m.Data {
			m.Data[k] = rnd.NormFloat64()
		}
		return m
	}
	in := inputs{z: linalg.New(n, d), n: n, d: d, groups: 3, products: 4, mean: matrix(1, d), means: matrix(3, d), l: matrix(d, d), basis: linalg.NewMatrix[float64](d, linalg.WholePanels(4))}
	for j := range d {
		clear(in.l.Row(j)[j+1:])
		for c := range in.products {
			in.basis.Row(j)[c] = rnd.NormFloat64()
		}
	}
	for i := range n {
		v := mat.NewVecDense(d, nil)
		for j := range d {
			in.z.Data[i*in.z.Stride+j] = float32(rnd.NormFloat64())
			v.SetVec(j, float64(in.z.Data[i*in.z.Stride+j]))
		}
		u := mat.NewVecDense(d, nil)
		u.ScaleVec(1/v.Norm(2), v)
		in.own, in.unit = append(in.own, v), append(in.unit, u)
		in.of, in.degrees = append(in.of, float64(rnd.IntN(in.groups))), append(in.degrees, 0.5+rnd.Float64())
	}
	return in
}

// TestDefinitions compares the passes with their definitions in float64, for rows as they are
// and of length 1. Products of float32 leave 1e-5 of the largest number.
func TestDefinitions(t *testing.T) {
	in := random(700, 70)
	row := func(m linalg.Matrix[float64], i int) *mat.VecDense { return mat.NewVecDense(m.Cols, m.Row(i)) }
	for _, unit := range []bool{false, true} {
		z := in.own
		if unit {
			z = in.unit
		}
		sums, gram := mat.NewDense(in.groups, in.d, nil), mat.NewDense(in.d, in.d, nil)
		var degrees, products, lengths []float64
		for i, v := range z {
			g := int(in.of[i])
			floats.Add(sums.RawRowView(g), v.RawVector().Data)
			var y, u, w mat.VecDense
			y.SubVec(v, row(in.mean, 0))
			y.ScaleVec(1/math.Sqrt(in.degrees[i]), &y)
			gram.RankOne(gram, 1, &y, &y)
			degrees = append(degrees, mat.Dot(v, row(in.mean, 0))-mat.Dot(v, v))
			for c := range in.basis.Cols {
				sum := 0.
				for j := range in.d {
					sum += v.AtVec(j) * in.basis.Row(j)[c]
				}
				products = append(products, sum)
			}
			u.SubVec(v, row(in.means, g))
			w.MulVec(mat.NewDense(in.d, in.d, in.l.Data).T(), &u)
			lengths = append(lengths, mat.Dot(&w, &w))
		}
		for j := range in.d { // the lower triangle alone
			clear(gram.RawRowView(j)[j+1:])
		}
		here := linalg.LocalRows(linalg.InMemory(in.z))
		for kind, c := range map[linalg.PassKind]struct {
			pass linalg.Pass
			want []float64
		}{
			linalg.Sums:     {linalg.Pass{Groups: in.groups, Of: in.of}, sums.RawMatrix().Data},
			linalg.PassGram: {linalg.Pass{Matrix: in.mean, Of: in.degrees}, gram.RawMatrix().Data},
			linalg.Degrees:  {linalg.Pass{Matrix: in.mean}, degrees},
			linalg.Product:  {linalg.Pass{Matrix: in.basis}, products},
			linalg.Lengths:  {linalg.Pass{Matrix: in.means, Factor: in.l, Of: in.of}, lengths},
		} {
			c.pass.Kind, c.pass.Unit = kind, unit
			testutil.NoError(t, c.pass.Check(in.n, in.d))
			var got linalg.Matrix[float64]
			var err error
			if c.pass.PerRow() {
				_, width := c.pass.Size(in.d)
				got = linalg.NewMatrix[float64](in.n, width)
				err = here.Each(t.Context(), c.pass, func(at int, computed linalg.Matrix[float64]) {
					copy(got.Data[at*width:], computed.Data)
				})
			} else {
				got, err = here.Sum(t.Context(), c.pass)
			}
			testutil.NoError(t, err)
			if kind == linalg.PassGram {
				for j := range in.d {
					clear(got.Row(j)[j+1:])
				}
			}
			if largest := floats.Norm(c.want, math.Inf(1)); !floats.EqualApprox(got.Data, c.want, 1e-5*largest) {
				t.Errorf("%s, unit %v: not what its definition gives", kind, unit)
			}
		}
	}
}

// TestRanges: the parts of the ranges, added up in order, are the sum, bit by bit, so that
// others can compute them.
func TestRanges(t *testing.T) {
	in := random(5000, 20)
	p := linalg.Pass{Kind: linalg.PassGram, Of: in.degrees}
	want := testutil.Value(linalg.LocalRows(linalg.InMemory(in.z)).Sum(t.Context(), p)).OrFatal(t)
	grain, count := linalg.PassRanges(in.n)
	sum := linalg.NewMatrix[float64](p.Size(in.d))
	for r := range count {
		part := linalg.NewMatrix[float64](p.Size(in.d))
		p.Prepare()(linalg.InMemory(in.z), part, r*grain, min(in.n, (r+1)*grain))
		floats.Add(sum.Data, part.Data)
	}
	if count < 10 || !slices.Equal(sum.Data, want.Data) {
		t.Errorf("%d ranges: other bytes than in one process", count)
	}
}

func TestCheck(t *testing.T) {
	in := random(9, 4)
	for says, p := range map[string]linalg.Pass{
		"no such pass":                     {Kind: "sum"},
		"no groups":                        {Kind: linalg.Sums},
		"row 1 is in group 3 of 3":         {Kind: linalg.Sums, Groups: 3, Of: []float64{0, 3, 0, 0, 0, 0, 0, 0, 0}},
		"row 0 is in group 0.5":            {Kind: linalg.Sums, Groups: 3, Of: []float64{0.5, 1, 0, 0, 0, 0, 0, 0, 0}},
		"2 numbers for the rows: want 9":   {Kind: linalg.PassGram, Of: []float64{1, 2}},
		"a matrix of 0×0: want one row":    {Kind: linalg.Degrees},
		"a matrix of 3×4":                  {Kind: linalg.Product, Matrix: in.means},
		"matrix of 3×4 and a factor of 0×": {Kind: linalg.Lengths, Matrix: in.means, Of: in.of},
	} {
		testutil.Fails(t, p.Check(9, 4), says)
	}
}
