// Package experiment makes the tables and figures of the AGE paper (Cui et
// al., KDD 2020, §4 and §5) as lists of runs, each a data set, a method, a
// mode, settings and a seed, and sets their results beside the printed
// figures. Results go to one append-only file, so that a list of runs that
// was interrupted, or extended, goes on where it stopped.
//
// No method sees a label: the runner takes them out of the graph first, and
// they touch nothing but the scores.
package experiment
