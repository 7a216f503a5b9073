// Package input opens graphs: files of arrays, tables of nodes and edges as pandas,
// spreadsheets and databases write them, and files of whole graphs. A [Source] names
// the files, and [Open] reads them into a [Data].
//
// Tables keep their ids and the names of columns and categories. A [Recipe] makes the
// feature matrix X of their columns: it standardizes numbers, gives categories one feature
// per value and text TF-IDF weights, and fills and marks gaps. A graph without features
// gets some from its structure.
//
// Each format is one file, which registers itself (see [Format]). A format with heavy
// dependencies is a package of its own, which a blank import adds, such as input/parquet.
//
// A graph whose edges are larger than memory becomes a folder first ([Build]), whose files Open
// maps.
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
package input
