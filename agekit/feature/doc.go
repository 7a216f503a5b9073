// Package feature makes the feature matrix X of a graph from what a table says of
// its nodes: numbers are standardized, categories become one feature a value, text
// becomes TF-IDF weights, and gaps are filled and marked. A [Recipe] records how,
// so that a model can treat new nodes in the same way.
package feature
