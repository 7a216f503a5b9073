// Package eigen computes eigenvalues and eigenvectors at the upper end of the spectrum of a
// symmetric matrix that is given only by its products, by Lanczos iterations: the largest
// eigenvalue, which determines the filter's k = 1/λmax (Cui et al., KDD 2020, §3.3.3), and
// the leading eigenvectors, on which spectral clustering runs k-means (§3.4).
package eigen
