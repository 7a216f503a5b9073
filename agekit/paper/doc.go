// Package paper holds what the paper prints (Cui et al., Adaptive Graph Encoder for
// Attributed Graph Embedding, KDD 2020): the settings for each of its data sets, the
// numbers in its tables, and its names for the steps of the method. Callers choose
// settings by the name of the data set, never by the name of a graph or a file.
package paper
