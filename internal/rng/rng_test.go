package rng

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestHashed: names of words and numbers have the keys that Python's hashlib gives for the text.
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
	want := rand.New(rand.NewChaCha8(sha256.Sum256([]byte("agekit 5 2 9")))).Uint64()
	if got := Training(5, Negatives, 9).Uint64(); got != want {
		t.Errorf("negatives of epoch 9: %d, want %d", got, want)
	}
	if Member(5, 0) != 5 {
		t.Errorf("seed 5 is %d for its first member", Member(5, 0))
	}
}

// TestNew: stream s of a seed is that of a PCG with the state (seed, s).
func TestNew(t *testing.T) {
	for _, s := range []Stream{Only, ViewPaths, MethodWindows(3)} {
		if got, want := New(7, s).Uint64(), rand.NewPCG(7, uint64(s)).Uint64(); got != want {
			t.Errorf("stream %d: %d, want %d", s, got, want)
		}
	}
}

// TestStreams: what draws for one result draws from different streams.
func TestStreams(t *testing.T) {
	const draws, epochs, rows = 100, 10_000, 10_000
	views := map[string]Stream{"columns": ViewColumns, "k-means": ViewKMeans, "Leiden": ViewLeiden, "spectral": ViewSpectral, "paths": ViewPaths}
	method := map[string]Stream{"method": Method}
	key := map[string]Stream{"all rows": Rows(rows)}
	number := func(what string, i int) string { return fmt.Sprint(what, i) }
	for i := range draws {
		views[number("resample ", i)], views[number("null ", i)] = ViewResample(i), ViewNull(i)
	}
	for i := 1; i <= epochs; i++ {
		method[number("epoch ", i)], method[number("windows ", i)] = MethodEpoch(i), MethodWindows(i)
	}
	for i := range rows {
		key[number("row ", i)] = Row(i)
	}
	fixed := map[string]Stream{"planted": Only, "sample": MapSample, "numbers": NumberSample}
	levels := map[string]Stream{"k-means": LevelKMeans, "columns": LevelColumns}
	for name, users := range map[string]map[string]Stream{"views": views, "a method": method, "a selection": key, "seed 0": fixed, "levels": levels} {
		first := map[Stream]string{}
		for user, s := range users {
			if other, used := first[s]; used {
				t.Errorf("%s: %s and %s draw from stream %d", name, user, other, s)
			}
			first[s] = user
		}
	}
}
