package agekit

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Snapshot is the embedding after an epoch of a training; epoch 0 is before the
// first.
type Snapshot struct {
	Epoch     int
	Embedding blas32.General
}

// Snapshots returns the embeddings of about ten epochs, evenly spaced from the
// first to the last, of the training that [Train] does with the same settings.
// Train keeps them, for one encoder and graphs of up to 4,000 nodes. If they are
// no longer in the store, it trains again.
func Snapshots(g *graph.Graph, c encoder.Options) ([]Snapshot, error) {
	choice, err := cellBackend()
	if err != nil {
		return nil, err
	}
	f := newFilm(g, c, choice.Name)
	if f == nil {
		return nil, fmt.Errorf("snapshots of %d encoders of %d nodes: want one encoder and at most %d nodes", max(1, c.Members), g.N(), snapshotNodes)
	}
	if all := f.snapshots(); all != nil {
		return all, nil
	}
	if _, err := train(g, c, f); err != nil {
		return nil, err
	}
	all := f.snapshots()
	if all == nil {
		err = errors.New("snapshots: some are missing, because they could not be stored or the training resumed after them; run it again")
	}
	return all, err
}

const (
	snapshotCount = 10    // after epoch 0
	snapshotNodes = 4_000 // more would fill a disk: 8 MB each with 500 dimensions
)

// film keeps the snapshots of a training in the store. If there is no store, it
// keeps them in memory.
type film struct {
	keys   map[int]store.Key // by epoch
	memory map[int]blas32.General
}

// newFilm returns nil for a training whose snapshots are not kept.
func newFilm(g *graph.Graph, c encoder.Options, backend string) *film {
	if g.N() > snapshotNodes || c.Members > 1 {
		return nil
	}
	f := &film{map[int]store.Key{}, map[int]blas32.General{}}
	for _, epoch := range snapshotEpochs(c) {
		f.keys[epoch] = store.NewKey("snapshot", 1, g.Fingerprint(), c, backend, epoch)
	}
	return f
}

// snapshotEpochs returns epochs after which an embedding is saved, from 0 to the
// last.
func snapshotEpochs(c encoder.Options) []int {
	updates := (c.Epochs + c.UpdateEvery - 1) / c.UpdateEvery
	var epochs []int
	for k := range snapshotCount + 1 {
		epochs = append(epochs, min(c.Epochs, k*updates/snapshotCount*c.UpdateEvery))
	}
	return slices.Compact(epochs)
}

// watch keeps the embedding of an epoch if it is to be kept.
func (f *film) watch(epoch int, z blas32.General) {
	key, ok := f.keys[epoch]
	if !ok {
		return
	}
	s := results()
	if s == nil {
		z.Data = slices.Clone(z.Data)
		f.memory[epoch] = z
		return
	}
	if err := store.Put(s, key, store.Matrix{General: z}); err != nil {
		s.Logf("%v", err)
	}
}

// snapshots returns all of them, or nil if one is missing.
func (f *film) snapshots() []Snapshot {
	var all []Snapshot
	for _, epoch := range slices.Sorted(maps.Keys(f.keys)) {
		z, ok := f.memory[epoch]
		if s := results(); s != nil {
			var kept store.Matrix
			kept, ok = store.Get[store.Matrix](s, f.keys[epoch])
			z = kept.General
		}
		if !ok {
			return nil
		}
		all = append(all, Snapshot{epoch, z})
	}
	return all
}
