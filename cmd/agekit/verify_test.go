package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/files"

	"github.com/agekit/age/internal/testutil"
)

// TestVerify flips one bit in each file of outputs of every kind: agekit verify finds and
// names exactly that file.
func TestVerify(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	const small = "planted:n=60,f=24,classes=3,words=4"
	for name, args := range map[string]string{
		"fit":       "fit --epochs 2 --dims 8 --no-map --export membership,parquet,projector --dataset " + small,
		"tables":    "fit --clusters 2 --layers 1 --nodes ../../assets/examples/penguins.csv --knn 3 --dims 4 --epochs 2 --export graphml,gexf",
		"method":    "fit --method Leiden --dataset " + small,
		"sweep":     "sweep --epochs 2 --dims 8 --clusters 2..3 --seeds 2 --dataset " + small,
		"reproduce": "reproduce table1 table3 --quick --methods LS --datasets " + small,
	} {
		out := filepath.Join(dir, name)
		succeeds(t, append(strings.Fields(args), "--out", out)...)
		verify := func() (bad []string) {
			t.Helper()
			code, printed, errs := age(t, "verify", "--json", out)
			v := decoded[files.VerifiedFolder](t, printed)
			if bad = v.Bad(); (code == 0) != (bad == nil) || bad != nil && !strings.Contains(errs, "1 files differ: "+bad[0]) {
				t.Errorf("%s: exit code %d, %q: %s", name, code, bad, errs)
			}
			return bad
		}
		if bad := verify(); bad != nil {
			t.Fatalf("%s: untouched: %q", name, bad)
		}
		entries := testutil.Value(os.ReadDir(out)).OrFatal(t)
		for k, e := range entries {
			path := filepath.Join(out, e.Name())
			whole := read(t, path)
			if len(whole) == 0 {
				t.Fatalf("%s is empty", path)
			}
			flipped := slices.Clone(whole)
			flipped[(len(whole)-1)*(k+1)/len(entries)] ^= 1 << (k % 8)
			put(t, path, flipped)
			if bad := verify(); !slices.Equal(bad, []string{e.Name()}) {
				t.Errorf("%s: a flipped bit in %s: found %q", name, e.Name(), bad)
			}
			put(t, path, whole)
		}
	}
}

// TestVerifyAgain runs a fit and a table again: the same bytes. After a change of the
// input it refuses, and after one of a file beside a manifest that agrees with it, it says
// which file differs and by how much.
func TestVerifyAgain(t *testing.T) {
	p := newPlace(t)
	edges := read(t, "../../assets/examples/karate.txt")
	put(t, p.path("cwd", "karate.txt"), edges)
	verify := func(want int, args string, says ...string) {
		t.Helper()
		e := p.run(t, strings.Fields(args)...)
		for _, text := range says {
			if e.code != want || !strings.Contains(strings.Join(strings.Fields(e.stdout+e.stderr), " "), text) {
				t.Errorf("agekit %s: exit code %d, want %d with %q:\n%s%s", args, e.code, want, text, e.stdout, e.stderr)
			}
		}
	}
	verify(0, "fit --edges karate.txt --layers 1 --epochs 3 --clusters 2 --dims 4 --seed 3 --export projector --out o", "")
	verify(0, "reproduce table2 --quick --methods LS --datasets planted:n=60,f=24,classes=3,words=4 --out r", "")
	verify(0, "verify --again o", "ok embeddings.npy same bytes ok labels.txt same bytes ok log.txt ", "ok run.json same but for times and memory", "ok tensors.tsv same bytes")
	verify(0, "verify --again --item table2 r", "ok results.jsonl same but for times and memory", "ok table2.csv same bytes")
	verify(0, "sweep --edges karate.txt --layers 1 --epochs 3 --clusters 2..3 --seeds 2 --dims 4 --out s", "")
	verify(0, "verify --again s", "ok sweep.csv not compared: it holds times ok sweep.json same but for times and memory ok sweep.png same bytes ok sweep.svg same bytes")
	verify(2, "verify --again --item table4 r", "has no table4.manifest.json")

	// Another seed, under a manifest that says 3.
	path := p.path("cwd", "o", "run.manifest.json")
	m := testutil.Value(files.ReadManifest(path)).OrFatal(t)
	verify(0, "fit --edges karate.txt --layers 1 --epochs 3 --clusters 2 --dims 4 --seed 4 --export projector --out o", "")
	other := testutil.Value(files.ReadManifest(path)).OrFatal(t)
	other.Settings = m.Settings
	text := testutil.Value(files.EncodeManifest(*other)).OrFatal(t)
	put(t, path, text)
	verify(0, "verify o", "ok embeddings.npy")
	verify(1, "verify --again o", "changed embeddings.npy", "numbers differ, by at most", "files differ: embeddings.npy of the second run")
	put(t, p.path("cwd", "karate.txt"), append(edges, "0 33\n"...))
	verify(1, "verify --again o", "the input karate.txt has changed since the run")
}

// TestFlags: settings of a manifest, as JSON gives them, as the flags that were given.
func TestFlags(t *testing.T) {
	var settings map[string]any
	testutil.NoError(t, json.Unmarshal([]byte(`{"epochs": 1000000, "text": ["a,b", "c d"], "header": false, "k": "auto", "learning-rate": 1e-7}`), &settings))
	want := []string{"--epochs=1000000", "--header=false", "--k=auto", "--learning-rate=0.0000001", `--text=a\,b,c d`}
	if got := flags(settings); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
