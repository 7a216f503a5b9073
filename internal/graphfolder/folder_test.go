package graphfolder_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/progress/progresstest"
)

// small returns a weighted graph with sparse features, labels and ids, and a binary one with
// dense features alone.
func small() map[string]*graph.Graph {
	weighted, err := graph.Adjacency(4, []int32{0, 1, 2}, []int32{1, 2, 0}, []float32{1, 2.5, 0.5})
	if err != nil {
		panic(err)
	}
	binary, err := graph.Adjacency(3, []int32{0, 1}, []int32{2, 2}, nil)
	if err != nil {
		panic(err)
	}
	x := graph.FromEntries(4, 9, []graph.Entry{{Row: 0, Col: 8, Value: 1}, {Row: 2, Col: 1, Value: 2}, {Row: 2, Col: 3, Value: 1}})
	return map[string]*graph.Graph{
		"weighted": {Adjacency: weighted, Features: graph.Features{Sparse: x}, Labels: []int{0, graph.Unknown, 1, 0}, Classes: 2, ClassNames: []string{"a", "b"},
			NodeNames: []string{"ann", "", "eve", "kim"}, ListedEdges: 7},
		"binary": {Adjacency: binary, Features: graph.Features{Dense: &blas32.General{Rows: 3, Cols: 2, Stride: 2, Data: []float32{1, 2, 3, 4, 5, 6}}}, ListedEdges: 2},
	}
}

// write writes g to a new folder and returns its path.
func write(t testing.TB, g *graph.Graph) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "g")
	if err := graphfolder.Write(context.Background(), dir, g); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFolder: the graph that is opened is the one that was written, D̃^-½ is what its definition gives
// from the degrees, and Check finds nothing wrong.
func TestFolder(t *testing.T) {
	for name, g := range small() {
		g.Name = "g" // the folder's
		dir := write(t, g)
		f, err := graphfolder.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(f.Graph, g) {
			t.Errorf("%s: %+v, want %+v", name, f.Graph, g)
		}
		for i, s := range f.Scale {
			degree := g.Adjacency.MeanWeight()
			for _, w := range g.Adjacency.Each(i) {
				degree += float64(w)
			}
			if want := 1 / math.Sqrt(degree); s != want {
				t.Errorf("%s: node %d has D̃^-½ %v, want %v", name, i, s, want)
			}
		}
		f.Close()
		if _, err := graphfolder.Check(t.Context(), dir, progresstest.Forward(t, "checking")); err != nil {
			t.Error(err)
		}
	}
}

// folderFiles returns the names of a folder's files.
func folderFiles(t testing.TB, dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestDamaged: Open returns an error for each file of a folder that is missing, cut or empty, and Check
// for each in which a bit changed. The errors name the file.
func TestDamaged(t *testing.T) {
	for _, g := range small() {
		dir := write(t, g)
		for _, name := range folderFiles(t, dir) {
			path := filepath.Join(dir, name)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			put := func(content []byte) {
				if err := os.WriteFile(path, content, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for what, content := range map[string][]byte{"shorter": whole[:len(whole)/2], "empty": nil} {
				put(content)
				if f, err := graphfolder.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), path) {
					t.Errorf("%s %s: %+v, error %v", name, what, f, err)
				}
			}
			if name != "manifest.json" {
				changed := slices.Clone(whole)
				changed[len(changed)/2] ^= 1
				put(changed)
				if _, err := graphfolder.Check(t.Context(), dir, nil); err == nil || !strings.Contains(err.Error(), path+": SHA-256") {
					t.Errorf("%s changed: error %v", name, err)
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if _, err := graphfolder.Open(t.Context(), dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s missing: error %v", name, err)
			}
			put(whole)
		}
	}
}

// TestManifest: a manifest with a wrong number, or with files that do not suit its numbers, is an error
// that names the manifest and says what is wrong.
func TestManifest(t *testing.T) {
	dir := write(t, small()["weighted"])
	path := filepath.Join(dir, "manifest.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(m map[string]any){
		"format 2: want 1":         func(m map[string]any) { m["format"] = 2 },
		"0 nodes: want 1 to":       func(m map[string]any) { m["nodes"] = 0 },
		"2147483648 nodes":         func(m map[string]any) { m["nodes"] = 1 << 31 },
		"entries: want 0 or more":  func(m map[string]any) { m["entries"] = 1 << 62 },
		"mean weight 0":            func(m map[string]any) { m["mean_weight"] = 0 },
		"features in 0 columns":    func(m map[string]any) { m["features"] = map[string]any{} },
		"indptr.i64 of 40 bytes":   func(m map[string]any) { m["nodes"] = 2 },
		"want no such file":        func(m map[string]any) { m["files"].(map[string]any)["../x"] = map[string]any{"bytes": 1} },
		"want both or none":        func(m map[string]any) { delete(m["files"].(map[string]any), "ids.txt") },
		"scale.f64 of 0 bytes":     func(m map[string]any) { delete(m["files"].(map[string]any), "scale.f64") },
		"labels.i64\" of 32 bytes": func(m map[string]any) { delete(m, "classes") },
	} {
		var m map[string]any
		if err := json.Unmarshal(whole, &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		content, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := graphfolder.ReadManifest(dir); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// FuzzOpen: a folder of which file k has arbitrary bytes opens or is an error. All arrays of a graph that
// opens can be read without a panic, and its columns are within the matrix.
func FuzzOpen(f *testing.F) {
	graphs := small()
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		for k, file := range folderFiles(f, write(f, graphs[name])) {
			content, err := os.ReadFile(filepath.Join(write(f, graphs[name]), file))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(name == "weighted", uint8(k), content)
		}
	}
	f.Fuzz(func(t *testing.T, weighted bool, k uint8, content []byte) {
		g := graphs["binary"]
		if weighted {
			g = graphs["weighted"]
		}
		dir := write(t, g)
		names := folderFiles(t, dir)
		if err := os.WriteFile(filepath.Join(dir, names[int(k)%len(names)]), content, 0o666); err != nil {
			t.Fatal(err)
		}
		o, err := graphfolder.Open(context.Background(), dir)
		if err != nil {
			return
		}
		defer o.Close()
		sum := 0.
		for _, m := range []*graph.CSR{o.Graph.Adjacency, o.Graph.Features.Sparse} {
			for i := 0; m != nil && i < m.Rows; i++ {
				for j, v := range m.Each(i) {
					if j < 0 || j >= m.Cols {
						t.Fatalf("column %d of %d", j, m.Cols)
					}
					sum += float64(v)
				}
			}
		}
		for i, name := range o.Graph.NodeNames {
			sum += float64(len(name)) + o.Scale[i]
		}
		for _, class := range o.Graph.Labels {
			if class >= 0 {
				sum += float64(len(o.Graph.ClassNames[class]))
			}
		}
		_ = sum
	})
}
