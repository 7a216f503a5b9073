// Package tsne maps high-dimensional points to points in the plane with
// similar neighborhoods, for figures of features and embeddings. It implements
// Barnes–Hut t-SNE (van der Maaten, "Accelerating t-SNE using Tree-Based
// Algorithms", JMLR 15, 2014), with the tree of gonum's spatial/barneshut.
// After the neighbor search, time grows as n log n and memory as n.
package tsne
