// Package reproduce reproduces the tables and figures of the AGE paper (Cui
// et al., KDD 2020, §4 and §5). Each is a list of runs, and each run is a data
// set, a method, a mode, settings and a seed. The results appear next to the
// printed values. They are stored in one append-only file, so a list of runs
// that was interrupted or extended resumes where it stopped.
//
// No method sees a label: the runner removes the labels from the graph first
// and uses them only to compute scores.
package reproduce
