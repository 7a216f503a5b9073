// Package agekit holds the functions that notebook cells call: load a graph,
// smooth its features, look at the spectrum, train the encoder, cluster,
// score, draw. It is a thin layer over the packages below it, which expose all
// the options.
//
// Each notebook cell is a separate program, so cells share no values. Any
// result that takes more than a moment to compute is therefore saved to a file
// (package store) under a key derived from everything it depends on. The next
// cell that asks for it, even weeks later, gets it at once, and a line says
// so. Training shows its progress, can be interrupted, and resumes where it
// stopped.
package agekit
