// Package store caches on disk what notebook cells and commands compute, so
// that later ones can reuse it. A file's name is the hash of everything the
// result depends on (the data set's content, the parameters, a version). Every
// file carries a checksum and is written completely or not at all; if a file
// is damaged, its result is computed again.
package store
