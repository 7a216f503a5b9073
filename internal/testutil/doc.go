// Package testutil has what the tests of several packages need: contexts that end at every
// check, data sets that are loaded once, checks of errors, keys and versions, and the cells of the
// notebooks. Only tests import it. Trained encoders are package modeltest's, because tests of
// what the encoder is made of import this one.
package testutil
