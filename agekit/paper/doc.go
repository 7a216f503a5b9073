// Package paper holds what the paper (Cui et al., Adaptive Graph Encoder for
// Attributed Graph Embedding, KDD 2020) prints: its settings for each of its data
// sets. Callers choose them by the name of the data set, never by the name of a
// graph or a file.
package paper
