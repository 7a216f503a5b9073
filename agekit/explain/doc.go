// Package explain describes the clusters of a graph without labels: the features
// that set each cluster apart, its central nodes, its neighboring clusters and a tree
// of all clusters, and for each node a confidence, a soft membership and an outlier
// score. It also assigns new nodes to clusters, with the same confidence.
package explain
