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

// inputs are n rows of d columns with what the passes over them take.
type inputs struct {
	n, d             int
	z                blas32.General         // the rows
	asGiven, unit    []*mat.VecDense        // the rows in float64, and scaled to length 1
	groups, products int                    // numbers of groups, and of columns of basis that are not 0
	groupOf, degrees []float64              // of each row
	mean, means      linalg.Matrix[float64] // a row, and one for each group
	l, basis         linalg.Matrix[float64] // a lower triangle, and a matrix to multiply by
}

// random returns n random rows of d columns with random inputs.
func random(n, d int) inputs {
	rnd := rand.New(rand.NewPCG(5, 6))
	matrix := func(r, c int) linalg.Matrix[float64] {
		m := linalg.NewMatrix[float64](r, c)
		for k := range m.Data {
			m.Data[k] = rnd.NormFloat64()
		}
		return m
	}
	const groups, products = 3, 4
	rows := inputs{
		n: n, d: d, z: linalg.New(n, d), groups: groups, products: products,
		mean: matrix(1, d), means: matrix(groups, d),
		l: matrix(d, d), basis: linalg.NewMatrix[float64](d, linalg.WholePanels(products)),
	}
	for j := range d {
		clear(rows.l.Row(j)[j+1:])
		for c := range rows.products {
			rows.basis.Row(j)[c] = rnd.NormFloat64()
		}
	}
	for i := range n {
		v := mat.NewVecDense(d, nil)
		for j := range d {
			rows.z.Data[i*rows.z.Stride+j] = float32(rnd.NormFloat64())
			v.SetVec(j, float64(rows.z.Data[i*rows.z.Stride+j]))
		}
		u := mat.NewVecDense(d, nil)
		u.ScaleVec(1/v.Norm(2), v)
		rows.asGiven = append(rows.asGiven, v)
		rows.unit = append(rows.unit, u)
		rows.groupOf = append(rows.groupOf, float64(rnd.IntN(groups)))
		rows.degrees = append(rows.degrees, 0.5+rnd.Float64())
	}
	return rows
}

// TestDefinitions: each kind of pass gives what its definition gives in float64, with gonum's vectors, for
// rows as they are and rows scaled to length 1. Because passes multiply in float32, numbers may differ
// by 1e-5 of the largest.
func TestDefinitions(t *testing.T) {
	rows := random(700, 70)
	row := func(m linalg.Matrix[float64], i int) *mat.VecDense { return mat.NewVecDense(m.Cols, m.Row(i)) }
	for _, unit := range []bool{false, true} {
		z := rows.asGiven
		if unit {
			z = rows.unit
		}
		sums, gram := mat.NewDense(rows.groups, rows.d, nil), mat.NewDense(rows.d, rows.d, nil)
		var degrees, products, lengths []float64
		for i, v := range z {
			g := int(rows.groupOf[i])
			floats.Add(sums.RawRowView(g), v.RawVector().Data)
			var y, u, w mat.VecDense
			y.SubVec(v, row(rows.mean, 0))
			y.ScaleVec(1/math.Sqrt(rows.degrees[i]), &y)
			gram.RankOne(gram, 1, &y, &y)
			degrees = append(degrees, mat.Dot(v, row(rows.mean, 0))-mat.Dot(v, v))
			for c := range rows.basis.Cols {
				sum := 0.
				for j := range rows.d {
					sum += v.AtVec(j) * rows.basis.Row(j)[c]
				}
				products = append(products, sum)
			}
			u.SubVec(v, row(rows.means, g))
			w.MulVec(mat.NewDense(rows.d, rows.d, rows.l.Data).T(), &u)
			lengths = append(lengths, mat.Dot(&w, &w))
		}
		for j := range rows.d { // the lower triangle alone
			clear(gram.RawRowView(j)[j+1:])
		}
		here := linalg.LocalRows(linalg.InMemory(rows.z))
		for kind, test := range map[linalg.PassKind]struct {
			pass linalg.Pass
			want []float64
		}{
			linalg.Sums:     {linalg.Pass{Groups: rows.groups, Of: rows.groupOf}, sums.RawMatrix().Data},
			linalg.PassGram: {linalg.Pass{Matrix: rows.mean, Of: rows.degrees}, gram.RawMatrix().Data},
			linalg.Degrees:  {linalg.Pass{Matrix: rows.mean}, degrees},
			linalg.Product:  {linalg.Pass{Matrix: rows.basis}, products},
			linalg.Lengths:  {linalg.Pass{Matrix: rows.means, Factor: rows.l, Of: rows.groupOf}, lengths},
		} {
			test.pass.Kind, test.pass.Unit = kind, unit
			testutil.NoError(t, test.pass.Check(rows.n, rows.d))
			var got linalg.Matrix[float64]
			var err error
			if test.pass.PerRow() {
				_, width := test.pass.Size(rows.d)
				got = linalg.NewMatrix[float64](rows.n, width)
				err = here.Each(t.Context(), test.pass, func(first int, computed linalg.Matrix[float64]) {
					copy(got.Data[first*width:], computed.Data)
				})
			} else {
				got, err = here.Sum(t.Context(), test.pass)
			}
			testutil.NoError(t, err)
			if kind == linalg.PassGram {
				for j := range rows.d {
					clear(got.Row(j)[j+1:])
				}
			}
			if largest := floats.Norm(test.want, math.Inf(1)); !floats.EqualApprox(got.Data, test.want, 1e-5*largest) {
				t.Errorf("%s, unit %v: not what its definition gives", kind, unit)
			}
		}
	}
}

