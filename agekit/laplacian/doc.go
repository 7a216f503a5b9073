// Package laplacian applies the renormalized symmetric graph Laplacian
//
//	L̃sym = I − D̃^-½ (A + w̄I) D̃^-½,   D̃ = diag of the row sums of A + w̄I,
//
// where w̄ is the mean weight of an edge, the paper's 1 without weights, and the smoothing
// filter H = I − k·L̃sym (Cui et al., KDD 2020, §3.3), without ever storing either as a dense
// matrix. It computes the spectrum of L̃sym: λmax, on which the paper's k = 1/λmax depends, all
// eigenvalues of a small graph, and the density of a large one's. The smoothed features
// X̃ = HᵗX are the input of the adaptive encoder.
package laplacian
