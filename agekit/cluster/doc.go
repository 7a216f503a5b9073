// Package cluster groups the rows of a matrix: k-means, spectral clustering of
// an affinity matrix that is known by its products alone, and the
// Davies–Bouldin index that judges a clustering without labels. The affinity
// S = ZZᵀ of an embedding Z is never formed (Cui et al., "Adaptive Graph Encoder
// for Attributed Graph Embedding", KDD 2020, §3.4): everything here costs memory
// in proportion to Z, and time, too, but for powers of similarities, which are
// made anew for every product.
package cluster
