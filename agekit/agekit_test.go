package agekit

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/rows"
	"github.com/agekit/age/internal/testnotebook"
	"gonum.org/v1/gonum/blas/blas32"
)

func TestMain(m *testing.M) { testnotebook.Main(m) }

// printed returns what do prints on standard output, which a notebook cell
// would show.
func printed(t *testing.T, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
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

const small = "planted:n=250,f=80,classes=3,degree=6,words=10,topic=0.5"

func load(t *testing.T, name string) *graph.Graph {
	t.Helper()
	g, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// fromEdges returns a graph of x.Rows nodes with the given features.
func fromEdges(t *testing.T, x blas32.General, labels []int, edges ...[2]int32) *graph.Graph {
	t.Helper()
	var u, v []int32
	for _, e := range edges {
		u, v = append(u, e[0]), append(v, e[1])
	}
	a, err := graph.Adjacency(x.Rows, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &graph.Graph{Name: "test", Adjacency: a, Features: graph.Features{Dense: &x}, Labels: labels}
	if labels != nil {
		g.Classes = slices.Max(labels) + 1
	}
	return g
}

// complete returns the complete graph of 5 nodes, whose L̃sym is I − J/5: the
// constant vector has eigenvalue 0, and all vectors that sum to 0 have
// eigenvalue 1.
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

func TestLoad(t *testing.T) {
	t.Setenv("AGEKIT_DATASET", small)
	if g := load(t, ""); g.Name != small || g.N() != 250 || g.Edges() != 750 || g.Classes != 3 {
		t.Errorf("%s: %d nodes, %d edges, %d classes", g.Name, g.N(), g.Edges(), g.Classes)
	}
	if g := load(t, "planted:n=60"); g.N() != 60 {
		t.Errorf("%s: $AGEKIT_DATASET overrides an explicit name", g.Name)
	}
	t.Setenv("AGEKIT_DATASET", "")
	if g := load(t, ""); g.Name != "cora" || g.N() != 2708 {
		t.Errorf("%s: %d nodes, want cora", g.Name, g.N())
	}
	t.Setenv("AGEKIT_DATASET", "coral")
	if _, err := Load(""); err == nil || !strings.Contains(err.Error(), `unknown data set "coral"`) {
		t.Errorf("error %v", err)
	}
}

func TestLoadFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	edges, features := write("mine.tsv", "0\t1\n1\t2\n"), write("x.csv", "1,2\n3,4\n5,6\n")
	g, err := LoadFiles(edges, features, "")
	if err != nil {
		t.Fatal(err)
	}
	if g.Name != "mine" || g.N() != 3 || g.Edges() != 2 || g.Labels != nil {
		t.Errorf("%+v", g)
	}
	path := filepath.Join(dir, "whole.npz")
	if err := input.WriteArrays(path, g); err != nil {
		t.Fatal(err)
	}
	if whole := load(t, path); whole.Name != "whole" || whole.Edges() != 2 || !slices.Equal(whole.Features.ToDense().Data, g.Features.ToDense().Data) {
		t.Errorf("%+v", whole)
	}
	if _, err := LoadFiles(edges, features, write("l.txt", "a\nb\n")); err == nil || !strings.Contains(err.Error(), "l.txt: 2 labels, want 3") {
		t.Errorf("error %v", err)
	}
}

// TestDescribe compares with Cora's statistics. The paper's table 1 counts the
// edges as listed.
func TestDescribe(t *testing.T) {
	text := strings.Join(strings.Fields(Describe(load(t, "cora")).Text), " ")
	const want = "cora nodes 2708 edges as listed 5429 distinct edges, no loops 5278 features 1433 entries that are not 0 49216 classes 7 " +
		"nodes without a neighbor 0 connected components 78 largest degree 168"
	if text != want {
		t.Errorf("table %s, want %s", text, want)
	}
}

func TestSettings(t *testing.T) {
	g := load(t, small)
	want := encoder.Options{}.WithDefaults()
	want.Clusters = 3
	if c := Settings(g); c.Filter != want.Filter || c.Config != want.Config {
		t.Errorf("settings %+v, want %+v", c, want)
	}
}

// TestSmooth: on the complete graph, k = 1/λmax = 1 reduces every signal to
// its mean in one step, and any k maps x to mean + (1−k)ᵗ(x − mean).
func TestSmooth(t *testing.T) {
	g := complete(t)
	for _, test := range []struct {
		k      float64
		layers int
		keeps  float64
	}{{InverseLambdaMax, 1, 0}, {1, 1, 0}, {0.5, 1, 0.5}, {0.5, 3, 0.125}, {InverseLambdaMax, 0, 1}} {
		got, err := Smooth(g, test.k, test.layers)
		if err != nil {
			t.Fatal(err)
		}
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
	lambda, err := LambdaMax(planted)
	if err != nil {
		t.Fatal(err)
	}
	byDefault, err := Smooth(planted, InverseLambdaMax, 4)
	if err != nil {
		t.Fatal(err)
	}
	named, err := Smooth(planted, 1/lambda, 4)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Smooth(planted, 0.9/lambda, 4)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(byDefault.Data, named.Data) || slices.Equal(byDefault.Data, other.Data) {
		t.Error("InverseLambdaMax is not k = 1/λmax")
	}
	//lint:ignore SA4025 what a user writes by mistake
	if _, err := Smooth(g, 2/3, 8); err == nil || !strings.Contains(err.Error(), "write 2.0/3") {
		t.Errorf("error %v, want one that explains integer division", err)
	}
	if _, err := Smooth(g, -2, 1); err == nil || !strings.Contains(err.Error(), "k is -2") {
		t.Errorf("error %v", err)
	}
}

// TestSmoothWarns: a filter that makes high frequencies grow says so, and only
// such a filter. On the complete graph λmax is 1: the part of a signal beside its
// mean is multiplied by 1 − k.
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

// TestRayleighQuotients uses the complete graph, where R(x) is the share of
// |x|² that the mean does not account for. The zero column is left out.
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

// TestScore uses two triangles as clusters: modularity is 1/2, no edge joins
// the two, and the scores are 1 if the clusters are the classes.
func TestScore(t *testing.T) {
	x := blas32.General{Rows: 6, Cols: 1, Stride: 1, Data: make([]float32, 6)}
	triangles := [][2]int32{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}}
	clusters, one := []int{1, 1, 1, 0, 0, 0}, []int{0, 0, 0, 0, 0, 0}
	for _, test := range []struct {
		labels []int
		want   string
	}{
		{[]int{0, 0, 0, 1, 1, 1}, "right 1.000 1.000 1.000 1.000 0.500 0.000 all in one 0.500 0.000 0.000 0.333 0.000 0.000"},
		{nil, "right – – – – 0.500 0.000 all in one – – – – 0.000 0.000"},
	} {
		table := Score(fromEdges(t, x, test.labels, triangles...), []string{"right", "all in one"}, clusters, one)
		if table.Show() != nil {
			t.Error(table.Show())
		}
		text := strings.Join(strings.Fields(table.Text), " ")
		if want := "ACC NMI ARI F1 modularity conductance " + test.want; text != want {
			t.Errorf("table %s, want %s", text, want)
		}
		if strings.Count(table.HTML, "<tr>") != 3 || strings.Count(table.HTML, "<td") != 14 {
			t.Errorf("page %s", table.HTML)
		}
	}
}

// TestTrain: the first call computes the result; the second reads the same
// bytes from the store. Both equal the encoder's own result. Other settings
// give another result.
func TestTrain(t *testing.T) {
	g := load(t, small)
	c := Settings(g)
	c.Dims, c.Epochs, c.UpdateEvery, c.BatchSize, c.Seed = 24, 6, 2, 500, 7
	train := func() (r *encoder.Result, text string) {
		t.Helper()
		text = printed(t, func() {
			var err error
			if r, err = Train(g, c); err != nil {
				t.Fatal(err)
			}
		})
		return r, text
	}
	first, text := train()
	if !regexp.MustCompile(`(?m)^training: computed in [\d.]+ s, saved for the next cell\n\z`).MatchString(text) {
		t.Errorf("the first time it printed %q", text)
	}
	second, text := train()
	if !regexp.MustCompile(`^training: from the store, in \d+ ms\n$`).MatchString(text) {
		t.Errorf("the second time it printed %q", text)
	}
	want := fit(t, g, c)
	for name, r := range map[string]*encoder.Result{"first": first, "second": second} {
		if err := sameRows(r.Embedding, want.Embedding); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := sameRows(r.Encoder.Weights[0].W, want.Encoder.Weights[0].W); err != nil || !slices.Equal(r.Encoder.Weights[0].B, want.Encoder.Weights[0].B) {
			t.Errorf("%s: different weights: %v", name, err)
		}
		if !slices.Equal(r.Labels, want.Labels) || r.DaviesBouldin != want.DaviesBouldin || r.LambdaMax != want.LambdaMax ||
			r.Encoder.Filter != want.Encoder.Filter || r.Backend != "native" || !reflect.DeepEqual(r.Members, want.Members) {
			t.Errorf("%s: %+v, want %+v", name, r, want)
		}
	}
	c.Seed++
	other, text := train()
	if !strings.Contains(text, "computed in") || sameRows(other.Embedding, want.Embedding) == nil {
		t.Errorf("with another seed it printed %q", text)
	}
	c.Epochs = -1
	if _, err := Train(g, c); err == nil || !strings.Contains(err.Error(), "training: epochs is -1") {
		t.Errorf("error %v", err)
	}
	t.Setenv("AGEKIT_BACKEND", "tpu")
	if _, err := Train(g, c); err == nil || !strings.Contains(err.Error(), `unknown backend "tpu"`) {
		t.Errorf("error %v", err)
	}
}

func fit(t *testing.T, g *graph.Graph, c encoder.Options) *encoder.Result {
	t.Helper()
	r, err := encoder.Fit(t.Context(), g, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTrainBest: computed once, then read from the store, with the clusters
// and the embedding of the encoder's best mode.
func TestTrainBest(t *testing.T) {
	g := load(t, small)
	c := Settings(g)
	c.Dims, c.Epochs, c.UpdateEvery, c.Seed = 24, 6, 2, 7
	want := fit(t, g, c.Best())
	for _, printing := range []string{`(?m)^training 3 of 3$(?s).*best training: computed in [\d.]+ s, saved for the next cell\n\z`, `^best training: from the store, in \d+ ms\n$`} {
		var got *encoder.Result
		text := printed(t, func() {
			var err error
			if got, err = TrainBest(g, c); err != nil {
				t.Fatal(err)
			}
		})
		if !regexp.MustCompile(printing).MatchString(text) {
			t.Errorf("it printed %q, want %s", text, printing)
		}
		if err := sameRows(got.Embedding, want.Embedding); err != nil {
			t.Error(err)
		}
		if !slices.Equal(got.Labels, want.Labels) || got.DaviesBouldin != want.DaviesBouldin || len(got.Members) != 3 {
			t.Errorf("%d members, index %v, want 3 and %v, or different clusters", len(got.Members), got.DaviesBouldin, want.DaviesBouldin)
		}
		for k, m := range got.Members {
			if sameRows(got.Encoder.Weights[k].W, want.Encoder.Weights[k].W) != nil || m.Epoch != want.Members[k].Epoch {
				t.Errorf("member %d differs", k)
			}
		}
	}
	c.Epochs = -1
	if _, err := TrainBest(g, c); err == nil || !strings.Contains(err.Error(), "training in best mode: epochs is -1") {
		t.Errorf("error %v", err)
	}
}

// sameRows compares two matrices bit for bit, ignoring their strides.
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

// TestDamagedStore: a damaged entry is recomputed.
func TestDamagedStore(t *testing.T) {
	g := load(t, "planted:n=80,f=20,words=4,seed=9")
	var want, got []float64
	text := printed(t, func() { want = Must(Eigenvalues(g)) })
	if !strings.HasPrefix(text, "eigenvalues: computed in ") {
		t.Errorf("the first time it printed %q", text)
	}
	damage := func(path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := filepath.Glob(filepath.Join(results().Dir(), "*.entry"))
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

// TestSpectrum uses the complete graph, which has the eigenvalues 0, 1, 1, 1,
// 1. The density estimate finds both extremes.
func TestSpectrum(t *testing.T) {
	g := complete(t)
	for range 2 { // computed, then read from the store
		var values []float64
		printed(t, func() { values = Must(Eigenvalues(g)) })
		if len(values) != 5 {
			t.Fatalf("eigenvalues %v", values)
		}
		for i, want := range []float64{0, 1, 1, 1, 1} {
			if math.Abs(values[i]-want) > 1e-12 {
				t.Errorf("eigenvalues %v, want 0, 1, 1, 1, 1", values)
			}
		}
		printed(t, func() {
			d := Must(Density(g))
			if q := d.Quantiles(0, 1); math.Abs(q[0]) > 1e-9 || math.Abs(q[1]-1) > 1e-9 {
				t.Errorf("extremes %v, want 0 and 1", q)
			}
		})
	}
	if lambda, err := LambdaMax(g); err != nil || math.Abs(lambda-1) > 1e-12 {
		t.Errorf("λmax %v, %v", lambda, err)
	}
}

// clouds returns 40 points around one axis and 40 around another, at various
// distances from the origin.
func clouds() (x blas32.General, of []int) {
	x = blas32.General{Rows: 80, Cols: 3, Stride: 3, Data: make([]float32, 240)}
	for i := range 80 {
		side := i % 2
		of = append(of, side)
		length := float32(1 + i%5)
		x.Data[3*i+side] = length
		x.Data[3*i+2] = length * float32(i) / 800
	}
	return x, of
}

// TestTSNE: the map keeps two clouds apart, and the second call reads it from
// the store. Another matrix gives another result.
func TestTSNE(t *testing.T) {
	x, of := clouds()
	var first, second, other blas32.General
	text := printed(t, func() { first = Must(TSNE("clouds", x, 0)) })
	if !strings.Contains(text, "t-SNE of clouds: computed in ") {
		t.Errorf("the first time it printed %q", text)
	}
	text = printed(t, func() { second = Must(TSNE("clouds", x, 0)) })
	if !regexp.MustCompile(`^t-SNE of clouds: from the store, in \d+ ms\n$`).MatchString(text) {
		t.Errorf("the second time it printed %q", text)
	}
	if err := sameRows(second, first); err != nil || first.Rows != 80 || first.Cols != 2 {
		t.Errorf("%d×%d; from the store: %v", first.Rows, first.Cols, err)
	}
	labels, err := Cluster(rows.Normalize(x), 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range labels {
		if (l == labels[0]) != (of[i] == of[0]) {
			t.Errorf("clusters %v", labels)
			break
		}
	}
	for i := range 80 { // the nearest other point is in the same cloud
		nearest, best := -1, math.Inf(1)
		for j := range 80 {
			dx, dy := float64(first.Data[i*first.Stride]-first.Data[j*first.Stride]), float64(first.Data[i*first.Stride+1]-first.Data[j*first.Stride+1])
			if d := math.Hypot(dx, dy); j != i && d < best {
				nearest, best = j, d
			}
		}
		if of[nearest] != of[i] {
			t.Errorf("nearest to point %d is %d, in the other cloud", i, nearest)
		}
	}
	x.Data[0]++
	text = printed(t, func() { other = Must(TSNE("clouds", x, 0)) })
	if !strings.Contains(text, "computed in ") || sameRows(other, first) == nil {
		t.Errorf("for another matrix it printed %q", text)
	}
}

// TestSelect: only the direction of a row matters, and the selection matches
// the encoder's.
func TestSelect(t *testing.T) {
	x, _ := clouds()
	got, err := Select(x, 0.1, 0.6)
	if err != nil {
		t.Fatal(err)
	}
	if want := 640; len(got.I) != want { // of 80² ordered pairs
		t.Errorf("%d positive pairs, want %d", len(got.I), want)
	}
	unit := rows.Normalize(x)
	lowest, cosines := math.Inf(1), []float64{}
	selected := map[[2]int32]bool{}
	for k := range got.I {
		selected[[2]int32{got.I[k], got.J[k]}] = true
	}
	for i := range 80 {
		for j := range 80 {
			c := 0.0
			for f := range 3 {
				c += float64(unit.Data[i*unit.Stride+f]) * float64(unit.Data[j*unit.Stride+f])
			}
			cosines = append(cosines, c)
			if selected[[2]int32{int32(i), int32(j)}] {
				lowest = min(lowest, c)
			}
		}
	}
	slices.Sort(cosines)
	if want := cosines[len(cosines)-640]; len(selected) != 640 || math.Abs(lowest-want) > 1e-6 || math.Abs(float64(got.PosThreshold)-want) > 1e-6 {
		t.Errorf("%d distinct pairs down to %v, threshold %v, want 640 down to %v", len(selected), lowest, got.PosThreshold, want)
	}
	if _, err := Select(x, 0, 0.6); err == nil || !strings.Contains(err.Error(), "no positive pairs") {
		t.Errorf("error %v", err)
	}
	if _, err := Select(x, 0.7, 0.6); err == nil || !strings.Contains(err.Error(), "cross") {
		t.Errorf("error %v, want one that says the thresholds cross", err)
	}
}

// TestPrinted checks that printed captures what cells print.
func TestPrinted(t *testing.T) {
	if text := printed(t, func() { fmt.Print("this") }); text != "this" {
		t.Errorf("printed %q", text)
	}
}
