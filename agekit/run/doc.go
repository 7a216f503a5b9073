// Package run goes from data to a result: the one way for the program, the notebooks,
// Go and Python. [Fit] finds embeddings and clusters, with given settings, with settings
// that it chooses without labels, or by another method. A [Run] is what it found: the
// clusters, what sets them apart ([Cluster]), what was tried, how simple methods compare,
// and where the nodes are on a map. It can be saved, with a manifest that later says whether
// the files are still those that were written, loaded and applied to new nodes.
//
// The paper's method is in §3; docs/choosing-settings.md has the rule by which settings
// are chosen.
package run
