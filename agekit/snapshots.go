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

// Snapshot is the embedding after an epoch of a training; epoch 0 is before the first.
type Snapshot struct {
	Epoch     int
	Embedding blas32.General
}

// Snapshots returns the embeddings of about ten epochs of the training that [Train] does
// with the same settings, those of [SnapshotEpochs]. Train keeps them, for one encoder and
// up to 4,000 nodes. If they are no longer in the store, it trains again.
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
	snapshotCount = 10    // after epoch 0
	snapshotNodes = 4_000 // more would fill a disk: 8 MB each with 500 dimensions
)

// SnapshotEpochs returns the epochs of [Snapshots], from 0 to the last: about ten, evenly
// spaced, each after a selection of pairs.
func SnapshotEpochs(c encoder.Options) []int {
	updates := (c.Epochs + c.UpdateEvery - 1) / c.UpdateEvery
	var epochs []int
	for k := range snapshotCount + 1 {
		epochs = append(epochs, min(c.Epochs, k*updates/snapshotCount*c.UpdateEvery))
	}
	return slices.Compact(epochs)
}

// recording has the snapshots of a training in the store or, without one, in memory.
type recording struct {
	keys   map[int]store.Key // by epoch
	memory map[int]blas32.General
}

// newRecording returns nil for a training whose snapshots are not kept.
func newRecording(g *graph.Graph, c encoder.Options) *recording {
	if g.N() > snapshotNodes || c.Members > 1 {
		return nil
	}
	r := &recording{map[int]store.Key{}, map[int]blas32.General{}}
	for _, epoch := range SnapshotEpochs(c) {
		r.keys[epoch] = store.NewKey("snapshot", encoder.Version, g, c, epoch)
	}
	return r
}

// add keeps the embedding z after an epoch, if it is one of the recording's.
func (r *recording) add(epoch int, z blas32.General) {
	key, ok := r.keys[epoch]
	if !ok {
		return
	}
	results := cell.Store()
	if results == nil {
		z.Data = slices.Clone(z.Data)
		r.memory[epoch] = z
		return
	}
	if err := store.Put(results, key, store.Matrix{General: z}); err != nil {
		results.Logf("%v", err)
	}
}

// snapshots returns all of them, or nil if one is missing.
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
		all = append(all, Snapshot{epoch, z})
	}
	return all
}
