package engine

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
	"pgregory.net/rapid"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/mapped"
	"github.com/agekit/age/internal/testutil"
)

// randomGraph draws a graph of n nodes, weighted or not, with sparse or dense features in so many columns.
func randomGraph(t *rapid.T, n, columns int) *graph.Graph {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	var u, v []int32
	var w []float32
	for range 3 * n {
		u, v, w = append(u, rnd.Int32N(int32(n))), append(v, rnd.Int32N(int32(n))), append(w, 0.1+rnd.Float32())
	}
	if rapid.Bool().Draw(t, "binary") {
		w = nil
	}
	a := testutil.Value(graph.Adjacency(n, u, v, w)).OrFatal(t)
	x := blas32.General{Rows: n, Cols: columns, Stride: columns, Data: make([]float32, n*columns)}
	for k := range x.Data {
		if rnd.IntN(3) == 0 {
			x.Data[k] = rnd.Float32()
		}
	}
	x.Data[0] = 1
	g := &graph.Graph{Adjacency: a, Features: graph.Features{Dense: &x}}
	if rapid.Bool().Draw(t, "sparse") {
		g.Features = graph.Features{Sparse: graph.FromDense(x)}
	}
	return g
}

// content returns the numbers in the first bytes of a task's file, and the rest, its footer.
func content(t interface{ Fatal(...any) }, path string, bytes int) ([]float32, string) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) < bytes {
		t.Fatal(len(b), err)
	}
	return mapped.Numbers[float32](b[:bytes]), string(b[bytes:])
}

// TestSmooth: the file of a task has the bytes of the same columns from laplacian.Filter.Smooth in this
// process, for random graphs, layers and columns, with memory for tiles of various widths. No other
// file is left.
func TestSmooth(t *testing.T) {
	top := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := testutil.Value(os.MkdirTemp(top, "")).OrFatal(t)
		defer os.RemoveAll(dir)
		n, columns := rapid.SampledFrom([]int{5, 300, 777}).Draw(t, "nodes"), rapid.IntRange(1, 140).Draw(t, "columns")
		g := randomGraph(t, n, columns)
		folder := filepath.Join(dir, "g")
		testutil.NoError(t, graphfolder.Write(context.Background(), folder, g))
		s := Smooth{Folder: folder, Filter: laplacian.Filter{K: 0.6, Layers: rapid.IntRange(0, 4).Draw(t, "layers")}, Out: filepath.Join(dir, "block")}
		s.From = rapid.IntRange(0, columns-1).Draw(t, "from")
		s.Memory = int64(2 * 4 * n * rapid.IntRange(16, 90).Draw(t, "columns in memory")) // two buffers of float32
		s.To = min(columns, s.From+rapid.IntRange(1, laplacian.TileWidth(n, columns, s.Memory)).Draw(t, "width"))
		if _, err := s.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := testutil.Value(s.Filter.Smooth(context.Background(), laplacian.New(g.Adjacency), g.Features)).OrFatal(t)
		cols := s.To - s.From
		got, _ := content(t, s.Out, 4*n*cols)
		for i := range n {
			if a, b := got[i*cols:][:cols], want.Data[i*want.Stride+s.From:][:cols]; !bytes.Equal(mapped.Bytes(a), mapped.Bytes(b)) {
				t.Fatalf("node %d: %v, want %v", i, a, b)
			}
		}
		if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
			t.Fatalf("%q are left", files)
		}
	})
}

// TestSmoothAgain: a whole file of the same task is reused, also with other memory. A file that is
// damaged in any way is made again, with the same bytes as at first, and one of another task is
// replaced.
func TestSmoothAgain(t *testing.T) {
	dir := t.TempDir()
	var g *graph.Graph
	rapid.Check(t, func(t *rapid.T) { g = randomGraph(t, 50, 9) })
	testutil.NoError(t, graphfolder.Write(context.Background(), filepath.Join(dir, "g"), g))
	s := Smooth{Folder: filepath.Join(dir, "g"), From: 2, To: 7, Filter: laplacian.Filter{K: 0.5, Layers: 2}, Memory: 1 << 20, Out: filepath.Join(dir, "block")}
	run := func(what string, wantReused bool) []byte {
		t.Helper()
		reused, err := s.Run(t.Context())
		if err != nil || reused != wantReused {
			t.Fatalf("%s: there is %v (%v), want %v", what, reused, err, wantReused)
		}
		return testutil.Value(os.ReadFile(s.Out)).OrFatal(t)
	}
	first := run("first", false)
	s.Memory = 128 * 50 // of 16 columns: the width of a tile does not count
	if again := run("again", true); !bytes.Equal(again, first) {
		t.Error("the file changed")
	}
	for name, damage := range map[string]func([]byte) []byte{
		"a bit":        func(b []byte) []byte { b[77] ^= 1; return b },
		"cut":          func(b []byte) []byte { return b[:len(b)-9] },
		"cut inside":   func(b []byte) []byte { return append(b[:4], b[8:]...) },
		"empty":        func([]byte) []byte { return nil },
		"a long text":  func(b []byte) []byte { b[len(b)-9] = 0x7f; return b },
		"another mark": func(b []byte) []byte { b[len(b)-1]++; return b },
	} {
		testutil.NoError(t, os.WriteFile(s.Out, damage(bytes.Clone(first)), 0o666))
		if got := run(name, false); !bytes.Equal(got, first) {
			t.Errorf("%s: other bytes than at first", name)
		}
	}
	s.Filter.Layers++
	run("another task", false)
}

func TestSmoothErrors(t *testing.T) {
	dir := t.TempDir()
	var g *graph.Graph
	rapid.Check(t, func(t *rapid.T) { g = randomGraph(t, 50, 9) })
	folder := filepath.Join(dir, "g")
	testutil.NoError(t, graphfolder.Write(context.Background(), folder, g))
	good := Smooth{Folder: folder, From: 2, To: 7, Filter: laplacian.Filter{K: 0.5, Layers: 2}, Memory: 1 << 20, Out: filepath.Join(dir, "block")}
	for says, change := range map[string]func(*Smooth){
		"memory is 6.3 kB: want at least 6.4 kB": func(s *Smooth) { s.Memory = 6300 },
		"k is 0":                                 func(s *Smooth) { s.Filter.K = 0 },
		"feature 2: beyond the largest float32: want smaller":  func(s *Smooth) { s.Filter = laplacian.Filter{K: 1e9, Layers: 20} },
		"manifest.json: no such file":                          func(s *Smooth) { s.Folder = dir },
		filepath.Join(dir, "none") + ": no such file or direc": func(s *Smooth) { s.Out = filepath.Join(dir, "none", "block") },
	} {
		s := good
		change(&s)
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), says) && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := good.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*block*")); len(files) > 0 {
		t.Errorf("%q are left", files)
	}
}
