package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestFitPrograms: with the backend go, which is GoMLX's, the log and the JSON say how many programs were
// compiled, two, and in which time. With the native backend, which compiles nothing, the number is 0.
func TestFitPrograms(t *testing.T) {
	isolate(t)
	args := "fit --json --verbose --dataset " + planted + strings.Replace(quick, "native", "go", 1)
	code, out, errs := age(t, strings.Fields(args)...)
	if code != 0 || !strings.Contains(errs, "2 programs compiled in ") {
		t.Fatalf("exit %d, no line about 2 programs in\n%s", code, errs)
	}
	r := decoded[run.Record](t, out)
	if r.Programs != 2 {
		t.Errorf("%d programs, want 2", r.Programs)
	}
	if !(r.Seconds.Compile > 0) || r.Seconds.Compile > r.Seconds.Total {
		t.Errorf("compiled in %v of %v s", r.Seconds.Compile, r.Seconds.Total)
	}
	if native := fit(t, strings.Fields("--dataset "+planted+quick)...); native.Programs != 0 {
		t.Errorf("%d programs on the native backend", native.Programs)
	}
}

// TestFitReport compares the report of `agekit fit --json` with independent figures: λmax with that of
// gonum's eigenvalues of the dense Laplacian, the scores with those of package metric for labels.txt, and
// the Davies–Bouldin index with that of the files (checkDBI). The text report has the same values.
func TestFitReport(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	args := append(strings.Fields("--dataset "+planted+quick), "--seed", "3", "--out", dir)
	out, errs := succeeds(t, append([]string{"fit", "--json", "--verbose"}, args...)...)
	keys := decoded[map[string]any](t, out)
	for _, key := range strings.Fields("dataset n edges features lambda_max k acc nmi ari f1 modularity conductance dbi epoch seconds peak_rss_bytes backend seed") {
		if keys[key] == nil {
			t.Errorf("no %s in %s", key, out)
		}
	}
	for _, key := range strings.Fields("load filter select train cluster total") {
		if seconds, ok := keys["seconds"].(map[string]any)[key].(float64); !ok || seconds <= 0 {
			t.Errorf("seconds.%s is %v", key, seconds)
		}
	}
	r := decoded[run.Record](t, out)
	if s := r.Seconds; s.Load+s.Filter+s.Select+s.Train > s.Total { // clustering is beside them
		t.Errorf("the stages take longer than the whole run: %+v", s)
	}
	const meanDegree = 6 // of the planted graph
	if r.Dataset != planted || r.N != 300 || r.Edges != 300*meanDegree/2 || r.Features != 100 {
		t.Errorf("the report has another graph: %s", out)
	}
	if r.Backend != "native" || r.Seed != 3 || r.K != 2.0/3 {
		t.Errorf("the report has other settings: %s", out)
	}
	if r.PeakRSSBytes < 4<<20 || r.PeakRSSBytes > 64<<30 { // no process takes less, and this test not more
		t.Errorf("peak_rss_bytes is %d", r.PeakRSSBytes)
	}

	g := plantedGraph(t)
	laplacian, _ := dense(g)
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(g.N(), laplacian.RawMatrix().Data), false) {
		t.Fatal("no eigenvalues")
	}
	if values := eigen.Values(nil); !near(r.LambdaMax, slices.Max(values), 1e-9) {
		t.Errorf("lambda_max %v, want %v", r.LambdaMax, slices.Max(values))
	}
	labels := readLabels(t, dir)
	want := metric.Score(g, labels)
	for name, pair := range map[string][2]float64{ // of the report, and of labels.txt
		"acc":         {*r.ACC, *want.ACC},
		"nmi":         {*r.NMI, *want.NMI},
		"ari":         {*r.ARI, *want.ARI},
		"f1":          {*r.F1, *want.F1},
		"modularity":  {r.Modularity, want.Modularity},
		"conductance": {r.Conductance, want.Conductance},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s %v, that of labels.txt is %v", name, pair[0], pair[1])
		}
	}
	if *r.ACC < 0.4 { // a quarter by chance
		t.Errorf("acc %v", *r.ACC)
	}
	checkDBI(t, r, dir, errs)

	// The text report has the same values.
	text, _ := succeeds(t, append([]string{"fit", "--verbose"}, args...)...)
	for _, want := range []string{
		"300 nodes, 900 edges, 100 features",
		fmt.Sprintf("ACC %.4f  NMI %.4f  ARI %.4f  F1 %.4f", *r.ACC, *r.NMI, *r.ARI, *r.F1),
		fmt.Sprintf("epoch %d of 6", r.Epoch),
		"seed 3",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// checkDBI compares the Davies–Bouldin index of a report with the index of the rows of ẐẐᵗ, by package
// cluster, for the embeddings Ẑ and the labels in the folder dir. It also compares it with the index in the
// lines on the three saved epochs, in what was printed: that of the chosen epoch is the same, and none is
// lower.
func checkDBI(t *testing.T, r run.Record, dir, printed string) {
	t.Helper()
	z := readEmbeddings(t, dir)
	var gram mat.Dense
	gram.Mul(z, z.T())
	rows := blas32.General{Rows: r.N, Cols: r.N, Stride: r.N}
	for _, v := range gram.RawMatrix().Data {
		rows.Data = append(rows.Data, float32(v))
	}
	want := testutil.Value(cluster.DaviesBouldin(t.Context(), rows, readLabels(t, dir))).OrFatal(t)
	if !near(r.DBI, want, 1e-4*want) { // the files have float32
		t.Errorf("dbi %v, that of the output files is %v", r.DBI, want)
	}
	saved := regexp.MustCompile(`epoch (\d+) of 6: .*index ([\d.]+)`).FindAllStringSubmatch(printed, -1)
	if len(saved) != 3 {
		t.Fatalf("%d saved epochs in\n%s", len(saved), printed)
	}
	chosen := false
	for _, s := range saved {
		index, err := strconv.ParseFloat(s[2], 64)
		const rounding = 1e-4 // lines have four decimals
		if err != nil || index < r.DBI-rounding {
			t.Errorf("dbi %v, but epoch %s has %s", r.DBI, s[1], s[2])
		}
		if s[1] == strconv.Itoa(r.Epoch) && near(index, r.DBI, rounding) {
			chosen = true
		}
	}
	if !chosen {
		t.Errorf("epoch %d with dbi %v, printed was\n%s", r.Epoch, r.DBI, printed)
	}
}

// TestFitBest: best mode trains three times. It writes the three encoders, and as the embedding of a node
// their three embeddings one after the other, each of length 1/√3, so that the whole has length 1. The
// scores are those that package metric computes for labels.txt.
func TestFitBest(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	args := append(strings.Fields("--dataset "+planted+strings.Replace(quick, "--batch 500", "--best", 1)), "--out", dir)
	r := fit(t, args...)
	if len(r.AllEpochs) != 3 || r.Epoch != r.AllEpochs[0] {
		t.Errorf("epochs %v, and %d: want those of three trainings, and the first of them", r.AllEpochs, r.Epoch)
	}
	if r.Clusterings == 0 || r.Layers != 4 { // half of the eight of other modes
		t.Errorf("%d clusterings, t %d: want some, and 4", r.Clusterings, r.Layers)
	}
	if want := metric.Score(plantedGraph(t), readLabels(t, dir)); *r.ACC != *want.ACC || *r.ARI != *want.ARI {
		t.Errorf("ACC %v, ARI %v; those of labels.txt are %v, %v", *r.ACC, *r.ARI, *want.ACC, *want.ARI)
	}
	z := readEmbeddings(t, dir)
	if rows, cols := z.Dims(); rows != 300 || cols != 3*32 {
		t.Fatalf("%d×%d embeddings, want 300×96", rows, cols)
	}
	for i := range r.N {
		row := z.RowView(i).(*mat.VecDense)
		for k := range 3 {
			part := row.SliceVec(32*k, 32*k+32)
			if length := mat.Norm(part, 2); !near(length, 1/math.Sqrt(3), 1e-5) {
				t.Fatalf("node %d, training %d: length %v, want %v", i, k+1, length, 1/math.Sqrt(3))
			}
		}
	}
	model := testutil.Value(npz.Open(filepath.Join(dir, "model.npz"))).OrFatal(t)
	defer model.Close()
	if want := strings.Fields("W1.npy b1.npy W2.npy b2.npy W3.npy b3.npy k.npy t.npy unit.npy"); !slices.Equal(model.Keys()[:9], want) {
		t.Errorf("model.npz has %v, want %v and the model around the encoder", model.Keys(), want)
	}
	text, _ := succeeds(t, append([]string{"fit", "--verbose"}, args...)...)
	if want := "3 trainings combined, epochs "; !strings.Contains(text, want) {
		t.Errorf("no %q in %s", want, text)
	}
}

// TestFitModel recomputes every node's embedding with gonum, from the graph and the W and b in model.npz:
// X̃W + b with X̃ = HᵗX, each row scaled to [0, 1] and then to length 1. It does so for several numbers of
// layers t, and k. embeddings.npy must agree to float32's precision.
func TestFitModel(t *testing.T) {
	isolate(t)
	paperK := func(run.Record) float64 { return 2.0 / 3 }
	inverse := func(r run.Record) float64 { return 1 / r.LambdaMax }
	for _, test := range []struct {
		args   string
		layers int                        // that the report must have
		k      func(r run.Record) float64 // that the report must have
	}{
		{args: "", layers: 8, k: paperK}, // the defaults
		{args: "--layers 3 --k auto", layers: 3, k: inverse},
		{args: "--layers 0", layers: 0, k: paperK},
	} {
		dir := t.TempDir()
		r := fit(t, append(strings.Fields("--dataset "+planted+quick+" "+test.args), "--out", dir)...)
		if r.Layers != test.layers || r.K != test.k(r) {
			t.Errorf("%s: layers %d, k %v; want %d, %v", test.args, r.Layers, r.K, test.layers, test.k(r))
		}
		want := recomputedEmbeddings(t, r, dir)
		got := readEmbeddings(t, dir)
		if rows, cols := got.Dims(); rows != 300 || cols != 32 {
			t.Fatalf("%d×%d embeddings, want 300×32", rows, cols)
		}
		var difference mat.Dense
		difference.Sub(got, want)
		if worst := max(mat.Max(&difference), -mat.Min(&difference)); !(worst < 2e-5) {
			t.Errorf("%s: embeddings off by %v from those of model.npz", test.args, worst)
		}
	}
}

// recomputedEmbeddings returns the embeddings of the run r on the planted graph, computed in float64 from
// the graph and the W and b in model.npz of the run's folder dir.
func recomputedEmbeddings(t *testing.T, r run.Record, dir string) *mat.Dense {
	t.Helper()
	laplacian, x := dense(plantedGraph(t))
	for range r.Layers { // X becomes X − k·L̃sym·X
		var step mat.Dense
		step.Mul(laplacian, x)
		step.Scale(r.K, &step)
		x.Sub(x, &step)
	}
	var w, b []float32
	model := testutil.Value(npz.Open(filepath.Join(dir, "model.npz"))).OrFatal(t)
	testutil.NoError(t, model.Read("W.npy", &w))
	testutil.NoError(t, model.Read("b.npy", &b))
	testutil.NoError(t, model.Close())
	var z mat.Dense
	z.Mul(x, matrix(100, 32, w))
	for i := range r.N {
		row := z.RawRowView(i)
		for j := range row {
			row[j] += float64(b[j])
		}
		least, most := slices.Min(row), slices.Max(row)
		for j := range row {
			row[j] = (row[j] - least) / (most - least)
		}
		floats.Scale(1/floats.Norm(row, 2), row)
	}
	return &z
}

// TestFitOwnGraph: the planted graph, read from files of one's own, gives the same embeddings.npy and
// labels.txt, byte for byte, and the same model and scores as the data set by its name. Without labels, the
// scores that need them are null, and all else stays the same.
func TestFitOwnGraph(t *testing.T) {
	isolate(t)
	folder := ownFiles(t, plantedGraph(t))
	wantDir := t.TempDir()
	want := fit(t, append(strings.Fields("--dataset "+planted+quick), "--out", wantDir)...)
	wantModel := readModel(t, wantDir)
	edges := "--edges " + folder + "/edges.tsv --features " + folder + "/x.csv"
	for _, test := range []struct {
		args    string
		dataset string // the name in the report: that of the file
		labeled bool   // the graph has labels
	}{
		{edges + " --labels " + folder + "/labels.txt", "edges", true},
		{edges + " --clusters 4", "edges", false},
		{"--dataset " + folder + "/whole.npz", "whole", true},
	} {
		out := filepath.Join(t.TempDir(), "new", "folder")
		r := fit(t, append(strings.Fields(test.args+quick), "--out", out)...)
		if r.Dataset != test.dataset || r.N != 300 || r.Edges != 900 || r.Features != 100 {
			t.Errorf("%s: report %+v", test.args, r)
		}
		for name, score := range map[string]*float64{"acc": r.ACC, "nmi": r.NMI, "ari": r.ARI, "f1": r.F1} {
			if (score != nil) != test.labeled {
				t.Errorf("%s: %s is %v", test.args, name, score)
			}
		}
		sameACC := !test.labeled || *r.ACC == *want.ACC
		if !sameACC || r.Modularity != want.Modularity || r.DBI != want.DBI {
			t.Errorf("%s: report %+v, want the scores of %+v", test.args, r, want)
		}
		model := readModel(t, out) // with other names of the graph
		if !reflect.DeepEqual(model.Encoder, wantModel.Encoder) || !reflect.DeepEqual(model.Centers, wantModel.Centers) || !slices.Equal(model.Clusters, wantModel.Clusters) {
			t.Errorf("%s: model.npz differs", test.args)
		}
		for _, file := range []string{"embeddings.npy", "labels.txt"} {
			if !bytes.Equal(read(t, filepath.Join(out, file)), read(t, filepath.Join(wantDir, file))) {
				t.Errorf("%s: %s differs", test.args, file)
			}
		}
		if log := string(read(t, filepath.Join(out, "log.txt"))); !strings.Contains(log, "backend native: asked for\n") || !strings.Contains(log, "epoch 6 of 6: loss ") {
			t.Errorf("%s: log %s", test.args, log)
		}
		if files := listing(t, out); len(files) != 7 {
			t.Errorf("%s: %d files, want 7", test.args, len(files))
		}
	}
}
