// Package baseline implements other methods that embed a graph, for comparison
// with the adaptive encoder: the graph autoencoder GAE (Kipf and Welling
// 2016), and the paper's own variants LS+RA and LS+RX, which train an encoder
// of the smoothed features to reconstruct the adjacency matrix or the features
// (Cui et al., KDD 2020, §4.2 and §5.3). All implement [Method].
//
// They are native code on sparse matrices. No n×n matrix and no dense n×f
// matrix is ever stored: the similarities of all pairs are computed and used
// block by block.
package baseline
