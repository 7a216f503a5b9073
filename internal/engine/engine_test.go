package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/progress/progresstest"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestMain lets this test binary be a worker: with the arguments "worker run FILE", it does tasks of the
// stage in FILE instead of the tests.
func TestMain(m *testing.M) {
	if len(os.Args) < 4 || os.Args[1] != "worker" {
		os.Exit(m.Run())
	}
	if err := Serve(context.Background(), os.Args[3], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ring returns a graph of n nodes in a ring, with f random features.
func ring(t *testing.T, n, f int) *graph.Graph {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	var u, v []int32
	for i := range n {
		u, v = append(u, int32(i)), append(v, int32((i+1)%n))
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	for i := range x.Data {
		x.Data[i] = 3 * rnd.Float32()
	}
	return &graph.Graph{Adjacency: a, Features: graph.Features{Dense: &x}}
}

// start returns an engine for the graph g, with its files in dir. Its three workers are processes of
// this binary; the words of prefix come before the binary on their command line.
func start(t *testing.T, g *graph.Graph, dir string, prefix ...string) *Engine {
	t.Helper()
	self := testutil.Value(os.Executable()).OrFatal(t)
	e := &Engine{
		Folder: filepath.Join(dir, "graph"), Dir: filepath.Join(dir, "stages"), Memory: 1 << 24, Threads: 1, Workers: 3,
		Runner: Local{Command: append(prefix, self), Processes: 3}, Log: func(string) {}, Progress: progresstest.Forward(t),
	}
	testutil.NoError(t, graphfolder.Write(t.Context(), e.Folder, g))
	t.Cleanup(func() { e.Close() })
	return e
}

var filter = laplacian.Filter{K: 0.6, Layers: 2}

// unit divides the features, and dims is the number of dimensions of each of the two members.
const unit, dims = 4, 24

// embed has the engine smooth the n nodes with f features, and embed them by two members with random
// weights.
func embed(t *testing.T, e *Engine, n, f int) linalg.Rows {
	t.Helper()
	testutil.Value(e.Smooth(t.Context(), filter, unit, n, f)).OrFatal(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	first, second := step.InitialState(f, dims, rnd).Weights, step.InitialState(f, dims, rnd).Weights
	return testutil.Value(e.Embed(t.Context(), []step.Weights{first, second})).OrFatal(t)
}

// TestSameBytes: X̃, a sum over the rows of the embedding and numbers of each row have the same bytes
// from the engine's workers as from this process: in a first run, in one where each worker is killed
// after its first task, and in a run after that one, which makes nothing again.
func TestSameBytes(t *testing.T) {
	const n, f = 3000, 40
	g, dir := ring(t, n, f), t.TempDir()
	var killing []string // what starts a worker and kills it
	if runtime.GOOS != "windows" {
		// The worker's process is a child of the shell, which kills it after one report.
		script := filepath.Join(dir, "killed.sh")
		text := "#!/bin/sh\nhead -n 1 | \"$@\"\nkill -9 $$\n"
		testutil.NoError(t, os.WriteFile(script, []byte(text), 0o777))
		killing = []string{"/bin/sh", script}
	}
	for _, run := range []struct {
		dir    string
		prefix []string // of the command that starts a worker
		reuses bool     // what the run before left in dir
	}{
		{dir: t.TempDir()},
		{dir: dir, prefix: killing},
		{dir: dir, reuses: true},
	} {
		e := start(t, g, run.dir, run.prefix...)
		tasks, reused := 0, 0
		e.Log = func(line string) {
			numbers := regexp.MustCompile(`: (\d+) tasks .* (\d+) of them were done before`).FindStringSubmatch(line)
			tasks += testutil.Value(strconv.Atoi(numbers[1])).OrFatal(t)
			reused += testutil.Value(strconv.Atoi(numbers[2])).OrFatal(t)
		}
		remote := embed(t, e, n, f)
		want := linalg.Narrow(n, f)
		want.Data = make([]float32, n*want.Stride)
		testutil.NoError(t, filter.SmoothTo(t.Context(), want, laplacian.New(g.Adjacency), g.Features, unit))
		i := 0
		err := linalg.EachRow(e.columns, func(row []float32) error {
			if !slices.Equal(row, want.Data[i*want.Stride:][:f]) {
				return fmt.Errorf("row %d of X̃ has other bytes", i)
			}
			i++
			return nil
		})
		if err != nil || i != n {
			t.Fatal(i, err)
		}
		local := linalg.LocalRows(remote)
		sum := linalg.Pass{Kind: linalg.PassGram, Unit: true}
		got := testutil.Value(remote.Sum(t.Context(), sum)).OrFatal(t)
		if want := testutil.Value(local.Sum(t.Context(), sum)).OrFatal(t); !slices.Equal(got.Data, want.Data) {
			t.Error("a sum has other bytes")
		}
		each := linalg.Pass{Kind: linalg.Degrees, Matrix: linalg.NewMatrix[float64](1, 2*dims)}
		column := testutil.Value(linalg.PassColumn(t.Context(), remote, each)).OrFatal(t)
		if want := testutil.Value(linalg.PassColumn(t.Context(), local, each)).OrFatal(t); !slices.Equal(column, want) {
			t.Error("numbers of rows have other bytes")
		}
		wantReused := 0
		if run.reuses {
			wantReused = tasks
		}
		const blocks, passes, ranges = 3, 2, 12 // blocks of columns; passes over the rows, and their ranges
		if tasks != blocks+passes*ranges || reused != wantReused {
			t.Errorf("%+v: %d tasks, %d of them reused", run, tasks, reused)
		}
	}
}

// TestErrors: these are errors that say what is wrong: a missing or damaged file of X̃, a folder in
// place of a task's file, a file of a stage that this worker cannot do, a number that is not that of a
// task, an interrupt, and a missing program. A task whose file is there is still reused.
func TestErrors(t *testing.T) {
	const n, f = 1000, 40
	g, dir := ring(t, n, f), t.TempDir()
	e := start(t, g, dir)
	remote := embed(t, e, n, f)
	sums := func() error {
		_, err := remote.Sum(t.Context(), linalg.Pass{Kind: linalg.Sums, Groups: 1})
		return err
	}
	fails := func(what string, err error, words ...string) {
		t.Helper()
		for _, word := range words {
			testutil.Fails(t, err, word)
		}
	}
	part := e.files[1]
	whole := testutil.Value(os.ReadFile(part)).OrFatal(t)
	os.Remove(part)
	fails("a missing block", sums(), "stage sums", part, "no such file")
	os.WriteFile(part, whole[:len(whole)-9], 0o666)
	fails("half a block", sums(), part, "not the whole file of a task")
	os.WriteFile(part, whole, 0o666)
	if err := sums(); err != nil {
		t.Error(err)
	}
	// A folder in place of a file of a task.
	e.stages++
	blocked := filepath.Join(e.path("sums", ""), "part-00003")
	os.MkdirAll(blocked, 0o777)
	fails("no place for a file", sums(), blocked, "is a folder: want a regular file")

	text := testutil.Value(os.ReadFile(filepath.Join(e.Dir, "01-smooth.json"))).OrFatal(t)
	for what, change := range map[string][3]string{ // a text in the file of the stage, its replacement, and what the error says
		"another program": {`"code": "`, `"code": "other-`, "want the same program on all machines"},
		"another level":   {`"simd": "`, `"simd": "sse9`, "want one that this processor has"},
		"no task":         {`"smooth":`, `"smouth":`, "want tasks of one kind"},
		"no graph":        {`"folder": "`, `"folder": "/none`, "manifest.json: no such file"},
		"no numbers":      {`{`, ``, "invalid character"},
	} {
		other := filepath.Join(dir, "other.json")
		os.WriteFile(other, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o666)
		var reports strings.Builder
		if err := Serve(t.Context(), other, strings.NewReader("0\n"), &reports); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		r, ok := parseReport(strings.TrimSpace(reports.String()))
		if !ok || r.State != Failed || !strings.Contains(r.Error, change[2]) {
			t.Errorf("%s: %q, want a failure that says %q", what, &reports, change[2])
		}
	}
	var reports strings.Builder
	if err := Serve(t.Context(), filepath.Join(e.Dir, "01-smooth.json"), strings.NewReader("3\nx\n1\n"), &reports); err != nil {
		t.Error(err)
	}
	if lines := strings.Split(reports.String(), "\n"); !strings.Contains(lines[0], "want 0 to 2") || !strings.Contains(lines[1], "want 0 to 2") || !strings.Contains(lines[2], "\t1\treused\t") {
		t.Errorf("reports %q", &reports)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	testutil.Value(e.Smooth(ctx, filter, 1, n, f)).Fails(t, "stopped in stage smooth")
	t.Setenv("TMPDIR", t.TempDir())
	none := Local{Command: []string{filepath.Join(dir, "none")}, Processes: 1}
	spark := &Spark{SQL: filepath.Join(dir, "spark-sql"), Log: filepath.Join(dir, "spark.log")}
	_, err := spark.Run(t.Context(), "x", 1, func(Report) {})
	fails("no Spark", err, "spark-sql: not found: want Apache Spark's")
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "agekit-spark-*")); len(left) > 0 || err != nil {
		t.Errorf("%q are left (%v)", left, err)
	}
	_, err = none.Run(t.Context(), "x", 1, func(Report) {})
	fails("no program", err, "none", "no such file")
}

// TestSparkEnds: where a session of spark-sql ends after a stage, while its output is still to be read,
// the next stage is an error that says so.
func TestSparkEnds(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(dir, "spark-sql")
	// It does the first stage, prints a thousand lines more, and ends.
	script := `#!/bin/sh
while read -r line; do
	case "$line" in SELECT*)
		echo '` + Report{State: Made}.String() + `'
		echo agekit-stage-end-1
		seq 1000
		exit 1
	esac
done
`
	testutil.NoError(t, os.WriteFile(session, []byte(script), 0o700))
	spark := &Spark{SQL: session, Log: filepath.Join(dir, "spark.log")}
	testutil.Value(spark.Run(t.Context(), filepath.Join(dir, "1.json"), 1, func(Report) {})).OrFatal(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	time.Sleep(100 * time.Millisecond) // the session ends, and the next stage cannot write to it
	testutil.Value(spark.Run(ctx, filepath.Join(dir, "2.json"), 1, func(Report) {})).Fails(t, "spark-sql ended (exit status 1)")
	if err := spark.Close(); err != nil {
		t.Error(err)
	}
}

// TestReports: a report is parsed from a line with something before it, with blanks for tabs and line
// ends in its error. Lines that are no whole report are none.
func TestReports(t *testing.T) {
	r := Report{Task: 7, State: Failed, Error: "a\tb\nc"}
	if got, ok := parseReport("spark-sql> " + r.String()); !ok || got != (Report{Task: 7, State: Failed, Error: "a b c"}) {
		t.Errorf("%+v %v", got, ok)
	}
	for _, line := range []string{"", "agekit-task", "agekit-task\tx\tmade\t", "agekit-task\t1\tNULL\tNULL", "SELECT 'agekit-task'"} {
		if r, ok := parseReport(line); ok {
			t.Errorf("%q: %+v", line, r)
		}
	}
}
