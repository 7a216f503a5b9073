package extsort

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pair is a key with its weight.
type pair struct {
	key    uint64
	weight float64
}

// TestSort: keys and weights come back in the order of the standard library's stable sort, for random
// keys, and for memory and files at once so few that there are many runs and passes.
func TestSort(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		top := rapid.SampledFrom([]uint64{3, 5000, 1<<64 - 1}).Draw(t, "largest key")
		keys := rapid.SliceOfN(rapid.Uint64Range(0, top), 0, 60).Draw(t, "keys")
		weighted := rapid.Bool().Draw(t, "weighted")
		memory := rapid.Int64Range(0, 500).Draw(t, "memory")
		const mostKeys = 1 << 20
		defer func(before int) { firstKeys = before }(firstKeys)
		firstKeys = rapid.IntRange(1, 5).Draw(t, "first keys")
		s := NewSorter(context.Background(), dir, weighted, memory, mostKeys)
		var want []pair
		for k, key := range keys {
			p := pair{key, 1}
			if weighted {
				p.weight = float64(k)
			}
			want = append(want, p)
			if err := s.Add(p.key, p.weight); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortStableFunc(want, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
		runs, err := s.Finish()
		if err != nil {
			t.Fatal(err)
		}
		var got []pair
		defer func(before int) { atOnce = before }(atOnce)
		atOnce = rapid.IntRange(2, 5).Draw(t, "at once")
		if err := runs.Merge(context.Background(), dir, memory, func(key uint64, w float64) error {
			got = append(got, pair{key, w})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v in %d runs, want %v", got, len(runs.Keys), want)
		}
	})
}

// TestRunsStay: a run that is there is not written again, even with other content of the same size, and
// one that is not whole is.
func TestRunsStay(t *testing.T) {
	dir := t.TempDir()
	sort := func() Runs {
		const twoKeys = 2 * 16 // bytes of memory for a chunk
		s := NewSorter(t.Context(), dir, false, twoKeys, 1<<20)
		for _, key := range []uint64{5, 4, 3, 2, 1} {
			if err := s.Add(key, 1); err != nil {
				t.Fatal(err)
			}
		}
		runs, err := s.Finish()
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	runs := sort()
	if !slices.Equal(runs.Keys, []int{2, 2, 1}) {
		t.Fatalf("runs of %v keys, want 2, 2 and 1", runs.Keys)
	}
	kept, cut := runs.path(dir, 0), runs.path(dir, 1)
	other := []byte(strings.Repeat("kept", 4)) // as long as two keys
	for path, content := range map[string][]byte{kept: other, cut: other[:12]} {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sort()
	if content, err := os.ReadFile(kept); err != nil || string(content) != string(other) {
		t.Errorf("the whole run is now %q (%v)", content, err)
	}
	if info, err := os.Stat(cut); err != nil || info.Size() != 16 {
		t.Errorf("the run that was cut has %d bytes (%v), want 16", info.Size(), err)
	}
}

// TestErrors: a missing run, a short run, an interrupt of a merge, and a folder that is not there are
// errors.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	runs := Runs{Keys: []int{2}}
	merge := func(ctx context.Context) error {
		return runs.Merge(ctx, dir, 1<<10, func(uint64, float64) error { return nil })
	}
	if err := merge(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no run: error %v", err)
	}
	path := filepath.Join(dir, "run-000000")
	if err := os.WriteFile(path, make([]byte, 9), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := merge(t.Context()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a short run: error %v", err)
	}
	if err := os.WriteFile(path, make([]byte, 16), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := merge(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
	s := NewSorter(t.Context(), filepath.Join(dir, "none"), false, 1<<10, 10)
	if err := s.Add(1, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Finish(); err == nil {
		t.Error("a folder that is not there: no error")
	}
}
