package rng

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestHashed: the seeds that words and numbers name are those that Python's hashlib computed from the
// words with blanks between them. A training draws from the source of its words, and the first
// member of an ensemble has the seed itself.
func TestHashed(t *testing.T) {
	type mode string // prints as its text
	for _, test := range []struct {
		name []any
		want uint64
	}{
		{[]any{"agekit restart", uint64(7), 1}, 9310133916767114162},
		{[]any{"experiment", "split", "cora", "AGE", mode("fair"), uint64(3)}, 2009042571526909582},
		{[]any{"agekit", uint64(1<<64 - 1), 2, 3}, 10756641192749561082},
	} {
		if got := HashedSeed(test.name...); got != test.want {
			t.Errorf("%v: %d, want %d", test.name, got, test.want)
		}
	}
	const seed, epoch = 5, 9
	want := rand.New(rand.NewChaCha8(sha256.Sum256([]byte("agekit 5 2 9")))).Uint64() // 2 is Negatives
	if got := Training(seed, Negatives, epoch).Uint64(); got != want {
		t.Errorf("negatives of epoch 9: %d, want %d", got, want)
	}
	if first := Member(seed, 0); first != seed {
		t.Errorf("seed 5 is %d for its first member", first)
	}
}

// TestNew: stream s of a seed draws what math/rand's PCG with the state (seed, s) draws.
func TestNew(t *testing.T) {
	const seed = 7
	for _, s := range []Stream{Only, ViewPaths, MethodWindows(3)} {
		if got, want := New(seed, s).Uint64(), rand.NewPCG(seed, uint64(s)).Uint64(); got != want {
			t.Errorf("stream %d: %d, want %d", s, got, want)
		}
	}
}

// TestStreams: the parts of one computation, such as all views of a graph or all epochs of a method,
// draw from different streams, for as many draws, epochs and rows as may occur.
func TestStreams(t *testing.T) {
	const draws, epochs, rows = 100, 10_000, 10_000
	views := map[string]Stream{"columns": ViewColumns, "k-means": ViewKMeans, "Leiden": ViewLeiden, "spectral": ViewSpectral, "paths": ViewPaths}
	method := map[string]Stream{"method": Method}
	selection := map[string]Stream{"all rows": Rows(rows)}
	number := func(what string, i int) string { return fmt.Sprint(what, i) }
	for i := range draws {
		views[number("resample ", i)], views[number("null ", i)] = ViewResample(i), ViewNull(i)
	}
	for i := 1; i <= epochs; i++ {
		method[number("epoch ", i)], method[number("windows ", i)] = MethodEpoch(i), MethodWindows(i)
	}
	for i := range rows {
		selection[number("row ", i)] = Row(i)
	}
	fixed := map[string]Stream{"planted": Only, "sample": MapSample, "numbers": NumberSample}
	levels := map[string]Stream{"k-means": LevelKMeans, "columns": LevelColumns}
	for name, users := range map[string]map[string]Stream{"views": views, "a method": method, "a selection": selection, "seed 0": fixed, "levels": levels} {
		userOf := map[Stream]string{}
		for user, s := range users {
			if other, used := userOf[s]; used {
				t.Errorf("%s: %s and %s draw from stream %d", name, user, other, s)
			}
			userOf[s] = user
		}
	}
}
