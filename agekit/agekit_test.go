package agekit

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// printed returns what the function do prints on standard output, as a notebook cell would
// show it.
func printed(t *testing.T, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	testutil.NoError(t, err)
	text := make(chan string)
	go func() { // while do runs, or a full pipe would stop it
		all, _ := io.ReadAll(r)
		text <- string(all)
	}()
	stdout := os.Stdout
	os.Stdout = w
	defer func() { os.Stdout = stdout }()
	do()
	w.Close()
	return <-text
}

// small is a graph on which trainings take a moment.
const small = "planted:n=250,f=80,classes=3,degree=6,words=10,topic=0.5"

// load returns the graph that Load returns, or fails the test.
func load(t *testing.T, name string) *graph.Graph {
	t.Helper()
	return testutil.Value(Load(name)).OrFatal(t)
}

// fromEdges returns a graph of x.Rows nodes with the features x, the labels, nil for none, and
// the edges.
func fromEdges(t *testing.T, x blas32.General, labels []int, edges ...[2]int32) *graph.Graph {
	t.Helper()
	var u, v []int32
	for _, e := range edges {
		u, v = append(u, e[0]), append(v, e[1])
	}
	a := testutil.Value(graph.Adjacency(x.Rows, u, v, nil)).OrFatal(t)
	g := &graph.Graph{Name: "test", Adjacency: a, Features: graph.Features{Dense: &x}, Labels: labels}
	if labels != nil {
		g.Classes = slices.Max(labels) + 1
	}
	return g
}

// complete returns the complete graph of 5 nodes with four features. Its L̃sym is I − J/5, where
// all entries of J are 1: the constant vector has eigenvalue 0, and all vectors that sum to 0
// have eigenvalue 1.
func complete(t *testing.T) *graph.Graph {
	t.Helper()
	x := blas32.General{Rows: 5, Cols: 4, Stride: 4, Data: []float32{
		3, 1, 0, 1,
		3, 0, 0, 0,
		3, 0, 0, 1,
		3, 0, 0, 0,
		3, 0, 0, 0,
	}}
	var edges [][2]int32
	for i := range int32(5) {
		for j := range i {
			edges = append(edges, [2]int32{i, j})
		}
	}
	return fromEdges(t, x, nil, edges...)
}

// TestDescribe compares the table with Cora's known statistics: those of the paper's table 1,
// which counts the edges as listed, and others of the same data.
func TestDescribe(t *testing.T) {
	text := strings.Join(strings.Fields(Describe(load(t, "cora")).Text), " ")
	const want = "cora nodes 2708 edges as listed 5429 distinct edges, no loops 5278 features 1433 entries that are not 0 49216 classes 7 " +
		"nodes without a neighbor 0 connected components 78 largest degree 168"
	if text != want {
		t.Errorf("table %s, want %s", text, want)
	}
}

// TestSmooth compares with a formula: on the complete graph, where λmax = 1, a filter maps a
// signal x to mean + (1−k)ᵗ(x − mean). On a planted graph, InverseLambdaMax gives the same
// features as 1/λmax, and another k others. A k of 0, as from 2/3 in integers, and a negative
// k are errors.
func TestSmooth(t *testing.T) {
	g := complete(t)
	for _, test := range []struct {
		k      float64
		layers int
		keeps  float64 // (1−k)ᵗ
	}{{InverseLambdaMax, 1, 0}, {1, 1, 0}, {0.5, 1, 0.5}, {0.5, 3, 0.125}, {InverseLambdaMax, 0, 1}} {
		got := testutil.Value(Smooth(g, test.k, test.layers)).OrFatal(t)
		x := g.Features.Dense
		for j := range x.Cols {
			mean := 0.0
			for i := range x.Rows {
				mean += float64(x.Data[i*x.Stride+j]) / 5
			}
			for i := range x.Rows {
				want := mean + test.keeps*(float64(x.Data[i*x.Stride+j])-mean)
				if v := float64(got.Data[i*got.Stride+j]); math.Abs(v-want) > 1e-6 {
					t.Errorf("k %v, %d layers: entry %d, %d is %v, want %v", test.k, test.layers, i, j, v, want)
				}
			}
		}
	}

	planted := load(t, small)
	lambda := testutil.Value(LambdaMax(planted)).OrFatal(t)
	byDefault := testutil.Value(Smooth(planted, InverseLambdaMax, 4)).OrFatal(t)
	named := testutil.Value(Smooth(planted, 1/lambda, 4)).OrFatal(t)
	other := testutil.Value(Smooth(planted, 0.9/lambda, 4)).OrFatal(t)
	if !slices.Equal(byDefault.Data, named.Data) || slices.Equal(byDefault.Data, other.Data) {
		t.Error("InverseLambdaMax is not k = 1/λmax")
	}
	//lint:ignore SA4025 what a user writes by mistake
	testutil.Value(Smooth(g, 2/3, 8)).Fails(t, "write 2.0/3")
	testutil.Value(Smooth(g, -2, 1)).Fails(t, "k is -2")
}

