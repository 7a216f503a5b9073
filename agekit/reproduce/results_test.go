package reproduce

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/provenance"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/testutil"
)

// resultsAt opens results in a file, and fails the test if that fails.
func resultsAt(t *testing.T, path string) *Results {
	t.Helper()
	r := testutil.Value(Open(path, true)).OrFatal(t)
	t.Cleanup(func() { r.Close() })
	return r
}

func newResults(t *testing.T) *Results {
	return resultsAt(t, filepath.Join(t.TempDir(), "results.jsonl"))
}

// put adds a made-up result.
func put(t *testing.T, results *Results, r Run, scores map[string]float64) {
	t.Helper()
	hash, settings, err := r.Hash()
	if err == nil {
		err = results.add(Record{Hash: hash, Run: r, Settings: settings, Code: "test", Backend: "native", Seconds: 2, Scores: scores})
	}
	testutil.NoError(t, err)
}

func lsRun(seed uint64) Run {
	return Run{Task: Clustering, Dataset: "cora", Method: "LS", Mode: Paper, Seed: seed}
}

// TestDamagedLastLine: from a file that is cut at any byte of its last line, as a killed process or a full
// disk may leave it, all whole records are kept, even one without its line break. The next record that is
// added is on a line of its own.
func TestDamagedLastLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	r := resultsAt(t, path)
	put(t, r, lsRun(1), map[string]float64{"ACC": 0.5})
	firstRecord := testutil.Value(os.Stat(path)).OrFatal(t)
	put(t, r, lsRun(2), map[string]float64{"ACC": 0.25})
	testutil.NoError(t, r.Close())
	whole := testutil.Value(os.ReadFile(path)).OrFatal(t)
	for end := int(firstRecord.Size()); end < len(whole); end++ {
		testutil.NoError(t, os.WriteFile(path, whole[:end], 0o666))
		// The second record is lost, and its run is added again.
		want, next, now := 1, lsRun(2), whole
		if end == len(whole)-1 {
			// Only its line break is lost: another run, here the first again, is added on its own line.
			want, next, now = 2, lsRun(1), append(slices.Clone(whole), whole[:firstRecord.Size()]...)
		}
		read, err := Open(path, false)
		if err != nil || len(read.records) != want {
			t.Fatalf("cut after byte %d: %d results, error %v, want %d", end, len(read.records), err, want)
		}
		r := resultsAt(t, path)
		put(t, r, next, map[string]float64{"ACC": 0.25 * float64(3-next.Seed)})
		testutil.NoError(t, r.Close())
		if got, _ := os.ReadFile(path); !slices.Equal(got, now) {
			t.Fatalf("cut after byte %d and added again:\n%s\nwant\n%s", end, got, now)
		}
	}
}

// TestForeignFile: a file that is not a results file is refused and unchanged.
func TestForeignFile(t *testing.T) {
	record := `{"hash":"0123456789abcdef"}` + "\n"
	for _, test := range []struct {
		content string
		records int
		says    string
	}{
		{"my notes", 0, `line 1: "my notes", want a record`},
		{"my notes\n", 0, `line 1: "my notes", want a record`},
		{record + "more notes", 0, `line 2: "more notes", want a record`},
		{record + `{"hash":"01` + "\n", 0, "line 2"},
		{"[1, 2]\n", 0, "line 1"},
		{"{}\n", 0, "line 1"},
		{`{"hash":5}` + "\n", 0, "line 1"},
		{strings.Repeat("x", 1<<20), 0, "(1048576 bytes), want a record"},
		{"\x00\x00\x00", 0, `line 1: "\x00\x00\x00", want a record`},
		{record + "\x00\x00\x00", 1, ""},
		{record + `{"hash":"01` + "\x00\x00", 1, ""},
		{"", 0, ""},
	} {
		path := filepath.Join(t.TempDir(), "results.jsonl")
		testutil.NoError(t, os.WriteFile(path, []byte(test.content), 0o666))
		for name, add := range map[string]bool{"reading": false, "adding": true} {
			r, err := Open(path, add)
			if test.says == "" {
				if err != nil || len(r.records) != test.records {
					t.Errorf("%s %.40q: %v", name, test.content, err)
				}
				r.Close()
				continue
			}
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.says) || len(err.Error()) > 500 {
				t.Errorf("%s %.40q: error %.600v, want %q", name, test.content, err, test.says)
			}
			if now, _ := os.ReadFile(path); string(now) != test.content {
				t.Errorf("%s changed %.40q", name, test.content)
			}
		}
	}
	testutil.Value(Open(t.TempDir(), true)).Fails(t, "is a folder")
}

