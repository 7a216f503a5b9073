package run

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/testutil"
)

// tables is a graph in CSV files, some of whose nodes come later.
type tables struct {
	g      *graph.Graph // the whole graph
	dir    string       // the folder of the files
	old    string       // the path of the table of the old nodes
	new    string       // of the table of the nodes that come later
	within string       // of the edges between old nodes
	later  string       // of the edges with a new node
}

// planted returns a planted graph of 400 nodes as tables, of which the last 80 nodes come later.
func planted(t *testing.T) tables {
	t.Helper()
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 400, Classes: 4, MeanDegree: 6, Homophily: 0.9, Features: 120, Words: 15, Topic: 0.5, Seed: 3})).OrFatal(t)
	s := tables{g: g, dir: t.TempDir()}
	const first = 320
	nodes := [2][][]string{{{"id", "words"}}, {{"id", "words"}}}
	edges := [2][][]string{{{"source", "target"}}, {{"source", "target"}}}
	for i := range g.N() {
		var words []string
		g.Features.EachInRow(i, func(j int, _ float32) { words = append(words, fmt.Sprintf("word%d", j)) })
		late := 0
		if i >= first {
			late = 1
		}
		nodes[late] = append(nodes[late], []string{id(i), strings.Join(words, " ")})
		neighbors, _ := g.Adjacency.Row(i)
		for _, j := range neighbors {
			if int(j) < i {
				edges[late] = append(edges[late], []string{id(i), id(int(j))})
			}
		}
	}
	write := func(name string, rows [][]string) string {
		path := filepath.Join(s.dir, name)
		f := testutil.Value(os.Create(path)).OrFatal(t)
		defer f.Close()
		testutil.NoError(t, csv.NewWriter(f).WriteAll(rows))
		return path
	}
	s.old, s.new = write("old.csv", nodes[0]), write("new.csv", nodes[1])
	s.within, s.later = write("within.csv", edges[0]), write("later.csv", edges[1])
	return s
}

// id returns the id of node i.
func id(i int) string { return fmt.Sprintf("n%d", i) }

// trained returns a model of the old nodes, and the training that it is made of.
func (s tables) trained(t *testing.T) (*Model, *encoder.Result) {
	t.Helper()
	l := testutil.Value(input.Open(t.Context(), input.Source{Nodes: s.old, Edges: s.within})).OrFatal(t)
	o := encoder.Options{Filter: laplacian.Filter{K: 2. / 3, Layers: 3}, Config: encoder.Config{Dims: 48, Epochs: 30, Clusters: 4, Seed: 1}}
	r := testutil.Value(encoder.Fit(t.Context(), l.Graph, o)).OrFatal(t)
	return newModel(l, r, learned{Settings: o.Config}, centersOf(t, r.Embedding, r.Labels), "test"), r
}

// newNodes returns the source of the new nodes, with the edges in the file at a path; "" for none.
func (s tables) newNodes(edges string) input.Source { return input.Source{Nodes: s.new, Edges: edges} }

// matrix writes features to a new .npy file and returns its path.
func (s tables) matrix(t *testing.T, x graph.Features) string {
	t.Helper()
	f := testutil.Value(os.CreateTemp(s.dir, "*.npy")).OrFatal(t)
	defer f.Close()
	testutil.NoError(t, npy.WriteMatrix(f, x.ToDense()))
	return f.Name()
}

