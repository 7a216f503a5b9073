// Package community finds communities in a graph from its edges alone: [Louvain] and [Leiden].
// Both maximize the modularity of a partition of the nodes (metric.Modularity) by moving one
// node at a time, and then repeat this on a smaller graph whose nodes are groups of nodes. Both
// find the number of communities themselves, in time and memory proportional to the number of
// edges; [Join] joins what they find to fewer. None is part of the AGE paper.
package community
