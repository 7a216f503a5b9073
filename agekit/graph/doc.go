// Package graph defines the attributed graph G = (V, E, X) of all other packages (Cui
// et al., KDD 2020, §3.1): a symmetric adjacency matrix without self loops, one row of
// features per node, and labels, if known, which only scores use. It numbers and names the
// classes, and finds the unit of the features, in which training computes. It has no file
// formats.
package graph
