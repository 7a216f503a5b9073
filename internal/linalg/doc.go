// Package linalg has the linear algebra that the packages of agekit share: dense matrices in
// the layout of package simd, sources that give a matrix's rows block by block, Gram matrices
// that are never stored, and eigenvalues of operators. All loops over rows run on all cores
// and stop when their context is done. What depends on a graph is not here but in packages
// graph and laplacian.
package linalg
