// Package testutil has what the tests of several packages need: contexts that end at every
// check, data sets and planted graphs that are loaded once, families of graphs with known
// classes, and the cells of the notebooks. Only tests import it. Trained encoders are package
// modeltest's, because tests of what the encoder is made of import this one.
package testutil