// TestSmoothWarns: Smooth prints a warning if its filter makes high frequencies grow, and
// nothing otherwise. On the complete graph λmax is 1, so a layer multiplies the part of a
// signal beside its mean by 1 − k, which is below −1 for k > 2.
func TestSmoothWarns(t *testing.T) {
	g := complete(t)
	for _, test := range []struct {
		k      float64
		layers int
		want   string
	}{
		{2.5, 3, "k = 2.5 is above 2/λmax = 2: high frequencies grow instead of shrinking, the highest 1.5-fold with each layer."},
		{2.5, 0, ""}, {1.99, 3, ""}, {1, 3, ""}, {2.0 / 3, 8, ""}, {InverseLambdaMax, 3, ""},
	} {
		got := printed(t, func() {
			if _, err := Smooth(g, test.k, test.layers); err != nil {
				t.Error(err)
			}
		})
		if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("k = %v, %d layers prints %q, want %q", test.k, test.layers, got, test.want)
		}
	}
	noEdges := fromEdges(t, blas32.General{Rows: 2, Cols: 1, Stride: 1, Data: []float32{1, 2}}, nil)
	if got := printed(t, func() { Must(Smooth(noEdges, 3, 1)) }); got != "" {
		t.Errorf("without edges, nothing grows, but Smooth prints %q", got)
	}
}

// TestRayleighQuotients compares with a formula: on the complete graph, R(x) is the share of
// |x|² that the mean does not account for. The column of zeros has no quotient.
func TestRayleighQuotients(t *testing.T) {
	g := complete(t)
	got := RayleighQuotients(g, *g.Features.Dense)
	want := []float64{0, 1 - 1.0/5, 1 - 2.0/5} // 1 − (Σx)²/(5·Σx²)
	if len(got) != len(want) {
		t.Fatalf("quotients %v, want %v", got, want)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-6 {
			t.Errorf("quotients %v, want %v", got, want)
		}
	}
}

// sameRows returns nil if two matrices have equal entries, whatever their strides, or else an
// error that says where they differ.
func sameRows(a, b blas32.General) error {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return fmt.Errorf("%d×%d, want %d×%d", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	for i := range a.Rows {
		if !slices.Equal(a.Data[i*a.Stride:i*a.Stride+a.Cols], b.Data[i*b.Stride:i*b.Stride+b.Cols]) {
			return fmt.Errorf("row %d differs", i)
		}
	}
	return nil
}

// TestDamagedStore: eigenvalues whose entry in the store is damaged are computed again, are the
// same as before, and are then read from the store.
func TestDamagedStore(t *testing.T) {
	g := load(t, "planted:n=80,f=20,words=4,seed=9")
	var want, got []float64
	text := printed(t, func() { want = Must(Eigenvalues(g)) })
	if !strings.HasPrefix(text, "eigenvalues: computed in ") {
		t.Errorf("the first time it printed %q", text)
	}
	// damage changes one bit in the middle of a file.
	damage := func(path string) {
		data := testutil.Value(os.ReadFile(path)).OrFatal(t)
		data[len(data)/2] ^= 1
		testutil.NoError(t, os.WriteFile(path, data, 0o644))
	}
	entries, err := filepath.Glob(filepath.Join(cell.Store().Dir, "*.entry"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		damage(e)
	}
	text = printed(t, func() { got = Must(Eigenvalues(g)) })
	if !strings.HasPrefix(text, "eigenvalues: computed in ") || !slices.Equal(got, want) {
		t.Errorf("from a damaged entry: %q, %v", text, got)
	}
	text = printed(t, func() { got = Must(Eigenvalues(g)) })
	if !strings.HasPrefix(text, "eigenvalues: from the store") || !slices.Equal(got, want) {
		t.Errorf("after that: %q, %v", text, got)
	}
}

// clouds returns 80 points, by turns near the first and near the second of three axes, at
// various distances from the origin, and the axis of each point.
func clouds() (x blas32.General, axes []int) {
	x = blas32.General{Rows: 80, Cols: 3, Stride: 3, Data: make([]float32, 240)}
	for i := range 80 {
		axis := i % 2
		axes = append(axes, axis)
		length := float32(1 + i%5)
		x.Data[3*i+axis] = length
		x.Data[3*i+2] = length * float32(i) / 800
	}
	return x, axes
}

// TestPrinted: the helper printed returns what a function prints.
func TestPrinted(t *testing.T) {
	if text := printed(t, func() { fmt.Print("this") }); text != "this" {
		t.Errorf("printed %q", text)
	}
}