// TestRanges: the parts that Prepare's function computes of the ranges of PassRanges, added up in order,
// have the bytes of the sum that LocalRows computes, so that other processes can compute the parts. The
// test needs at least ten ranges.
func TestRanges(t *testing.T) {
	rows := random(5000, 20)
	p := linalg.Pass{Kind: linalg.PassGram, Of: rows.degrees}
	want := testutil.Value(linalg.LocalRows(linalg.InMemory(rows.z)).Sum(t.Context(), p)).OrFatal(t)
	grain, count := linalg.PassRanges(rows.n)
	sum := linalg.NewMatrix[float64](p.Size(rows.d))
	for r := range count {
		part := linalg.NewMatrix[float64](p.Size(rows.d))
		p.Prepare()(linalg.InMemory(rows.z), part, r*grain, min(rows.n, (r+1)*grain))
		floats.Add(sum.Data, part.Data)
	}
	if count < 10 {
		t.Fatalf("%d ranges are too few for this test", count)
	}
	if !slices.Equal(sum.Data, want.Data) {
		t.Errorf("%d ranges: other bytes than in one process", count)
	}
}

// TestCheck: inputs that do not suit nine rows of four columns are an error that names them.
func TestCheck(t *testing.T) {
	const n, d = 9, 4
	rows := random(n, d) // with three groups
	for says, p := range map[string]linalg.Pass{
		"no such pass":                     {Kind: "sum"},
		"no groups":                        {Kind: linalg.Sums},
		"row 1 is in group 3 of 3":         {Kind: linalg.Sums, Groups: 3, Of: []float64{0, 3, 0, 0, 0, 0, 0, 0, 0}},
		"row 0 is in group 0.5":            {Kind: linalg.Sums, Groups: 3, Of: []float64{0.5, 1, 0, 0, 0, 0, 0, 0, 0}},
		"2 numbers for the rows: want 9":   {Kind: linalg.PassGram, Of: []float64{1, 2}},
		"a matrix of 0×0: want one row":    {Kind: linalg.Degrees},
		"a matrix of 3×4":                  {Kind: linalg.Product, Matrix: rows.means},
		"matrix of 3×4 and a factor of 0×": {Kind: linalg.Lengths, Matrix: rows.means, Of: rows.groupOf},
	} {
		testutil.Fails(t, p.Check(n, d), says)
	}
}
