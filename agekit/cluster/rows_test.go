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

// computed is a source that copies its rows to the buffer, as one that computes them.
type computed struct{ linalg.InMemory }

func (c computed) Block(buffer []float32, lo, hi int) blas32.General {
	block := linalg.Shape(hi-lo, c.Cols)
	block.Data = buffer[:block.Rows*block.Stride]
	clear(block.Data)
	linalg.CopyRows(linalg.From32(block), linalg.From32(c.InMemory.Block(nil, lo, hi)))
	return block
}

// clouds returns rows of length 1 without negative numbers around k centers, row i in
// group i mod k.
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

// TestRowsEmbedding compares the spectral embedding of rows with the eigenvectors of the
// n×n matrix that it stands for, in every scaling. The products are float32, so the
// tolerance is 1e-5 of the largest number of a column.
func TestRowsEmbedding(t *testing.T) {
	const n, d, k = 700, 40, 4
	z := clouds(n, d, k)
	var product mat.Dense
	full := linalg.Float64(z)
	product.Mul(full, full.T())
	roots := make([]float64, n)
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
	slices.Reverse(want)
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

// TestRowsAgree: rows that are computed block by block give the clusters of Spectral on the
// matrix, and its Davies–Bouldin index to 1e-8: distances of centers come from the Gram matrix,
// whose products are float32, in place of n coordinates. A scratch file changes nothing.
func TestRowsAgree(t *testing.T) {
	const n, d, k = 3000, 60, 5
	z := clouds(n, d, k)
	found := testutil.Value(SpectralRows(t.Context(), linalg.LocalRows(computed{linalg.InMemory(z)}), k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	restore := system.SetMemory(1 << 20) // a sixteenth is less than n·k numbers
	scratch := t.TempDir()
	inFile, err := SpectralRows(t.Context(), linalg.LocalRows(computed{linalg.InMemory(z)}), k, SpectralOptions{Scratch: scratch}, rand.New(rand.NewPCG(1, 1)))
	_, _, file, _ := rowsEmbedding(t.Context(), linalg.LocalRows(computed{linalg.InMemory(z)}), k, SpectralOptions{Scratch: scratch}, rand.New(rand.NewPCG(1, 1)))
	restore()
	if err != nil || !slices.Equal(inFile.Labels, found.Labels) || file == nil {
		t.Errorf("the embedding in a scratch file (%v): other clusters, %v", file, err)
	} else {
		file.Close()
	}
	if files, _ := os.ReadDir(scratch); len(files) > 0 {
		t.Errorf("%d files are left", len(files))
	}
	want := testutil.Value(Spectral(t.Context(), Gram(z), k, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	renamed := map[int]int{}
	for i, c := range found.Labels {
		if _, ok := renamed[c]; !ok {
			renamed[c] = want.Labels[i]
		}
		if renamed[c] != want.Labels[i] {
			t.Fatalf("row %d is in cluster %d, which is %d of Spectral, want %d", i, c, renamed[c], want.Labels[i])
		}
	}
	plain := testutil.Value(DaviesBouldinGram(t.Context(), z, want.Labels)).OrFatal(t)
	index, err := DaviesBouldinRows(t.Context(), linalg.LocalRows(computed{linalg.InMemory(z)}), want.Labels)
	if err != nil || !near(index, plain, 1e-8) {
		t.Errorf("index %v (%v), want %v", index, err, plain)
	}
}

// TestRowsOfFewColumns: of rows in three directions with two columns, and some that are 0, each
// direction is a cluster, and so are the rows that are 0. A number that is not finite is an error that
// names its place or, where rows are computed when they are asked for, its row.
func TestRowsOfFewColumns(t *testing.T) {
	z := blas32.General{Rows: 300, Cols: 2, Stride: 2, Data: make([]float32, 600)}
	for i := range 290 {
		angle := math.Pi / 8 * (float64(i%3) + 0.5)
		z.Data[2*i], z.Data[2*i+1] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}
	found := testutil.Value(SpectralRows(t.Context(), linalg.LocalRows(linalg.InMemory(z)), 4, SpectralOptions{}, rand.New(rand.NewPCG(1, 1)))).OrFatal(t)
	for i, got := range found.Labels {
		alike := i % 3 // the first row of the same direction
		if i >= 290 {
			alike = 299 // the last row of zeros
		}
		if want := found.Labels[alike]; got != want {
			t.Fatalf("row %d is in cluster %d, want %d, that of row %d", i, got, want, alike)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		z.Data[2*270+1] = float32(bad) // in the second block
		for want, source := range map[string]linalg.Source{
			fmt.Sprintf("row 270, column 1: value %v, want a finite number", bad): linalg.InMemory(z),
			"row 270 has a number that is not finite":                             computed{linalg.InMemory(z)},
		} {
			if _, err := SpectralRows(t.Context(), linalg.LocalRows(source), 4, SpectralOptions{}, rand.New(rand.NewPCG(1, 1))); err == nil || err.Error() != "spectral clustering: "+want {
				t.Errorf("error %v", err)
			}
			if _, err := DaviesBouldinRows(t.Context(), linalg.LocalRows(source), found.Labels); err == nil || err.Error() != "Davies–Bouldin index: "+want {
				t.Errorf("error %v", err)
			}
		}
	}
}
