// Package spectrum computes eigenvalues of the graph Laplacian L̃sym (paper, §3.3)
// and of other symmetric operators: the largest one, which determines the filter's
// k = 1/λmax; all of them for up to 5,000 nodes; and an estimate of their
// distribution for larger graphs. It needs only products of the operator with
// vectors. Package eigen computes eigenvectors.
package spectrum
