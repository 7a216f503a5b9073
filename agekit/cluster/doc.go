// Package cluster groups the rows of a matrix: k-means, spectral clustering of an
// affinity matrix that is given only by its products, and the Davies–Bouldin index,
// which scores a clustering without labels. It never forms the affinity S = ZZᵀ of an
// embedding Z (Cui et al., KDD 2020, §3.4): memory is proportional to the size of Z,
// and so is the time of a product, except for powers of similarities, which every
// product recomputes.
package cluster
