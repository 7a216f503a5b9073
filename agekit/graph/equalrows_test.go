package graph

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// tiedRows returns matrices of n rows with many ties, by what they hold.
func tiedRows(n int) map[string]blas32.General {
	rnd := rand.New(rand.NewPCG(1, 0))
	matrix := func(columns int, number func(i, c int) float32) blas32.General {
		x := blas32.General{Rows: n, Cols: columns, Stride: columns, Data: make([]float32, n*columns)}
		for p := range x.Data {
			x.Data[p] = number(p/columns, p%columns)
		}
		return x
	}
	kinds := func(count int) []int {
		all := make([]int, n)
		for i := range all {
			all[i] = rnd.IntN(count)
		}
		return all
	}
	first, second := kinds(2), kinds(2)
	words := kinds(12)
	is := func(yes bool) float32 {
		if yes {
			return 1
		}
		return 0
	}
	return map[string]blas32.General{
		"equal rows":     matrix(3, func(i, c int) float32 { return float32(c) }),
		"two categories": matrix(4, func(i, c int) float32 { return is(c/2 == 0 && first[i] == c%2 || c/2 == 1 && second[i] == c%2) }),
		"a grid":         matrix(2, func(i, c int) float32 { return float32([]int{i % 15, i / 15}[c]) }),
		"no two alike":   matrix(n, func(i, c int) float32 { return is(i == c) }),
		"a few words":    matrix(13, func(i, c int) float32 { return is(c == words[i] || c == 12 && i%3 == 0) }),
		"small groups":   matrix(2, func(i, c int) float32 { return float32([]int{i / 3, i / 12}[c]) }),
		"few are alone":  matrix(1, func(i, c int) float32 { return float32(max(0, i-n*3/4)) * float32(n) }),
	}
}

// permuted returns x with its rows and columns in another order, and the old number of each row.
func permuted(x blas32.General, rnd *rand.Rand) (blas32.General, []int) {
	rows, columns := rnd.Perm(x.Rows), rnd.Perm(x.Cols)
	y := x
	y.Data = make([]float32, len(x.Data))
	for i, row := range rows {
		for c, column := range columns {
			y.Data[i*y.Stride+c] = x.Data[row*x.Stride+column]
		}
	}
	return y, rows
}

// shape returns what each node of a graph looks like, with the nodes around it up to three steps away, and with
// the text of each: sorted, so that graphs that differ only in the order of their nodes have one shape.
func shape(a *CSR, text func(i int) string) []string {
	looks := make([]string, a.Rows)
	for i := range looks {
		looks[i] = text(i)
	}
	for range 3 {
		next := make([]string, a.Rows)
		for i := range next {
			var around []string
			for j := range a.Each(i) {
				around = append(around, looks[j])
			}
			slices.Sort(around)
			next[i] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, looks[i], around)))
		}
		looks = next
	}
	slices.Sort(looks)
	return looks
}

// TestNearestOfTies joins the rows of matrices with many ties to their ten nearest, in three orders of rows and
// columns. The graphs are the same but for the names of the nodes, no node has many more edges than others
// like it, and no row is left out.
func TestNearestOfTies(t *testing.T) {
	const n, k = 240, 10
	for name, x := range tiedRows(n) {
		var want []string
		for order := range uint64(3) {
			y, rows := x, make([]int, n)
			for i := range rows {
				rows[i] = i
			}
			if order > 0 {
				y, rows = permuted(x, rand.New(rand.NewPCG(order, 0)))
			}
			found, err := NearestEdges(t.Context(), y, y, k)
			if err != nil {
				t.Fatal(err)
			}
			a, err := Adjacency(n, found.U, found.V, nil)
			if err != nil {
				t.Fatal(err)
			}
			most := 0
			for i := range n {
				neighbors := slices.Clone(found.V[i*k : (i+1)*k])
				slices.Sort(neighbors)
				if len(slices.Compact(neighbors)) != k || slices.Contains(neighbors, int32(i)) {
					t.Fatalf("%s: row %d is joined to %v", name, i, found.V[i*k:(i+1)*k])
				}
				most = max(most, a.Indptr[i+1]-a.Indptr[i])
			}
			if found.Tied == 0 || found.First < 0 {
				t.Errorf("%s: no ties", name)
			}
			if most > 3*k {
				t.Errorf("%s: a node has %d neighbors, want no more than %d", name, most, 3*k)
			}
			got := shape(a, func(i int) string {
				row := slices.Clone(x.Data[rows[i]*x.Stride:][:x.Cols])
				if name == "no two alike" { // but for the order of the columns, all are
					slices.Sort(row)
				}
				return fmt.Sprint(row)
			})
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: the graph depends on the order of rows and columns", name)
			}
		}
	}
}

// TestNearestOfEqualQueries: new rows that equal many old ones, and each other, are not all joined to the same
// of these.
func TestNearestOfEqualQueries(t *testing.T) {
	const n, k, added = 240, 5, 96
	x := tiedRows(n)["equal rows"]
	queries := x
	queries.Rows, queries.Data = added, slices.Clone(x.Data[:added*x.Stride])
	found, err := NearestEdges(t.Context(), queries, x, k)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, n)
	for _, v := range found.V {
		counts[v]++
	}
	if most := slices.Max(counts); most > added*k/n {
		t.Errorf("%d new rows are joined to one old row, want %d to each", most, added*k/n)
	}
	if found.Tied != added || found.First != 0 {
		t.Errorf("%d tied, the first %d", found.Tied, found.First)
	}
}
