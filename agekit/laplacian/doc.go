// Package laplacian applies the renormalized symmetric graph Laplacian
//
//	L̃sym = I − D̃^-½ (A + w̄I) D̃^-½,   D̃ = diag of the row sums of A + w̄I,
//
// where w̄ is the mean weight of an edge, the paper's 1 without weights,
// and the smoothing filter H = I − k·L̃sym built on it, without ever storing
// either as a dense matrix (Cui et al., KDD 2020, §3.3). The smoothed
// features X̃ = HᵗX are the input of the adaptive encoder.
package laplacian
