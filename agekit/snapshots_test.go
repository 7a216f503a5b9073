package agekit

import (
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/store"
	"github.com/agekit/age/internal/testutil"
)

// TestSnapshots: Train keeps snapshots at the expected epochs, and that of the chosen epoch is the
// training's result. If one is lost, Snapshots trains again and returns equal ones. Two encoders
// have no snapshots.
func TestSnapshots(t *testing.T) {
	g := load(t, small)
	c := Settings(g)
	c.Dims, c.Epochs, c.UpdateEvery, c.Seed = 20, 25, 2, 3
	r := must(Train(g, c))
	var all []Snapshot
	if out := printed(t, func() { all = must(Snapshots(g, c)) }); out != "" {
		t.Errorf("after Train, Snapshots prints %q, want nothing: it should find them", out)
	}
	var epochs []int
	for _, s := range all {
		epochs = append(epochs, s.Epoch)
		if s.Epoch == r.Members[0].Epoch && !slices.Equal(s.Embedding.Data, r.Embedding.Data) {
			t.Errorf("the snapshot of the chosen epoch %d is not the result", s.Epoch)
		}
	}
	if want := []int{0, 2, 4, 6, 10, 12, 14, 18, 20, 22, 25}; !slices.Equal(epochs, want) {
		t.Errorf("snapshots of epochs %v, want %v", epochs, want)
	}
	native := c // the settings with the backend that Train chose
	native.Backend = gomlx.On(backend.Choice{Name: backend.Native})
	lost := newRecording(g, native).keys[12]
	testutil.NoError(t, store.Remove[store.Matrix](cell.Store(), lost))
	var again []Snapshot
	if out := printed(t, func() { again = must(Snapshots(g, c)) }); !strings.Contains(out, "training: computed") {
		t.Errorf("without a snapshot, Snapshots prints %q, want it to train again", out)
	}
	for k, s := range again {
		if s.Epoch != all[k].Epoch || !slices.Equal(s.Embedding.Data, all[k].Embedding.Data) {
			t.Errorf("epoch %d differs after training again", s.Epoch)
		}
	}
	c.Members = 2
	testutil.Value(Snapshots(g, c)).Fails(t, "want one encoder")
}
