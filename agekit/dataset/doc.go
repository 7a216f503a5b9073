// Package dataset loads attributed graphs: those of the AGE paper's Table 1
// by name (Cora is embedded; Citeseer, Wiki and Pubmed are found on disk or
// downloaded, and used only when they match their pinned hashes), graphs from
// plain files, and two that need no file, the Go standard library ("gostd")
// and a generator with planted classes ("planted"). Whatever the source, the
// result is a valid [graph.Graph]; damaged input is an error that names file,
// place, what was found and what was expected. Data sets are those of Cui et
// al., "Adaptive Graph Encoder for Attributed Graph Embedding", KDD 2020, §5.1.
package dataset
