// Package spectrum computes eigenvalues of a symmetric operator such as the
// graph Laplacian L̃sym of the paper's §3.3: the largest one, which determines
// the filter's k = 1/λmax; all of them for graphs of up to 5,000 nodes; and an
// estimate of their distribution for larger graphs. It needs only products of
// the operator with vectors, and computes no eigenvectors.
package spectrum
