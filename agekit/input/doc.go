// Package input opens graphs: files of arrays, tables of nodes and edges as pandas,
// spreadsheets and databases write them, and files of whole graphs. A [Source] names
// the files, and [Open] reads them into a [Data].
//
// Tables keep what they call things: ids, names of columns and categories. Their
// columns become the feature matrix X by a [Recipe]: numbers are standardized,
// categories become one feature per value, text becomes TF-IDF weights, and gaps are
// filled and marked. A graph without features gets some from its structure.
//
// Each format is one file, which registers itself (see [Format] and [Register]). A
// format with heavy dependencies belongs in a package of its own, which a blank import
// adds, such as input/parquet.
//
// # Arrays
//
// An .npz file holds a graph in one of two forms. In the first, adj_data, adj_indices,
// adj_indptr and adj_shape are the adjacency matrix as CSR; attr_data, attr_indices,
// attr_indptr and attr_shape are the features as CSR, or attr_matrix is a dense matrix
// of them; labels, if present, has the class of each node (any integers; classes are
// numbered in increasing order). The adjacency matrix may be directed: every entry
// becomes an undirected edge, and self loops are dropped.
//
// The second has the names of PyTorch Geometric's Data: edge_index, 2×E, has the ends
// of the edges, edge_weight, if present, their weights, x the features, and y, if
// present, the classes, where −1 is an unknown one.
package input
