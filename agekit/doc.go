// Package agekit holds the functions that notebook cells call: load a graph, smooth its
// features, look at the spectrum, train, cluster, score, draw. It is a thin layer over
// the packages below it, which have all the options. What only the notebooks of the course
// need is in package lab.
//
// Each cell is a program of its own, so a result that takes more than a moment is saved
// to a file (internal/store) under a key of all that it depends on. The next cell that
// asks for it gets it at once, and a line says so. Training shows its progress, can be
// interrupted, and resumes where it stopped.
package agekit
