// Package tsne draws points of many dimensions as points of a plane that keep
// their neighbourhoods, for figures of features and embeddings. It is
// Barnes–Hut t-SNE (van der Maaten, "Accelerating t-SNE using Tree-Based
// Algorithms", JMLR 15, 2014), with the tree of gonum's spatial/barneshut.
// Time grows as n log n once the neighbours are found, memory as n.
package tsne
