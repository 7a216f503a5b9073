package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/testutil"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
)

const (
	// planted is a graph on which training takes a moment: 300 nodes, 100 features, 4 classes.
	planted = "planted:n=300,f=100,classes=4,degree=6"
	// quick are flags of a training of a moment: 6 epochs, of which each second is saved. Nothing is
	// placed on a map, which would take ten times as long as the training.
	quick = withMap + " --no-map"
	// withMap are the same flags with a map.
	withMap = " --epochs 6 --update 2 --dims 32 --batch 500 --backend native"
)

// isolate hides this machine's data sets, checkpoints and programs from a test, and blocks the network.
func isolate(t *testing.T) {
	t.Helper()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData", "AGEKIT_STORE", "PATH"} {
		t.Setenv(name, t.TempDir())
	}
	t.Setenv("AGEKIT_DATA", "")
	t.Setenv("AGEKIT_BACKEND", "")
	network := http.DefaultTransport
	http.DefaultTransport = noNetwork{}
	t.Cleanup(func() { http.DefaultTransport = network })
}

type noNetwork struct{}

func (noNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("no network for %s", r.URL)
}

// fit runs `agekit fit --json` with more arguments, which must succeed, and returns the record that it
// prints.
func fit(t *testing.T, args ...string) run.Record {
	t.Helper()
	return asJSON[run.Record](t, append([]string{"fit"}, args...)...)
}

// succeeds runs a command line, which must end with exit code 0.
func succeeds(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	code, stdout, stderr := age(t, args...)
	if code != 0 {
		t.Fatalf("agekit %q: exit %d\n%s", args, code, stderr)
	}
	return stdout, stderr
}

// asJSON runs a command line with --json, which must succeed, and reads what it prints.
func asJSON[T any](t *testing.T, args ...string) T {
	t.Helper()
	out, _ := succeeds(t, append(args, "--json")...)
	return decoded[T](t, out)
}

// decoded reads JSON that the program printed.
func decoded[T any](t *testing.T, printed string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(printed), &value); err != nil {
		t.Fatalf("%v in %s", err, printed)
	}
	return value
}

// refuses checks that command lines end with an exit code, or with any but 0 if code is 0, and with a
// message. Each begins with start and goes on with a key of says, whose value is a piece of the message.
func refuses(t *testing.T, code int, start string, says map[string]string) {
	t.Helper()
	for args, want := range says {
		got, _, errs := age(t, strings.Fields(start+" "+args)...)
		rightCode := got != 0 && (code == 0 || got == code)
		if !rightCode || !strings.Contains(errs, want) {
			t.Errorf("agekit %s %s: exit %d, %s; want exit %d, %q", start, args, got, errs, code, want)
		}
	}
}

// fewPenguins writes some penguins of assets/examples and the edges between them to tables in a folder,
// whose paths it returns. They are those that an edge joins to one of the examples' new penguins. With so
// few, the automatic choice of the settings takes less time.
func fewPenguins(t *testing.T, folder string) (nodes, edges string) {
	t.Helper()
	lines := func(name string) []string {
		return strings.Split(strings.TrimSpace(string(read(t, "../../assets/examples/"+name))), "\n")
	}
	write := func(name string, lines []string) string {
		path := filepath.Join(folder, name)
		put(t, path, strings.Join(lines, "\n")+"\n")
		return path
	}
	kept := map[string]bool{"id": true, "source": true, "target": true} // words of the headers
	for _, edge := range lines("penguins-new-edges.csv") {
		_, old, _ := strings.Cut(edge, ",") // a new penguin and an old one
		kept[old] = true
	}
	few := map[string][]string{} // lines of the two tables
	for _, row := range lines("penguins.csv") {
		if id, _, _ := strings.Cut(row, ","); kept[id] {
			few["nodes"] = append(few["nodes"], row)
		}
	}
	for _, edge := range lines("penguins-edges.csv") {
		if a, b, _ := strings.Cut(edge, ","); kept[a] && kept[b] {
			few["edges"] = append(few["edges"], edge)
		}
	}
	return write("penguins.csv", few["nodes"]), write("penguins-edges.csv", few["edges"])
}

func plantedGraph(t *testing.T) *graph.Graph {
	t.Helper()
	return testutil.Value(dataset.Load(t.Context(), planted, dataset.Options{})).OrFatal(t)
}

