package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/settings"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

// TestLoad: a folder whose files are missing, damaged or of different runs is an error that names the file. A folder
// without a model is loaded.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) {
		t.Helper()
		testutil.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	fails := func(want string) {
		t.Helper()
		testutil.Value(Load(t.Context(), dir)).Fails(t, want)
	}
	fails("run.json does not exist: want the folder of a run")
	put("run.json", "{")
	fails("run.json: unexpected end of JSON input")
	put("run.json", `{"n": 2, "view": "color"}`)
	fails("color: want features, edges, both, unlike or age")
	put("run.json", `{"schema_version": 1, "n": 2}`)
	fails("run.json: schema_version is 1: want 2")
	put("run.json", `{"schema_version": 2, "n": 2, "labels_sha256": "`+sum([]int{0, 1})+`", "clusters": [{}, {}], "columns": {"id": "id", "cluster": "cluster"}}`)
	fails("nodes.csv")
	put("nodes.csv", "id,cluster\na,0\nb,1\nc,1\n")
	fails("has 2 nodes, nodes.csv 3: want files of the same run")
	put("nodes.csv", "id,0,cluster\na,5,0\nb,6,1\n") // a column with a number as its name
	put("model.npz", "no archive")
	fails("model.npz")
	os.Remove(filepath.Join(dir, "model.npz"))
	p, err := Load(t.Context(), dir)
	if err != nil || p.Model != nil || p.Nodes().Rows != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
}

// TestInterruptedSave: if Save is interrupted at any time, it leaves no file; otherwise it leaves all seven.
func TestInterruptedSave(t *testing.T) {
	const n, d = 3000, 200 // the embeddings fill two and a half buffers
	adjacency := testutil.Value(graph.Adjacency(n, nil, nil, nil)).OrFatal(t)
	g := &graph.Graph{Adjacency: adjacency, Features: graph.Features{Dense: &blas32.General{Rows: n, Cols: 5, Stride: 5, Data: make([]float32, 5*n)}}}
	result := &encoder.Result{
		Encoder:   &encoder.Encoder{Filter: laplacian.Filter{K: 1, Layers: 1}, Features: 5, Weights: []encoder.Weights{{W: blas32.General{Rows: 5, Cols: d, Stride: d, Data: make([]float32, 5*d)}, B: make([]float32, d)}}},
		Embedding: blas32.General{Rows: n, Cols: d, Stride: d, Data: make([]float32, n*d)},
		Labels:    make([]int, n),
	}
	data := &input.Data{Graph: g}
	r := &Run{Data: data, Embedding: result.Embedding, Labels: result.Labels, Log: []string{"a line"}, Model: newModel(data, result, learned{}, centersOf(t, result.Embedding, result.Labels), "")}
	testutil.Interrupt(t, "output", 5, func(ctx context.Context) error {
		dir := t.TempDir()
		err := r.Save(ctx, dir)
		entries, _ := os.ReadDir(dir)
		files := 0
		for _, e := range entries {
			if e.Name()[0] != '.' {
				files++
			}
		}
		if errors.Is(err, context.Canceled) && files != 0 || err == nil && files != 7 {
			t.Errorf("%v, %d files", err, files)
		}
		return err
	})
}

