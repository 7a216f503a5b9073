// Package spectrum finds eigenvalues of a symmetric operator such as the graph
// Laplacian L̃sym of the paper's §3.3: the largest one, from which the filter's
// k = 1/λmax comes, all of them for a graph of up to 5,000 nodes, and an
// estimate of their distribution for larger ones. It needs only the product of
// the operator with a vector. No eigenvectors are computed.
package spectrum
