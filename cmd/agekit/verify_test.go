package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/provenance"

	"github.com/agekit/age/internal/testutil"
)

// TestVerify flips one bit in one file of a folder, for each file of outputs of every kind: agekit verify
// names exactly that file. Before that, it finds all files as they were written.
func TestVerify(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	const small = "planted:n=60,f=24,classes=3,words=4"
	for name, args := range map[string]string{
		"fit":       "fit --epochs 2 --dims 8 --no-map --export parquet,graphml --dataset " + small,
		"tables":    "fit --clusters 2 --layers 1 --nodes ../../assets/examples/penguins.csv --knn 3 --dims 4 --epochs 2 --export graphml,gexf",
		"method":    "fit --method Leiden --dataset " + small,
		"sweep":     "sweep --epochs 2 --dims 8 --clusters 2..3 --seeds 2 --dataset " + small,
		"reproduce": "reproduce table1 table3 --quick --methods LS --datasets " + small,
	} {
		out := filepath.Join(dir, name)
		succeeds(t, append(strings.Fields(args), "--out", out)...)
		if bad := filesThatDiffer(t, out); bad != nil {
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
			// Another place and another bit of each file, the last byte of the last file.
			flipped[(len(whole)-1)*(k+1)/len(entries)] ^= 1 << (k % 8)
			put(t, path, flipped)
			if bad := filesThatDiffer(t, out); !slices.Equal(bad, []string{e.Name()}) {
				t.Errorf("%s: a flipped bit in %s: found %q", name, e.Name(), bad)
			}
			put(t, path, whole)
		}
	}
}

// filesThatDiffer returns the files that agekit verify --json finds changed in a folder, at most one of them,
// and checks that the exit code and the error agree.
func filesThatDiffer(t *testing.T, dir string) []string {
	t.Helper()
	code, printed, errs := age(t, "verify", "--json", dir)
	v := decoded[provenance.Folder](t, printed)
	bad := v.Bad()
	switch {
	case bad == nil && code != 0:
		t.Errorf("%s: exit code %d, and no file differs: %s", dir, code, errs)
	case bad != nil && (code == 0 || !strings.Contains(errs, "1 files differ: "+bad[0])):
		t.Errorf("%s: exit code %d, %q differ: %s", dir, code, bad, errs)
	}
	return bad
}
