// Package model keeps what a run of `agekit fit` leaves behind for later nodes: the
// encoder, how columns became features, the training graph with its ids, and the
// clusters with their centers. A [Model] embeds new nodes, whose features are
// smoothed over their edges into the old graph, and finds their clusters. Its file is
// NumPy's .npz, with settings as JSON inside, so that it can be read without this
// program.
package model
