// Package dataset is the catalog of data sets: it loads attributed graphs by name. The
// AGE paper (Cui et al., KDD 2020, §5.1) uses Cora, which is embedded, and Citeseer, Wiki
// and Pubmed, which are found on disk or downloaded and must match their pinned hashes.
// Others need no files: the Go standard library ("gostd") and a generator of graphs with
// planted classes ("planted"). Package input reads any other graph from its files, and [Open]
// takes both.
//
// The result is always a valid [graph.Graph]. The error about damaged input names the file
// and the position in it, and says what was found and what was expected.
package dataset
