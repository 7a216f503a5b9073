// Package table reads tables of nodes and edges, as pandas, spreadsheets and
// databases write them, and keeps what they call things: names of columns, ids and
// categories. A [Table] has typed columns, [Read] selects the format by the file's
// extension, and package feature turns columns into the feature matrix X.
//
// Built in are comma-, semicolon-, tab- and bar-separated text. A format with heavy
// dependencies belongs in a package of its own that registers itself (see
// [Register]), so that a blank import adds it.
package table
