// Package input opens graphs: files of arrays, tables of nodes and edges as pandas,
// spreadsheets and databases write them, and files of whole graphs. A [Source] names
// the files, and [Open] reads them into a [Data]. It hides how files become one graph: which column
// has the ids, which are the ends of the edges, what becomes of loops, directions and repeated
// edges, and where features come from.
//
// Tables, which package table reads, keep their ids and the names of columns and categories. A
// [recipe.Recipe] makes the feature matrix X of their columns. A graph without features
// gets some from its structure. Package input/formats has the files of whole graphs.
//
// A graph whose edges are larger than memory becomes a folder first ([Build]), whose files Open
// maps.
package input
