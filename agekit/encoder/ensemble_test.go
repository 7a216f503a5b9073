package encoder

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/store"
)

func smallMembers(count int) []Config {
	members := make([]Config, count)
	for k := range members {
		members[k] = smallConfig()
		members[k].Seed = memberSeed(members[k].Seed, k)
	}
	return members
}

// TestFitEnsemble compares with the trainings made one by one: the embedding
// is theirs side by side, whatever the labels are, and the index that of the
// clusters.
func TestFitEnsemble(t *testing.T) {
	g, members := smallGraph(t), smallMembers(3)
	unlabelled := *g
	unlabelled.Labels = nil
	got, err := FitEnsemble(t.Context(), &unlabelled, members, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range members {
		want := fit(t, g, c, Options{})
		sameResult(t, "member", got.Members[k], want)
		if k > 0 && slices.Equal(got.Members[0].Embedding.Data, want.Embedding.Data) {
			t.Error("the trainings are not different")
		}
		for i := range g.N() {
			for j, v := range row(want.Embedding, i)[:c.Dims] {
				if d := got.Embedding.Data[i*got.Embedding.Stride+k*c.Dims+j] - v/float32(math.Sqrt(3)); d > 1e-7 || d < -1e-7 {
					t.Fatalf("member %d, node %d: number %d is off by %v", k, i, j, d)
				}
			}
		}
	}
	if len(got.Clusters.Labels) != g.N() || slices.Max(got.Clusters.Labels) != members[0].Clusters-1 || got.Clusters.Clusterings == 0 {
		t.Errorf("%d labels of %d clusterings", len(got.Clusters.Labels), got.Clusters.Clusterings)
	}
	want, err := cluster.DaviesBouldinGram(t.Context(), got.Embedding, got.Clusters.Labels)
	if err != nil || got.DaviesBouldin != want {
		t.Errorf("index %v, want %v (error %v)", got.DaviesBouldin, want, err)
	}
}

func TestFitEnsembleErrors(t *testing.T) {
	g, members := smallGraph(t), smallMembers(2)
	if _, err := FitEnsemble(t.Context(), g, nil, Options{}); err == nil {
		t.Error("no error without members")
	}
	members[1].Clusters++
	if _, err := FitEnsemble(t.Context(), g, members, Options{}); err == nil || !strings.Contains(err.Error(), "member 2 of 2: clusters is") {
		t.Errorf("different numbers of clusters: error %v", err)
	}
}

// TestFitEnsembleResumes stops in the second training: the same call ends with
// the bytes of an undisturbed one, does not repeat the first, and its
// checkpoints can be discarded.
func TestFitEnsembleResumes(t *testing.T) {
	g, members := smallGraph(t), smallMembers(2)
	epochs := members[0].Epochs
	want, err := FitEnsemble(t.Context(), g, members, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkpoints, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopping := Options{Checkpoints: checkpoints, CheckpointEvery: 1, Progress: func(e Event) {
		if e.Epoch == epochs+7 && e.Message == "" {
			cancel()
		}
	}}
	if _, err := FitEnsemble(ctx, g, members, stopping); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "training 2 of 2") {
		t.Fatalf("error %v, want context.Canceled in training 2 of 2", err)
	}
	var made []int
	got, err := FitEnsemble(t.Context(), g, members, Options{Checkpoints: checkpoints, Progress: func(e Event) {
		if e.Message == "" {
			made = append(made, e.Epoch)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Embedding.Data, want.Embedding.Data) || !slices.Equal(got.Clusters.Labels, want.Clusters.Labels) {
		t.Error("the resumed ensemble differs")
	}
	if len(made) != epochs-7 || made[0] != epochs+8 {
		t.Errorf("%d epochs from %v, want %d from %d", len(made), made, epochs-7, epochs+8)
	}
	if err := DiscardEnsemble(checkpoints, g, members, backend.Native); err != nil {
		t.Fatal(err)
	}
	if size, err := checkpoints.Size(); err != nil || size != 0 {
		t.Errorf("%d bytes of checkpoints left at the end (error %v)", size, err)
	}
}
