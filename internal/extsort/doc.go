// Package extsort sorts more keys than memory holds, and their weights: a [Sorter] sorts
// chunks and writes each as a run, and [Runs] merges them.
//
// It is our own because runs outlive the process: a run appears whole, and is not made again
// if the program is stopped and repeated. Known libraries, such as lanrat/extsort, remove
// theirs at the end of the process, and pass each key through channels.
package extsort