// dense returns L̃sym = I − D̃^-½(A+I)D̃^-½ and the features X of an unweighted graph as matrices, computed
// by this formula alone.
func dense(g *graph.Graph) (laplacian, x *mat.Dense) {
	n := g.N()
	laplacian = mat.NewDense(n, n, nil)
	for i := range n {
		weight := func(j int) float64 {
			return 1 / math.Sqrt(float64(g.Degree(i)+1)*float64(g.Degree(j)+1))
		}
		neighbors, _ := g.Adjacency.Row(i)
		for _, j := range neighbors {
			laplacian.Set(i, int(j), -weight(int(j)))
		}
		laplacian.Set(i, i, 1-weight(i))
	}
	features := g.Features.ToDense()
	x = mat.NewDense(n, features.Cols, nil)
	x.Apply(func(i, j int, _ float64) float64 { return float64(features.Data[i*features.Stride+j]) }, x)
	return laplacian, x
}

// near reports whether two numbers differ by at most an absolute tolerance.
func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

// readLabels returns the cluster of each node from labels.txt in a folder.
func readLabels(t *testing.T, dir string) (labels []int) {
	t.Helper()
	for line := range strings.Lines(string(read(t, filepath.Join(dir, "labels.txt")))) {
		l := testutil.Value(strconv.Atoi(strings.TrimSpace(line))).OrFatal(t)
		labels = append(labels, l)
	}
	return labels
}

// readEmbeddings returns embeddings.npy in a folder, as a reader of others, npyio, reads it.
func readEmbeddings(t *testing.T, dir string) *mat.Dense {
	t.Helper()
	r := testutil.Value(npyio.NewReader(bytes.NewReader(read(t, filepath.Join(dir, "embeddings.npy"))))).OrFatal(t)
	var values []float32
	testutil.NoError(t, r.Read(&values))
	shape := r.Header.Descr.Shape
	if len(shape) != 2 || r.Header.Descr.Type != "<f4" || r.Header.Descr.Fortran {
		t.Fatalf("embeddings.npy is %+v", r.Header.Descr)
	}
	return matrix(shape[0], shape[1], values)
}

// matrix returns the matrix with these values, row by row.
func matrix(rows, cols int, values []float32) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(i, j int, _ float64) float64 { return float64(values[i*cols+j]) }, m)
	return m
}

// ownFiles writes a graph with labels as a user's own files to a new folder: edges.tsv, x.csv with the
// features and labels.txt, and all in one archive, whole.npz.
func ownFiles(t *testing.T, g *graph.Graph) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var edges, features, labels strings.Builder
	x := g.Features.ToDense()
	for i := range g.N() {
		neighbors, _ := g.Adjacency.Row(i)
		for _, j := range neighbors {
			if int(j) > i {
				fmt.Fprintf(&edges, "%d\t%d\n", i, j)
			}
		}
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			if j > 0 {
				features.WriteByte(',')
			}
			fmt.Fprint(&features, v)
		}
		features.WriteByte('\n')
		fmt.Fprintln(&labels, g.Labels[i])
	}
	for name, text := range map[string]string{"edges.tsv": edges.String(), "x.csv": features.String(), "labels.txt": labels.String()} {
		put(t, filepath.Join(dir, name), text)
	}
	writeNPZ(t, filepath.Join(dir, "whole.npz"), g)
	return dir
}

// writeNPZ writes a graph with sparse features to an archive of arrays.
func writeNPZ(t *testing.T, path string, g *graph.Graph) {
	t.Helper()
	arrays := []npy.NamedArray{{Name: "adj_", Value: g.Adjacency}, {Name: "attr_", Value: g.Features.Sparse}, {Name: "labels", Value: g.Labels}}
	testutil.NoError(t, atomicfile.Write(path, func(w io.Writer) error { return npy.WriteArchive(w, arrays...) }))
}

// readCSV returns the records of a file.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	return testutil.Value(csv.NewReader(bytes.NewReader(read(t, path))).ReadAll()).OrFatal(t)
}

func writeCSV(t *testing.T, path string, records [][]string) {
	t.Helper()
	var b bytes.Buffer
	testutil.NoError(t, csv.NewWriter(&b).WriteAll(records))
	put(t, path, b.Bytes())
}

// put writes a file, in a folder that need not exist.
func put[T string | []byte](t *testing.T, path string, content T) {
	t.Helper()
	testutil.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testutil.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	return testutil.Value(os.ReadFile(path)).OrFatal(t)
}

// readModel reads model.npz in a folder of --out. To compare the bytes of two such files would not do, since
// a model also has the name of its graph.
func readModel(t *testing.T, dir string) *run.Model {
	t.Helper()
	return testutil.Value(run.LoadModel(t.Context(), filepath.Join(dir, "model.npz"))).OrFatal(t)
}
