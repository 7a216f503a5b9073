// Package agekit is what a notebook's cells call: load a graph, smooth its
// features, look at the spectrum, train the encoder, cluster, score, draw. It
// is a thin layer over the packages below it, which have all the options.
//
// A notebook's cells are programs of their own that share no values, so
// whatever takes longer than a moment is kept in files (package store) under
// a name made of everything that it depends on: asked for again, in the next
// cell or next week, it is there at once, and a line says so. Training shows
// its progress, can be interrupted, and goes on where it stopped.
package agekit
