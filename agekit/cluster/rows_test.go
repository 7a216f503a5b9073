package cluster

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/system"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// computed is a source of rows that behaves like one that computes them: it copies the rows that are asked for
// to the buffer, so that functions cannot use the matrix in memory.
type computed struct{ linalg.InMemory }

func (c computed) Block(buffer []float32, lo, hi int) blas32.General {
	block := linalg.Shape(hi-lo, c.Cols)
	block.Data = buffer[:block.Rows*block.Stride]
	clear(block.Data)
	linalg.CopyRows(linalg.From32(block), linalg.From32(c.InMemory.Block(nil, lo, hi)))
	return block
}

// clouds returns n rows of length 1 with d columns without negative numbers, around k random centers: row i
// around center i mod k.
func clouds(n, d, k int) blas32.General {
	rnd := rand.New(rand.NewPCG(3, 3))
	z, centers := linalg.New(n, d), make([]float64, k*d)
	for c := range centers {
		centers[c] = rnd.Float64()
	}
	for i := range n {
		for j := range d {
			z.Data[i*z.Stride+j] = float32(max(0, centers[i%k*d+j]+0.3*rnd.NormFloat64()))
		}
	}
	return linalg.Normalize(z)
}

// TestRowsEmbedding compares the spectral embedding by [rowsEmbedding] with gonum's eigenvectors of the
// whole n×n matrix that it stands for, in every scaling. The products are float32, so that the
// tolerance is 1e-5 of the largest number of a column.
func TestRowsEmbedding(t *testing.T) {
	const n, d, k = 700, 40, 4
	z := clouds(n, d, k)
	var product mat.Dense
	full := linalg.Float64(z)
	product.Mul(full, full.T())
	roots := make([]float64, n) // √dᵢ
	for i := range n {
		sum := 0.
		for j := range n {
			if j != i {
				sum += product.At(i, j)
			}
		}
		roots[i] = math.Sqrt(sum)
	}
	scaled := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			scaled.SetSym(i, j, product.At(i, j)/roots[i]/roots[j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(scaled, true) {
		t.Fatal("no eigenvalues")
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	want := e.Values(nil)
	slices.Reverse(want) // gonum's eigenvalues ascend: its last eigenvector leads
	for _, scaling := range []Scaling{RandomWalk, Degree, NJW} {
		got, values, _, err := rowsEmbedding(t.Context(), linalg.LocalRows(computed{linalg.InMemory(z)}), k, SpectralOptions{Scaling: scaling}, rand.New(rand.NewPCG(1, 1)))
		testutil.NoError(t, err)
		for c := range k {
			if math.Abs(values[c]-want[c]) > 1e-6 {
				t.Errorf("eigenvalue %d is %v, want %v", c, values[c], want[c])
			}
			wantColumn, gotColumn := make([]float64, n), make([]float64, n)
			product := 0. // of both columns: negative if they have opposite signs
			for i := range n {
				squares := 0.
				for o := range k {
					squares += vectors.At(i, n-1-o) * vectors.At(i, n-1-o)
				}
				factor := map[Scaling]float64{RandomWalk: 1 / roots[i], Degree: roots[i], NJW: 1 / math.Sqrt(squares)}[scaling]
				wantColumn[i] = factor * vectors.At(i, n-1-c)
				gotColumn[i] = got.Row(i)[c]
				product += wantColumn[i] * gotColumn[i]
			}
			sign := math.Copysign(1, product)
			largest := max(slices.Max(wantColumn), -slices.Min(wantColumn))
			for i := range n {
				if math.Abs(sign*wantColumn[i]-gotColumn[i]) > 1e-5*largest {
					t.Fatalf("%s: row %d, column %d is %v, want %v", scaling, i, c, gotColumn[i], sign*wantColumn[i])
				}
			}
		}
	}
}

// TestRowsAgree compares results for rows that are computed block by block with those for the matrix in
// memory: the clusters of SpectralRows with those of Spectral, up to their names, and the index by
// DaviesBouldinRows with that by DaviesBouldinGram, to 1e-8, because its products are float32. An
// embedding in a scratch file gives the same labels, and no file is left.
func TestRowsAgree(t *testing.T) {
	const n, d, k = 3000, 60, 5
	z := clouds(n, d, k)
	rows := linalg.LocalRows(computed{linalg.InMemory(z)})
	found := testutil.Value(SpectralRows(t.Context(), rows, k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	restore := system.SetMemory(1 << 20) // a sixteenth is less than n·k numbers
	scratch := t.TempDir()
	inFile, err := SpectralRows(t.Context(), rows, k, SpectralOptions{Scratch: scratch}, rand.New(rand.NewPCG(1, 1)))
	testutil.NoError(t, err)
	_, _, file, err := rowsEmbedding(t.Context(), rows, k, SpectralOptions{Scratch: scratch}, rand.New(rand.NewPCG(1, 1)))
	testutil.NoError(t, err)
	restore()
	if !slices.Equal(inFile.Labels, found.Labels) {
		t.Error("the embedding in a scratch file gives other clusters")
	}
	if file == nil { // a precondition
		t.Fatal("the embedding is not in a scratch file")
	}
	file.Close()
	if files, _ := os.ReadDir(scratch); len(files) > 0 {
		t.Errorf("%d files are left", len(files))
	}
	want := testutil.Value(Spectral(t.Context(), Gram(z), k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	renamed := map[int]int{} // each cluster of SpectralRows as Spectral numbers it
	for i, c := range found.Labels {
		if _, ok := renamed[c]; !ok {
			renamed[c] = want.Labels[i]
		}
		if renamed[c] != want.Labels[i] {
			t.Fatalf("row %d is in cluster %d, which is %d of Spectral, want %d", i, c, renamed[c], want.Labels[i])
		}
	}
	plain := testutil.Value(DaviesBouldinGram(t.Context(), z, want.Labels)).OrFatal(t)
	index := testutil.Value(DaviesBouldinRows(t.Context(), rows, want.Labels)).OrFatal(t)
	if !near(index, plain, 1e-8) {
		t.Errorf("index %v, want %v", index, plain)
	}
}

// TestRowsOfFewColumns checks SpectralRows with four clusters of rows of two columns, which have only two
// eigenvectors. The rows are in three directions, or 0: each direction is a cluster, and so are the rows
// of zeros. In SpectralRows and DaviesBouldinRows, a number that is not finite is an error. It names
// the number's place or, where rows are computed when they are asked for, only its row.
func TestRowsOfFewColumns(t *testing.T) {
	const n, nonzero, k = 300, 290, 4
	z := blas32.General{Rows: n, Cols: 2, Stride: 2, Data: make([]float32, 2*n)}
	for i := range nonzero {
		angle := math.Pi / 8 * (float64(i%3) + 0.5)
		z.Data[2*i], z.Data[2*i+1] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}
	found := testutil.Value(SpectralRows(t.Context(), linalg.LocalRows(linalg.InMemory(z)), k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	for i, got := range found.Labels {
		alike := i % 3 // the first row of the same direction
		if i >= nonzero {
			alike = n - 1 // a row of zeros
		}
		if want := found.Labels[alike]; got != want {
			t.Fatalf("row %d is in cluster %d, want %d, that of row %d", i, got, want, alike)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		z.Data[2*270+1] = float32(bad) // row 270 is in the second block of rows
		for want, source := range map[string]linalg.Source{
			fmt.Sprintf("row 270, column 1: value %v, want a finite number", bad): linalg.InMemory(z),
			"row 270 has a number that is not finite":                             computed{linalg.InMemory(z)},
		} {
			_, err := SpectralRows(t.Context(), linalg.LocalRows(source), k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))
			testutil.Fails(t, err, "spectral clustering: "+want)
			_, err = DaviesBouldinRows(t.Context(), linalg.LocalRows(source), found.Labels)
			testutil.Fails(t, err, "Davies–Bouldin index: "+want)
		}
	}
}
