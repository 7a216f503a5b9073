// Package baseline implements other methods that embed or cluster a graph, for
// comparison with the adaptive encoder: those of the tables of the paper (Cui et
// al., KDD 2020, §4.2), the paper's own variants LS, LS+RA and LS+RX, and methods
// that the paper could not know. All implement [Method]. [New] makes one by its
// name, and [Cluster] runs it.
//
// Some methods have two modes: see [HasPublished].
//
// Methods that train are GoMLX graph code, which runs on every backend, or native
// code for the simplest. Sums over all pairs of nodes, and the products of a first
// layer, whose matrices are sparse, are the host's. No n×n matrix is stored: the
// similarities of all pairs are computed and used block by block.
package baseline
