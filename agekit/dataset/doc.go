// Package dataset is the catalog of data sets: it loads attributed graphs by name. The
// data sets of the AGE paper's Table 1 are Cora, which is embedded, and Citeseer, Wiki
// and Pubmed, which are found on disk or downloaded, and are used only if they match
// their pinned hashes. Others need no files: the Go standard library ("gostd"), any Go
// module ("gomodule:DIR") and a generator of graphs with planted classes ("planted").
// Package input reads any other graph from its files, and [Open] takes both.
//
// Whatever the source, the result is a valid [graph.Graph]. Damaged input
// gives an error that names the file and the position in it, and says what was
// found and what was expected. The paper's data sets are those of Cui et al.,
// "Adaptive Graph Encoder for Attributed Graph Embedding", KDD 2020, §5.1.
package dataset
