// Package tsne draws maps: t-SNE (van der Maaten and Hinton, 2008) with the trees of Barnes and
// Hut (van der Maaten, 2014), from a sample of the rows where there are many.
package tsne
