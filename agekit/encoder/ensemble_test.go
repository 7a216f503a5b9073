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

// TestMembers compares with separate training runs: the embedding concatenates
// theirs, independently of the labels, and the index is that of the clusters.
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
		if m, w := got.Members[k], want.Members[0]; m.Epoch != w.Epoch || !slices.Equal(m.Loss, w.Loss) || !slices.Equal(m.Saved, w.Saved) {
			t.Errorf("member %d differs from the training run with its seed", k)
		}
		if k > 0 && slices.Equal(got.Members[0].Loss, want.Members[0].Loss) {
			t.Error("the members do not differ")
		}
		for i := range g.N() {
			for j, v := range linalg.Row(want.Embedding, i)[:c.Dims] {
				if d := got.Embedding.Data[i*got.Embedding.Stride+k*c.Dims+j] - v/float32(math.Sqrt(3)); d > 1e-7 || d < -1e-7 {
					t.Fatalf("member %d, node %d: element %d is off by %v", k, i, j, d)
				}
			}
		}
	}
	if len(got.Labels) != g.N() || slices.Max(got.Labels) != c.Clusters-1 || got.Clusterings == 0 {
		t.Errorf("%d labels from %d clusterings", len(got.Labels), got.Clusterings)
	}
	want, err := cluster.DaviesBouldinGram(t.Context(), got.Embedding, got.Labels)
	if err != nil || got.DaviesBouldin != want {
		t.Errorf("index %v, want %v (error %v)", got.DaviesBouldin, want, err)
	}
}

// TestMembersResume stops while training the second member: the same call then
// gives the bytes of an uninterrupted run, does not train the first member
// again, and its checkpoints can be discarded.
func TestMembersResume(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Members = 2
	want := MustTrain(t, g, c, Options{})
	checkpoints := testutil.Value(store.Open(t.TempDir())).OrFatal(t)
	ctx, cancel := context.WithCancel(t.Context())
	stopping := Options{Running: Running{Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
		if int(e.Done) == c.Epochs+7 && e.Line == "" {
			cancel()
		}
	}}}
	if _, err := Train(ctx, g, c, stopping); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "training 2 of 2") {
		t.Fatalf("error %v, want context.Canceled in training 2 of 2", err)
	}
	var made []int
	o := Options{Running: Running{Checkpoints: checkpoints, Progress: func(e Event) {
		if e.Line == "" {
			made = append(made, int(e.Done))
		}
	}}}
	resumed := MustTrain(t, g, c, o)
	SameResult(t, "resumed", resumed, want)
	if len(made) != c.Epochs-7 || made[0] != c.Epochs+8 {
		t.Errorf("%d epochs from %v, want %d from %d", len(made), made, c.Epochs-7, c.Epochs+8)
	}
	testutil.NoError(t, resumed.Discard())
	if files, err := os.ReadDir(checkpoints.Dir); err != nil || len(files) != 0 {
		t.Errorf("%d checkpoints left at the end (error %v)", len(files), err)
	}
}

// TestRemaining: with several members, the time left is that of the remaining
// epochs of all of them, which is known after the first epoch.
func TestRemaining(t *testing.T) {
	g, c := SmallGraph(t), Small()
	c.Members, c.Epochs = 3, 4
	epochs, forward := 0, progresstest.Forward(t, Training)
	MustTrain(t, g, c, Options{Running: Running{Progress: func(e Event) {
		forward(e.Event)
		if e.Line != "" {
			return
		}
		epochs++
		if int(e.Done) != epochs || int(e.Total) != 12 || (e.Left > 0) != (epochs < 12) {
			t.Errorf("epoch %d of %d, %v left, want epoch %d of 12 and the time for the rest", e.Done, e.Total, e.Left, epochs)
		}
	}}})
	if epochs != 12 {
		t.Errorf("%d epochs, want 12", epochs)
	}
}
