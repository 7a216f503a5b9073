// Package store keeps on disk what notebook cells and commands compute, for later ones. A
// file's name is the hash of everything the result depends on: the data set's content, the
// parameters, a version. Damaged files fail their checksums and are computed again.
package store
