// Package graph defines the attributed graph G = (V, E, X) that every other
// package of this module works on: a symmetric adjacency matrix without self
// loops, one row of features per node, and labels if they are known (they are
// used only for scoring). The package contains no file formats and no
// algorithms (Cui et al., "Adaptive Graph Encoder for Attributed Graph
// Embedding", KDD 2020, §3.1).
package graph
