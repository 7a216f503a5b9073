// Package graph holds the attributed graph G = (V, E, X) that every other
// package of this module works on: a symmetric adjacency matrix without self
// loops, one row of features a node, and labels where they are known (they
// are used for scores only). It knows no file format and no algorithm
// (Cui et al., "Adaptive Graph Encoder for Attributed Graph Embedding",
// KDD 2020, §3.1).
package graph
