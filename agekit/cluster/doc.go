// Package cluster groups the rows of a matrix: k-means, spectral clustering of
// an affinity matrix that is given only by its products, and the
// Davies–Bouldin index, which scores a clustering without labels. The affinity
// S = ZZᵀ of an embedding Z is never formed (Cui et al., "Adaptive Graph Encoder
// for Attributed Graph Embedding", KDD 2020, §3.4). Memory is proportional to
// the size of Z, and so is the time of a product, except for powers of
// similarities, which are recomputed for every product.
package cluster
