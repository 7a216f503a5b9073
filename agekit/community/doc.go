// Package community finds communities of a graph from its edges alone: Louvain's search and
// Leiden's, in graphs with one kind of node or two, and joins communities to a given number.
package community
