// Package formats reads and writes files of graphs, one file of the package for each format: it
// hides in what form each holds nodes, edges, features and classes. A file has a whole graph of
// numbered nodes or a part of one, as arrays; or nodes and edges with ids, as two tables
// ([Tables]). Each format registers itself (see [Format]).
//
// # Arrays
//
// An .npz file holds a graph in one of two forms. In the first, adj_data, adj_indices,
// adj_indptr and adj_shape are the adjacency matrix as CSR; attr_data, attr_indices,
// attr_indptr and attr_shape the features as CSR, or attr_matrix a dense matrix of them;
// and labels, if present, the class of each node, any integer. The adjacency matrix may be
// directed: every entry becomes an undirected edge, and self loops are dropped.
//
// The second has the names of PyTorch Geometric's Data: edge_index, 2×E, the ends of the
// edges; edge_weight, if present, their weights; x the features; and y, if present, the
// classes, −1 for an unknown one.
package formats