// TestDamageInTheMiddle: a killed process cannot leave such damage, so it is
// an error that says where it is.
func TestDamageInTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	r := resultsAt(t, path)
	for seed := range uint64(3) {
		put(t, r, lsRun(seed+1), nil)
	}
	r.Close()
	data := testutil.Value(os.ReadFile(path)).OrFatal(t)
	lines := strings.SplitAfter(string(data), "\n")
	lines[1] = lines[1][:20] + "\n"
	testutil.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o666))
	for _, add := range []bool{false, true} {
		testutil.Value(Open(path, add)).Fails(t, "line 2")
	}
	if _, err := Open(path, true); err == nil || strings.Contains(err.Error(), "another run") {
		t.Errorf("error %v: the lock was not released", err)
	}
}

// TestOneWriterAtATime: a file that is open for adding can be read meanwhile, and opened for adding
// after it is closed.
func TestOneWriterAtATime(t *testing.T) {
	r := newResults(t)
	testutil.Value(Open(r.path, true)).Fails(t, "another run is writing")
	put(t, r, lsRun(1), nil)
	if read, err := Open(r.path, false); err != nil || len(read.records) != 1 {
		t.Errorf("reading while another process writes: %d results, error %v", len(read.records), err)
	}
	testutil.NoError(t, r.Close())
	resultsAt(t, r.path)
}

// TestHash: a run's hash is another one if any field of the run, or any setting of its method, is changed.
func TestHash(t *testing.T) {
	base := Run{Task: Clustering, Dataset: "cora", Method: "AGE", Mode: Paper, Seed: 1}
	seen := map[string]Run{}
	for _, change := range []func(*Run){
		func(*Run) {},
		func(r *Run) { r.Task = mapTask },
		func(r *Run) { r.Dataset = "wiki" },
		func(r *Run) { r.Method = "+Encoder" },
		func(r *Run) { r.Mode = Code },
		func(r *Run) { r.K = 0.5 },
		func(r *Run) { r.K = laplacian.InverseLambdaMax },
		func(r *Run) { r.Layers = 4 },
		func(r *Run) {
			r.Thresholds = pairs.Thresholds{PosStart: 0.01, PosEnd: 0.001, NegStart: 0.1, NegEnd: 0.5}
		},
		func(r *Run) { r.Seed = 2 },
		func(r *Run) { r.Quick = true },
	} {
		r := base
		change(&r)
		hash, _, err := r.Hash()
		testutil.NoError(t, err)
		if other, ok := seen[hash]; ok {
			t.Errorf("%v and %v have the same hash", r, other)
		}
		seen[hash] = r
	}
	if _, _, err := (Run{Method: "nonsense"}).Hash(); err == nil || !strings.Contains(err.Error(), "AGE") {
		t.Errorf("error %v, want one that lists the methods", err)
	}
}

// stored is the folder with the published results.
var stored = filepath.FromSlash("../../docs/reproduction")

// TestStoredCommits: every published result names the commit of its program, or the one that
// stored it, and the files beside them are those that were written.
func TestStoredCommits(t *testing.T) {
	results := testutil.Value(Open(filepath.Join(stored, "results.jsonl"), false)).OrFatal(t)
	if len(results.records) == 0 {
		t.Fatal("no results")
	}
	commit := regexp.MustCompile(`^[0-9a-f]{40}(-dirty|-stored)?$`)
	for _, code := range []string{"(devel)", "unknown", "v1.2.3", "012c66f8f4f4"} {
		if commit.MatchString(code) {
			t.Errorf("%s counts as a commit", code)
		}
	}
	for _, record := range results.records {
		if !commit.MatchString(record.Code) {
			t.Errorf("%v: code %q, want a commit", record.Run, record.Code)
		}
	}
	found := testutil.Value(provenance.Verify(t.Context(), stored)).OrFatal(t)
	if bad := found.Bad(); len(bad) > 0 || len(found.Manifests) == 0 {
		t.Errorf("%d manifests; %q are not what was written: make them with the command at the top of docs/reproduction.md", len(found.Manifests), bad)
	}
	report := testutil.Value(provenance.Verify(t.Context(), filepath.Dir(stored))).OrFatal(t)
	if len(report.Bad()) > 0 || len(report.Manifests) != 1 {
		t.Errorf("docs/reproduction.md is not what was written, so that it would not be replaced: make it with the command at its top")
	}
}
