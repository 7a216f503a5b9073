// Package format reads and writes attributed graphs as files, whose extensions
// select the format. A graph is read from one file ([Read]), from separate files of
// features, edges and labels ([ReadFiles]), or from tables of nodes and edges with
// ids ([ReadTables]).
//
// Each format is implemented in one file of this package, which registers it
// (see [Format] and [Register]). A format with heavy dependencies belongs in a
// separate package that registers itself, so that a blank import adds it.
// Built in are NumPy's .npz and .npy, .csv, and plain text with one edge or
// label per line.
package format
