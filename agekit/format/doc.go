// Package format reads and writes attributed graphs as files, by the extension
// of their names. A graph comes from one file ([Read]) or from files of
// features, edges and labels ([ReadFiles]).
//
// Each format is one file of this package that registers itself (see
// [Format]); a format with heavy dependencies is a package of its own that
// does the same, and importing it, blank, adds it. Built in are NumPy's .npz
// and .npy, .csv, and plain text with one edge or label per line.
package format
