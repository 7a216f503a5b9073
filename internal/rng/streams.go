package rng

import "math/rand/v2"

// Stream is one of the sequences that a seed has. Equal streams of one seed are the same numbers, so
// each stream below has one user. Where two streams have the same number, a comment says why their
// users never draw for the same result, or why neither depends on what the other computes.
type Stream uint64

// Only is the stream of a seed from which one part alone draws: a planted graph, a split of its
// edges or a signal, each of which has a seed of its own; a probe of the eigenvalues' density; and
// whatever has a fixed seed, as it begins at an arbitrary vector or draws an arbitrary sample on
// which its result does not depend.
const Only Stream = 0

// The streams of a run's seed from which the views draw (package views).
const (
	ViewColumns   Stream = iota // projections of the features to fewer columns
	ViewKMeans                  // starts of k-means
	ViewLeiden                  // the order of the nodes
	ViewSpectral                // starts of eigenvectors
	viewResamples               // resamples: that of draw d is 256·d more ([ViewResample])
	viewNull                    // graphs and features without groups: that of draw d is 256·d more
	ViewPaths                   // the nodes from which paths are measured
)

// ViewResample returns the stream of a resample of a view, for draws from 0.
func ViewResample(draw int) Stream { return viewResamples + Stream(draw)<<8 }

// ViewNull returns the stream of a draw without groups, for draws from 0.
func ViewNull(draw int) Stream { return viewNull + Stream(draw)<<8 }

// The streams of a run's seed from which a method other than AGE draws (package method). They
// are those of the views of the same run, from whose clusters a method takes nothing.
const (
	// Method is for what a method draws before its first epoch, and for all that a method without
	// epochs draws. One that is given no sources for clustering clusters by these numbers, too.
	Method Stream = 0
)

// MethodEpoch returns the stream of an epoch, for epochs from 1 to 2³²−1.
func MethodEpoch(epoch int) Stream { return Method + Stream(epoch) }

// MethodWindows returns the stream of the windows of DeepWalk's walks in an epoch, which it draws
// beside the walks.
func MethodWindows(epoch int) Stream { return Stream(epoch) << 32 }

// Row returns the stream of row i, for a selection of pairs, whose seed is a key of its own.
func Row(i int) Stream { return Stream(i) }

// Rows returns the stream for all n rows of a selection of pairs together, which follows those of [Row].
func Rows(n int) Stream { return Stream(n) }

// The streams from which a run draws what it says of large graphs: the first two of the fixed seed
// 0. A planted graph of seed 0 numbers its nodes by [Only]: the first ones of a shuffle by the same
// numbers would be the nodes with the most edges.
const (
	MapSample    Stream = 1<<40 + iota // the nodes that are placed first
	NumberSample                       // the nodes by whose numbers columns are described
	LevelColumns                       // of the run's seed: projections for further numbers of clusters
)

// MapColumns is the stream of seed 0 from which an embedding that is not in memory is projected to
// fewer columns for a map, which itself draws from [Only] where all nodes are placed: starts of
// eigenvectors, on which the map does not depend.
const MapColumns = Only

// LevelKMeans is the stream of a run's seed from which k-means of the embedding for further numbers
// of clusters starts. It is that of projections of the features, which are numbers of another kind.
const LevelKMeans = ViewColumns

// ShownPairs is the stream of a training's seed from which a page draws the pairs that it shows.
const ShownPairs Stream = 1

// TrainingPart is what a training of AGE draws ([Training]).
type TrainingPart int

const (
	Weights   TrainingPart = iota // initial ones
	Shuffle                       // of the positive pairs of a selection
	Negatives                     // of an epoch
	Clusters                      // k-means of an epoch that is judged
	Anchors                       // of a selection
	Ensemble                      // k-means of all members, and of all nodes
	Draws                         // the key of the negatives that are drawn while pairs are ranked
	Sample                        // the nodes to train on
)

// Training returns the source of a part of a training, for an epoch or a selection, counted
// from 0. It is [Hashed]: neighboring seeds and epochs are unrelated.
func Training(seed uint64, part TrainingPart, index int) *rand.Rand {
	return Hashed("agekit", seed, int(part), index)
}

// Member returns the seed of a member of an ensemble: seed for member 0, and a hash of both
// numbers for the others, so that neighboring seeds share no members.
func Member(seed uint64, member int) uint64 {
	if member == 0 {
		return seed
	}
	return HashedSeed("agekit restart", seed, member)
}
