// Package explain says what is in each cluster of a graph and how sure each node's
// cluster is: the features that set a cluster apart, its central nodes, the clusters
// next to it, a tree of clusters, and for each node a confidence, a soft membership
// and an outlier score. Nothing here uses labels.
package explain