// TestDenseModel: a model with dense features is written with few allocations and read again with the same features. It
// predicts the same as the model with the same features in a sparse matrix, as models of earlier versions have them.
func TestDenseModel(t *testing.T) {
	g := testutil.Value(dataset.Planted(t.Context(), dataset.PlantedConfig{Nodes: 3000, Classes: 3, MeanDegree: 6, Homophily: 0.9, Features: 200, Words: 30, Topic: 0.5, Seed: 3})).OrFatal(t)
	x := g.Features.ToDense()
	whole := *g
	whole.Features = graph.Features{Dense: &x}
	o := encoder.Options{Filter: laplacian.Filter{K: 2. / 3, Layers: 2}, Config: encoder.Config{Dims: 16, Epochs: 2, Clusters: 3, Seed: 1}}
	r := testutil.Value(encoder.Fit(t.Context(), &whole, o)).OrFatal(t)
	m := newModel(&input.Data{Graph: &whole}, r, learned{Settings: o.Config}, centersOf(t, r.Embedding, r.Labels), "test")
	sparse := *m
	sparse.Graph = &graph.Graph{Name: g.Name, Adjacency: g.Adjacency, Features: g.Features, FeatureNames: g.FeatureNames}
	features := g.Features.ToDense()
	features.Rows = 10
	new := input.Source{Features: tables{dir: t.TempDir()}.matrix(t, graph.Features{Dense: &features})}
	var want *Predicted
	for k, model := range []*Model{&sparse, m} {
		path := filepath.Join(t.TempDir(), "model.npz")
		testutil.NoError(t, atomicfile.Write(path, model.write))
		loaded := testutil.Value(LoadModel(t.Context(), path)).OrFatal(t)
		if back := loaded.Graph.Features.Dense; k == 1 && (back == nil || !slices.Equal(back.Data, x.Data)) {
			t.Error("dense features came back as others")
		}
		got := testutil.Value(loaded.Predict(t.Context(), new, false)).OrFatal(t)
		if want == nil {
			want = got
		}
		if !slices.Equal(got.Embedding.Data, want.Embedding.Data) || !slices.Equal(got.Clusters, want.Clusters) {
			t.Error("a model with dense features predicts otherwise")
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	testutil.NoError(t, m.write(io.Discard))
	runtime.ReadMemStats(&after)
	if taken, size := after.TotalAlloc-before.TotalAlloc, uint64(4*len(x.Data)); taken > size {
		t.Errorf("%d bytes allocated to write a model with features of %d", taken, size)
	}
}

// TestNewNodes: the clusters of nodes that come later agree with the planted classes about as well as those of the nodes
// in the training. A model that was written and read again embeds the same. Confidences are 0 to 1.
func TestNewNodes(t *testing.T) {
	s := planted(t)
	m, r := s.trained(t)
	old := metric.Accuracy(s.g.Labels[:320], r.Labels)
	again, _, _ := explain.Assign(r.Embedding, m.Centers)
	if agree := metric.Accuracy(r.Labels, again); agree < 0.97 {
		t.Errorf("the nearest centers agree with %.3f of the clusters", agree)
	}
	path := filepath.Join(s.dir, "model.npz")
	var b bytes.Buffer
	testutil.NoError(t, m.write(&b))
	testutil.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	loaded := testutil.Value(LoadModel(t.Context(), path)).OrFatal(t)
	var embeddings [2]blas32.General
	for k, model := range []*Model{m, loaded} {
		g, _, _, err := input.Extend(t.Context(), model.Graph, model.About.Reading, s.newNodes(s.later))
		if err != nil {
			t.Fatal(err)
		}
		if g.N() != 400 || g.Edges() != s.g.Edges() || g.NodeNames[320] != id(320) {
			t.Fatalf("%d nodes and %d edges, want 400 and %d", g.N(), g.Edges(), s.g.Edges())
		}
		if embeddings[k], err = model.Encoder.Embed(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(embeddings[0].Data, embeddings[1].Data) {
		t.Error("the loaded model embeds otherwise")
	}
	clusters, _, confidence := explain.Assign(embeddings[1], loaded.Centers)
	later := metric.Accuracy(slices.Concat(s.g.Labels[:320], s.g.Labels[320:]), slices.Concat(r.Labels, clusters[320:]))*400 - old*320
	if later /= 80; later < old-0.05 {
		t.Errorf("ACC %.3f of the later nodes, %.3f of those in training", later, old)
	}
	for i, c := range confidence {
		if !(c >= 0 && c <= 1) {
			t.Errorf("node %d: confidence %v", i, c)
		}
	}
	encoded, err := encoder.Load(path)
	if err != nil || !slices.Equal(encoded.Weights[0].W.Data, m.Encoder.Weights[0].W.Data) {
		t.Errorf("the encoder alone: %v", err)
	}
}

// TestMatrix: a model of a graph whose features are a matrix takes new nodes as a matrix, and numbers them after the old
// ones. The extended graph is embedded exactly as the whole graph from which the parts were taken.
func TestMatrix(t *testing.T) {
	s := planted(t)
	const first = 320
	part := func(from, end int) graph.Features {
		var entries []graph.Entry
		for i := from; i < end; i++ {
			s.g.Features.EachInRow(i, func(j int, v float32) {
				entries = append(entries, graph.Entry{Row: int32(i - from), Col: int32(j), Value: v})
			})
		}
		_, f := s.g.Features.Dims()
		return graph.Features{Sparse: graph.FromEntries(end-from, f, entries)}
	}
	var u, v [2][]int32 // of the old edges, and of those that come later
	for i := range s.g.N() {
		late := 0
		if i >= first {
			late = 1
		}
		neighbors, _ := s.g.Adjacency.Row(i)
		for _, j := range neighbors {
			if int(j) < i {
				u[late], v[late] = append(u[late], int32(i)), append(v[late], j)
			}
		}
	}
	old := &graph.Graph{Name: "old", Features: part(0, first)}
	var err error
	if old.Adjacency, err = graph.Adjacency(first, u[0], v[0], nil); err != nil {
		t.Fatal(err)
	}
	o := encoder.Options{Filter: laplacian.Filter{K: 2. / 3, Layers: 3}, Config: encoder.Config{Dims: 16, Epochs: 5, Clusters: 4, Seed: 1}}
	r := testutil.Value(encoder.Fit(t.Context(), old, o)).OrFatal(t)
	m := newModel(&input.Data{Graph: old}, r, learned{Settings: o.Config}, centersOf(t, r.Embedding, r.Labels), "test")
	var list strings.Builder
	for k := range u[1] {
		fmt.Fprintln(&list, u[1][k], v[1][k])
	}
	edges := filepath.Join(s.dir, "later.tsv")
	testutil.NoError(t, os.WriteFile(edges, []byte(list.String()), 0o600))
	new := input.Source{Features: s.matrix(t, part(first, s.g.N())), Edges: edges}
	g, _, _, err := input.Extend(t.Context(), m.Graph, input.Reading{}, new)
	if err != nil {
		t.Fatal(err)
	}
	if g.NodeNames[first] != "320" || g.Edges() != s.g.Edges() {
		t.Errorf("node %d is %s, %d edges: want 320 and %d", first, g.NodeNames[first], g.Edges(), s.g.Edges())
	}
	whole := testutil.Value(m.Encoder.Embed(t.Context(), s.g)).OrFatal(t)
	if z, err := m.Encoder.Embed(t.Context(), g); err != nil || !slices.Equal(z.Data, whole.Data) {
		t.Errorf("the extended graph embeds otherwise than the whole one (%v)", err)
	}
}

// TestIsolated: new nodes without edges do not change the embedding of the old ones, and are embedded alone, without the
// old graph, as in it.
func TestIsolated(t *testing.T) {
	s := planted(t)
	m, r := s.trained(t)
	g, _, _, err := input.Extend(t.Context(), m.Graph, m.About.Reading, s.newNodes(""))
	if err != nil {
		t.Fatal(err)
	}
	all := testutil.Value(m.Encoder.Embed(t.Context(), g)).OrFatal(t)
	found := testutil.Value(m.Predict(t.Context(), s.newNodes(""), true)).OrFatal(t)
	alone := found.Embedding
	// near fails the test unless the given number of rows of a, from a row on, are the first rows of b.
	near := func(name string, a, b blas32.General, from, rows int) {
		for i := range rows {
			for j := range a.Cols {
				if d := a.Data[(from+i)*a.Stride+j] - b.Data[i*b.Stride+j]; d > 1e-5 || d < -1e-5 {
					t.Fatalf("%s: row %d differs by %v", name, i, d)
				}
			}
		}
	}
	near("old nodes", all, r.Embedding, 0, 320)
	near("new nodes", all, alone, 320, 80)
}

// TestRefuses: new nodes that do not fit the model, a model file with a damaged array, and a file of an encoder without
// the rest of the model are errors that say what is wrong.
func TestRefuses(t *testing.T) {
	s := planted(t)
	m, _ := s.trained(t)
	words := filepath.Join(s.dir, "x.csv")
	testutil.NoError(t, os.WriteFile(words, []byte("id\nq\n"), 0o600))
	bare := *m
	bare.About.Recipe = nil
	matrix := s.matrix(t, m.Graph.Features)
	wide := s.matrix(t, graph.Features{Sparse: graph.FromEntries(320, 7, []graph.Entry{{Value: 1}})})
	for _, test := range map[string]struct {
		m    *Model
		new  input.Source
		want string
	}{
		"an old id":   {m, input.Source{Nodes: s.old}, `id "n0" is that of nodes 0 and 320: want a different one for each; the first 320 nodes are the model's`},
		"other edges": {m, s.newNodes(s.new), "want the 400 ids of the nodes"},
		"no recipe":   {&bare, s.newNodes(""), "features, 0 of them from a table: want Source.Features, a matrix with the others"},
		"no table":    {m, input.Source{}, "want Source.Nodes, a table of the new nodes"},
		"no ids":      {&bare, input.Source{Features: matrix}, "the model's nodes have ids"},
		"wider":       {&bare, input.Source{Nodes: s.old, Features: wide}, "have 7 features, 0 of them from a table: want"},
		"fewer rows":  {&bare, input.Source{Nodes: s.new, Features: matrix}, "has 320 rows: want one for each of the 80 nodes"},
		"no words":    {m, input.Source{Nodes: words}, `x.csv: no column "words"`},
	} {
		testutil.Value(test.m.Predict(t.Context(), test.new, false)).Fails(t, test.want)
	}
	damaged := func(change func(*Model)) string {
		t.Helper()
		d := *m
		recipe := *m.About.Recipe
		recipe.Columns = slices.Clone(recipe.Columns)
		d.About.Recipe = &recipe
		d.Centers.Data = slices.Clone(m.Centers.Data)
		change(&d)
		var b bytes.Buffer
		testutil.NoError(t, d.write(&b))
		path := filepath.Join(s.dir, "damaged.npz")
		testutil.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		_, err := LoadModel(t.Context(), path)
		return fmt.Sprint(err)
	}
	if err := damaged(func(d *Model) { d.Centers.Data[3] = float32(math.NaN()) }); !strings.Contains(err, "damaged.npz: array model_centers: a value is not finite") {
		t.Error(err)
	}
	if err := damaged(func(d *Model) { d.About.Recipe.Columns[0].IDF = d.About.Recipe.Columns[0].IDF[1:] }); !strings.Contains(err, `recipe: column "words"`) {
		t.Error(err)
	}
	// Counts that ask for more memory than any machine has.
	const huge = 1_000_000_000
	for want, change := range map[string]func(*Model){
		"array model_about: nearest is 1000000000: want at most 319, since there are 320 nodes": func(d *Model) { d.About.Nearest = huge },
		"array model_about: nearest is -1: want at most 319":                                    func(d *Model) { d.About.Nearest = -1 },
		"array model_about: settings of 1000000000 encoders with":                               func(d *Model) { d.About.Settings.Members = huge },
		"array model_about: 1 names, want 4, one for each cluster":                              func(d *Model) { d.About.Names = []string{"one"} },
		"with 1000000000 dims: want those of the encoder in the file":                           func(d *Model) { d.About.Settings.Dims = huge },
	} {
		if err := damaged(change); !strings.Contains(err, want) {
			t.Errorf("error %s, want %s", err, want)
		}
	}
	path := filepath.Join(s.dir, "encoder.npz")
	testutil.NoError(t, m.Encoder.Save(path))
	testutil.Value(LoadModel(t.Context(), path)).Fails(t, "encoder.npz: has no array model_about: want a model of `agekit fit --out`")
}

// TestInAnyCompany: a new node that has edges only to old ones gets exactly the same embedding, cluster and confidence
// alone as together with all new nodes. There are ten such nodes or more.
func TestInAnyCompany(t *testing.T) {
	s := planted(t)
	m, _ := s.trained(t)
	all := testutil.Value(m.Predict(t.Context(), s.newNodes(s.later), false)).OrFatal(t)
	rows, edges := readCSV(t, s.new), readCSV(t, s.later)
	place := map[string]int{}
	for i, id := range all.IDs {
		place[id] = i
	}
	tried := 0
	for k, row := range rows[1:] {
		neighbors, friends := [][]string{edges[0]}, false
		for _, e := range edges[1:] {
			if e[0] != row[0] && e[1] != row[0] {
				continue
			}
			other := e[0]
			if other == row[0] {
				other = e[1]
			}
			_, new := place[other]
			friends, neighbors = friends || new, append(neighbors, e)
		}
		if friends || len(neighbors) == 1 {
			continue
		}
		write := func(name string, records [][]string) string {
			var b strings.Builder
			testutil.NoError(t, csv.NewWriter(&b).WriteAll(records))
			path := filepath.Join(s.dir, name)
			testutil.NoError(t, os.WriteFile(path, []byte(b.String()), 0o666))
			return path
		}
		source := s.newNodes(write("one-edges.csv", neighbors))
		source.Nodes = write("one.csv", [][]string{rows[0], row})
		alone := testutil.Value(m.Predict(t.Context(), source, false)).OrFatal(t)
		with := all.Embedding.Data[k*all.Embedding.Stride:][:all.Embedding.Cols]
		if tried++; !slices.Equal(alone.Embedding.Data[:alone.Embedding.Cols], with) || alone.Clusters[0] != all.Clusters[k] || alone.Confidence[0] != all.Confidence[k] {
			t.Fatalf("%s is in cluster %d (%v) alone, and %d (%v) with all others", row[0], alone.Clusters[0], alone.Confidence[0], all.Clusters[k], all.Confidence[k])
		}
	}
	if tried < 10 {
		t.Errorf("%d nodes have no edges to new ones, want 10 or more", tried)
	}
}

// centersOf returns the centers of clusters of an embedding in memory.
func centersOf(t *testing.T, z blas32.General, clusters []int) blas32.General {
	t.Helper()
	return testutil.Value(explain.Centers(t.Context(), linalg.LocalRows(linalg.InMemory(z)), clusters)).OrFatal(t)
}
