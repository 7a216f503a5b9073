// Package cluster finds groups: of the rows of an embedding by k-means and spectral clustering (Cui et
// al., KDD 2020, §3.4), and of the nodes of a graph by [community.Louvain] and [community.Leiden],
// which use its edges alone. It scores them without labels, by the Davies–Bouldin index, and has what
// shows them: their colors, and the places of the rows on a map ([tsne.Map]). It never forms the
// affinity S = ZZᵀ of an embedding Z: memory is proportional to the size of Z, and so is the time of a
// product, except for powers of similarities, which every product recomputes.
package cluster
