// Package message makes what the program says of its users' input: text that repeats little of
// a file, and keeps what a terminal would obey out of it.
package message