// TestFolderOfOneRun: after a second run is saved to a folder, the files of the first run that the second one does not
// have are gone. If a file of the first run is put back, or the clusters in nodes.csv are changed, Load refuses the folder.
// Odd ids and names of columns are loaded as they were.
func TestFolderOfOneRun(t *testing.T) {
	dir, odd := t.TempDir(), "#n1"
	path := func(name string) string { return filepath.Join(dir, name) }
	nodes := table.Table{Rows: 4, Columns: []table.Column{table.NewWords("id", []string{odd, "b", "two\nlines", "d"}), table.NewNumbers("2019", []int{1, 2, 3, 4}), table.NewWords(" a", []string{"x", "n/a", "y", "\tz"}), table.NewWords("a", []string{"p", "q", "r", "s"})}}
	adjacency := testutil.Value(graph.Adjacency(4, []int32{0, 2}, []int32{1, 3}, nil)).OrFatal(t)
	g := &graph.Graph{Adjacency: adjacency, NodeNames: []string{odd, "b", "two\nlines", "d"}, Features: graph.Features{Dense: &blas32.General{Rows: 4, Cols: 1, Stride: 1, Data: []float32{1, 2, 3, 4}}}}
	fit := func(seed uint64, caller method.Method) *Run {
		t.Helper()
		return testutil.Value(Fit(t.Context(), &input.Data{Graph: g, Nodes: &nodes, LabelColumn: -1}, &Options{
			Own: caller,
			Settings: settings.Settings{
				Clusters: views.Exactly(2), Filter: laplacian.Filter{K: 0.5, Layers: 1},
				Config: encoder.Config{Dims: 4, Epochs: 2, Thresholds: pairs.Thresholds{PosStart: 0.3, PosEnd: 0.3, NegStart: 0.4, NegEnd: 0.4}, Seed: seed},
			},
		})).OrFatal(t)
	}
	first := fit(1, nil)
	testutil.NoError(t, first.Save(t.Context(), dir, "graphml"))
	loaded := testutil.Value(Load(t.Context(), dir)).OrFatal(t)
	if id, _ := loaded.Data.Nodes.Columns[0].Text(0); id != odd || loaded.Data.Nodes.Columns[2].Name != " a" || loaded.Data.Nodes.Columns[3].Name != "a" {
		t.Errorf("id %q, columns %+v", id, loaded.Data.Nodes.Columns)
	}
	model := testutil.Value(os.ReadFile(path("model.npz"))).OrFatal(t)
	second := fit(1, fake{cluster: func(i int) int { return i % 2 }, bare: true})
	if slices.Equal(first.Labels, second.Labels) {
		t.Fatal("both runs have the same clusters")
	}
	testutil.NoError(t, second.Save(t.Context(), dir))
	for _, name := range []string{"model.npz", "embeddings.npy", "graph.graphml"} {
		if _, err := os.Stat(path(name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there (%v)", name, err)
		}
	}
	testutil.NoError(t, os.WriteFile(path("model.npz"), model, 0o666))
	testutil.Value(Load(t.Context(), dir)).Fails(t, "model.npz has other clusters than run.json: want files of the same run")
	text := testutil.Value(os.ReadFile(path("nodes.csv"))).OrFatal(t)
	testutil.NoError(t, os.WriteFile(path("nodes.csv"), []byte(strings.Replace(string(text), "p,0", "p,1", 1)), 0o666))
	testutil.Value(Load(t.Context(), dir)).Fails(t, "nodes.csv has other clusters")
}

// TestUserColumns: the user's columns that have the names of columns with results keep these names and their values. The
// columns with results get other names, which the record has. Views and levels have a column each.
func TestUserColumns(t *testing.T) {
	adjacency := testutil.Value(graph.Adjacency(2, []int32{0}, []int32{1}, nil)).OrFatal(t)
	users := []table.Column{table.NewWords("id", []string{"a", "b"}), table.NewWords("cluster", []string{"mine", "too"}), table.NewNumbers("cluster (found)", []int{8, 9}), table.NewNumbers("x", []int{5, 6})}
	r := &Run{
		Data:   &input.Data{Graph: &graph.Graph{Adjacency: adjacency, NodeNames: []string{"a", "b"}}, Nodes: &table.Table{Rows: 2, Columns: users}, LabelColumn: -1},
		Record: Record{Views: []explain.View{{Name: views.Edges, Labels: []int{1, 1}}, {Name: views.AGE, Labels: []int{0, 1}}}},
		Levels: []Level{{3, []int{2, 0}}},
		Labels: []int{0, 1}, Layout: blas32.General{Rows: 2, Cols: 2, Stride: 2, Data: []float32{0, 1, 2, 3}},
	}
	nodes, columns := r.nodes()
	var names []string
	for k, c := range nodes.Columns {
		names = append(names, c.Name)
		if k < len(users) && (c.Name != users[k].Name || c.Cell(1) != users[k].Cell(1)) {
			t.Errorf("%s: %s has become %s: %s", users[k].Name, users[k].Cell(1), c.Name, c.Cell(1))
		}
	}
	if want := []string{"id", "cluster", "cluster (found)", "x", "cluster (found) (found)", "cluster by edges", "cluster by AGE", "cluster of 3", "x (found)", "y"}; !slices.Equal(names, want) {
		t.Errorf("columns %q, want %q", names, want)
	}
	if edges, level := nodes.Columns[5], nodes.Columns[7]; edges.Cell(0) != "1" || level.Cell(0) != "2" || !slices.Equal(columns.Levels, []string{"cluster of 3"}) || !slices.Equal(columns.Views, names[5:7]) {
		t.Errorf("the view begins with cluster %s, the level with %s; %+v", edges.Cell(0), level.Cell(0), columns)
	}
	if columns.Cluster != "cluster (found) (found)" || columns.X != "x (found)" || columns.Y != "y" {
		t.Errorf("%+v", columns)
	}
}
