// Package run goes from data to a result: the one way for the program, the notebooks,
// Go and Python. [Fit] finds embeddings and clusters: in a view of the graph, by AGE with
// given settings, or by another method. A [Run] is what it found: the clusters, what sets
// them apart ([explain.Cluster]), the other views, and where the nodes are on a map. It can be saved, with a manifest that later says whether
// the files are still those that were written, loaded and applied to new nodes.
//
// The paper's method is in §3; docs/views.md says which view is the default, and why.
package run
