// Package dataset is the catalogue of data sets: it loads attributed graphs by
// name. Those of the AGE paper's Table 1 are Cora, which is embedded, and
// Citeseer, Wiki and Pubmed, which are found on disk or downloaded, and used
// only when they match their pinned hashes. Two need no file: the Go standard
// library ("gostd") and a generator with planted classes ("planted"). Package
// format reads any other graph from its file.
//
// Whatever the source, the result is a valid [graph.Graph]; damaged input is an
// error that names file, place, what was found and what was expected. The data
// sets are those of Cui et al., "Adaptive Graph Encoder for Attributed Graph
// Embedding", KDD 2020, §5.1.
package dataset
