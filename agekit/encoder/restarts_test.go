package encoder

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/store"
)

// TestFitRestarts compares with the runs made one by one: the one with the
// lowest index is returned, whatever the labels are.
func TestFitRestarts(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	const restarts = 3
	var want *Result
	var indices []float64
	for run := range restarts {
		one := c
		one.Seed = RestartSeed(c.Seed, run)
		r := fit(t, g, one, Options{})
		indices = append(indices, r.DaviesBouldin)
		if want == nil || r.DaviesBouldin < want.DaviesBouldin {
			want = r
		}
	}
	unlabelled := *g
	unlabelled.Labels = nil
	got, gotIndices, err := FitRestarts(t.Context(), &unlabelled, c, restarts, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sameResult(t, "best of three", got, want)
	if !slices.Equal(gotIndices, indices) {
		t.Errorf("indices %v, want %v", gotIndices, indices)
	}
	if slices.Index(indices, want.DaviesBouldin) == 0 {
		t.Error("the first run is the best: the test would not see a choice that ignores the index; take another seed")
	}
	if indices[0] == indices[1] || indices[1] == indices[2] {
		t.Errorf("indices %v: the starts are not different", indices)
	}
}

// TestFitRestartsResumes stops in the second run: the same call ends with the
// bytes of an undisturbed one, does not repeat the first run, and its
// checkpoints can be discarded.
func TestFitRestartsResumes(t *testing.T) {
	g, c := smallGraph(t), smallConfig()
	want, _, err := FitRestarts(t.Context(), g, c, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkpoints, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopping := Options{Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
		if e.Epoch == c.Epochs+7 && e.Message == "" {
			cancel()
		}
	}}
	if _, _, err := FitRestarts(ctx, g, c, 2, stopping); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "start 2 of 2") {
		t.Fatalf("error %v, want context.Canceled in start 2 of 2", err)
	}
	var epochs []int
	got, _, err := FitRestarts(t.Context(), g, c, 2, Options{Checkpoints: checkpoints, Progress: func(e Event) {
		if e.Message == "" {
			epochs = append(epochs, e.Epoch)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	sameResult(t, "resumed", got, want)
	if len(epochs) != c.Epochs-7 || epochs[0] != c.Epochs+8 {
		t.Errorf("%d epochs from %v, want %d from %d", len(epochs), epochs, c.Epochs-7, c.Epochs+8)
	}
	if err := DiscardRestarts(checkpoints, g, c, 2, backend.Native); err != nil {
		t.Fatal(err)
	}
	if size, err := checkpoints.Size(); err != nil || size != 0 {
		t.Errorf("%d bytes of checkpoints left at the end (error %v)", size, err)
	}
}
