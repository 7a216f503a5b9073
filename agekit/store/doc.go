// Package store keeps what a notebook cell or a command computed for the next
// one: files under a name that is the hash of all the result depends on (the
// data set's content, the parameters, a version). Every file carries a
// checksum, is written whole or not at all, and is computed again when
// damaged, never trusted. WriteFileAtomic, on which this rests, also writes
// checkpoints and outputs.
package store
