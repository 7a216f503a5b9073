package encoder_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/linalg"
	. "github.com/agekit/age/internal/modeltest"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/internal/progress/progresstest"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// TestMembers compares a training of three members with three trainings of one member that have
// the members' seeds: epochs and losses are the same, and the embedding has theirs side by side,
// divided by √3. The labels are as many as nodes, the index is [cluster.DaviesBouldinGram]'s for
// them, and the graph's own labels, which only the single trainings have, do not matter.
func TestMembers(t *testing.T) {
	g, c := SmallGraph(t), Small()
	unlabeled := *g
	unlabeled.Labels = nil
	c.Members = 3
	got := MustTrain(t, &unlabeled, c, Options{})
	for k := range c.Members {
		alone := Small()
		alone.Seed = rng.Member(c.Seed, k)
		want := MustTrain(t, g, alone, Options{})
		m, w := got.Members[k], want.Members[0]
		if m.Epoch != w.Epoch || !slices.Equal(m.Loss, w.Loss) || !slices.Equal(m.Saved, w.Saved) {
			t.Errorf("member %d differs from the training run with its seed", k)
		}
		if k > 0 && slices.Equal(got.Members[0].Loss, want.Members[0].Loss) {
			t.Error("the members do not differ")
		}
		for i := range g.N() {
			for j, v := range linalg.Row(want.Embedding, i)[:c.Dims] {
				d := got.Embedding.Data[i*got.Embedding.Stride+k*c.Dims+j] - v/float32(math.Sqrt(3))
				if d > 1e-7 || d < -1e-7 {
					t.Fatalf("member %d, node %d: element %d is off by %v", k, i, j, d)
				}
			}
		}
	}
	allLabels := len(got.Labels) == g.N() && slices.Max(got.Labels) == c.Clusters-1
	if !allLabels || got.Clusterings == 0 {
		t.Errorf("%d labels from %d clusterings", len(got.Labels), got.Clusterings)
	}
	want := testutil.Value(cluster.DaviesBouldinGram(t.Context(), got.Embedding, got.Labels)).OrFatal(t)
	if got.DaviesBouldin != want {
		t.Errorf("index %v, want %v", got.DaviesBouldin, want)
	}
}

// TestMembersResume stops a training of two members after seven epochs of the second one. The
// same call then gives the bytes of an uninterrupted run, reports only the epochs that were left
// of the second member and none of the first, and its checkpoints can be discarded.
func TestMembersResume(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Members = 2
	want := MustTrain(t, g, c, Options{})

	checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	ctx, cancel := context.WithCancel(t.Context())
	stop := c.Epochs + 7 // counted over both members, as Done is
	stopping := Options{Running: Running{Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
		if int(e.Done) == stop && e.Line == "" {
			cancel()
		}
	}}}
	_, err := Train(ctx, g, c, stopping)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "training 2 of 2") {
		t.Fatalf("error %v, want context.Canceled in training 2 of 2", err)
	}

	var trained []int // the epochs that are reported, counted as stop is
	o := Options{Running: Running{Checkpoints: checkpoints, Progress: func(e Event) {
		if e.Line == "" {
			trained = append(trained, int(e.Done))
		}
	}}}
	resumed := MustTrain(t, g, c, o)
	SameResult(t, "resumed", resumed, want)
	left := 2*c.Epochs - stop
	if len(trained) != left || trained[0] != stop+1 {
		t.Errorf("%d epochs from %v, want %d from %d", len(trained), trained, left, stop+1)
	}
	testutil.NoError(t, resumed.Discard())
	if files, err := os.ReadDir(checkpoints.Dir); err != nil || len(files) != 0 {
		t.Errorf("%d checkpoints left at the end (error %v)", len(files), err)
	}
}

// TestRemaining: a training of three members of four epochs reports twelve epochs in order, with
// a time left after each but the last, and its progress never goes back.
func TestRemaining(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Members, c.Epochs = 3, 4
	const all = 3 * 4
	epochs, forward := 0, progresstest.Forward(t, Training)
	MustTrain(t, g, c, Options{Running: Running{Progress: func(e Event) {
		forward(e.Event)
		if e.Line != "" {
			return
		}
		epochs++
		if int(e.Done) != epochs || int(e.Total) != all {
			t.Errorf("epoch %d of %d, want epoch %d of %d", e.Done, e.Total, epochs, all)
		}
		if (e.Left > 0) != (epochs < all) {
			t.Errorf("epoch %d of %d: %v left, want the time for the rest", epochs, all, e.Left)
		}
	}}})
	if epochs != all {
		t.Errorf("%d epochs, want %d", epochs, all)
	}
}
