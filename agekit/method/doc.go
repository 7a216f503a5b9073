// Package method has AGE and other methods that embed or cluster a graph behind one interface, to
// compare the adaptive encoder with: the methods in the tables of the AGE paper (Cui
// et al., KDD 2020, §4.2), the paper's own variants LS, LS+RA and LS+RX, and later
// methods. [All] describes them, [New] makes one by its name, and [Cluster] runs it.
// To see how each method works, with its source and settings, use go doc -u -all.
//
// Some methods have two modes: see [Settings].
//
// Methods that train are GoMLX graph code, which runs on every backend, or native
// code for the simplest. The host computes sums over all pairs of nodes, and the
// products of a first layer, whose matrices are sparse. No n×n matrix is stored: the
// similarities of all pairs are computed and used block by block.
package method
