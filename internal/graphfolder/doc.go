// Package graphfolder keeps a graph in a folder of flat little-endian files, which are mapped
// instead of read, so that a graph may be larger than memory:
//
//	indptr.i64, indices.i32, values.f32   the adjacency matrix as CSR; values only with weights
//	scale.f64                             D̃^-½ of the renormalized Laplacian
//	features.f32                          X, row by row, if it is dense; or, as CSR,
//	x-indptr.i64, x-indices.i32, x-values.f32
//	labels.i64                            classes from 0, −1 for an unknown one
//	ids.txt, ids-ends.i64                 the nodes' ids, end to end, and where each ends
//	manifest.json                         sizes, SHA-256 of each file, what it was built from
//
// D̃^-½ has 64 bits because the entries of H = I − kL̃sym are products of its numbers that are rounded to
// 32 bits once. From D̃^-½ in 32 bits, they would not have the same bytes as in
// [laplacian.Filter.Smooth].
package graphfolder
