package agekit

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Snapshot is the embedding after an epoch of a training; epoch 0 is before the training.
type Snapshot struct {
	Epoch     int
	Embedding blas32.General
}

// Snapshots returns the embeddings of the training that [Train] does with the settings c, at
// the epochs of [SnapshotEpochs]. Train keeps snapshots of trainings of one encoder on up to
// 4,000 nodes; for others, Snapshots returns an error. If snapshots are missing in the store,
// Snapshots trains again.
func Snapshots(g *graph.Graph, c encoder.Options) ([]Snapshot, error) {
	choice, err := cell.Backend()
	if err != nil {
		return nil, err
	}
	c.Backend = gomlx.On(choice)
	rec := newRecording(g, c)
	if rec == nil {
		return nil, fmt.Errorf("snapshots of %d encoders of %d nodes: want one encoder and at most %d nodes", max(1, c.Members), g.N(), snapshotNodes)
	}
	if all := rec.snapshots(); all != nil {
		return all, nil
	}
	if _, err := train(g, c, rec); err != nil {
		return nil, err
	}
	all := rec.snapshots()
	if all == nil {
		err = errors.New("snapshots: some are missing, because they could not be stored or the training resumed after them; run it again")
	}
	return all, err
}

const (
	snapshotCount = 10    // of a training, without that of epoch 0
	snapshotNodes = 4_000 // of the largest graph: a snapshot then has 8 MB with 500 dimensions
)

// SnapshotEpochs returns the epochs of [Snapshots] in a training with the settings c: 0, the
// last, and about nine between them, evenly spaced. Each but the last is one after which pairs
// are selected.
func SnapshotEpochs(c encoder.Options) []int {
	updates := (c.Epochs + c.UpdateEvery - 1) / c.UpdateEvery // rounded up
	var epochs []int
	for k := range snapshotCount + 1 {
		epochs = append(epochs, min(c.Epochs, k*updates/snapshotCount*c.UpdateEvery))
	}
	return slices.Compact(epochs)
}

// recording holds the snapshots of a training, in the store or, if cells have no store, in
// memory.
type recording struct {
	keys   map[int]store.Key      // in the store, by epoch
	memory map[int]blas32.General // by epoch; empty with a store
}

// newRecording returns a recording of the training of g with the settings c, without snapshots
// so far, or nil for a training whose snapshots are not kept.
func newRecording(g *graph.Graph, c encoder.Options) *recording {
	if g.N() > snapshotNodes || c.Members > 1 {
		return nil
	}
	r := &recording{keys: map[int]store.Key{}, memory: map[int]blas32.General{}}
	for _, epoch := range SnapshotEpochs(c) {
		r.keys[epoch] = store.NewKey("snapshot", encoder.Version, g, c, epoch)
	}
	return r
}

// add keeps the embedding z after an epoch, if it is one of the recording's epochs. An
// embedding that cannot be stored is left out, which is logged.
func (r *recording) add(epoch int, z blas32.General) {
	key, ok := r.keys[epoch]
	if !ok {
		return
	}
	results := cell.Store()
	if results == nil {
		z.Data = slices.Clone(z.Data) // the training goes on and overwrites z
		r.memory[epoch] = z
		return
	}
	if err := store.Put(results, key, store.Matrix{General: z}); err != nil {
		results.Logf("%v", err)
	}
}

// snapshots returns all snapshots of the recording in the order of their epochs, or nil if one
// is missing.
func (r *recording) snapshots() []Snapshot {
	var all []Snapshot
	for _, epoch := range slices.Sorted(maps.Keys(r.keys)) {
		z, ok := r.memory[epoch]
		if results := cell.Store(); results != nil {
			var stored store.Matrix
			stored, ok = store.Stored[store.Matrix](results, r.keys[epoch])
			z = stored.General
		}
		if !ok {
			return nil
		}
		all = append(all, Snapshot{Epoch: epoch, Embedding: z})
	}
	return all
}
