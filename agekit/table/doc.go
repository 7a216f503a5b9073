// Package table reads and writes tables of named columns, whoever wrote them: it hides how a file
// separates its fields, names its columns, writes its numbers, leaves values out and packs its
// bytes. [Read] gives the typed columns of a whole table; [Scan] streams the rows of chosen columns,
// in little memory.
//
// A table knows nothing of what its rows are. It knows pairs of columns, such as the ends of edges
// ([FindPair]), and keys to which other tables refer.
//
// Each format registers itself (see [Format]). One with heavy dependencies is a package of its
// own, which a blank import adds, such as table/parquet.
package table
