// Package explain says, without labels, why a cluster is one: the features that set it apart, a
// name, its central nodes and neighbors, each node's confidence and outlier score, the features
// by which clusters differ, and what is odd about them.
package explain
