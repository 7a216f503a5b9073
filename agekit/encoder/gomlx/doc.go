// Package gomlx defines the encoder and its training step (Cui et al., KDD 2020,
// §3.4) as GoMLX graph code and runs them on a GoMLX backend: pure Go, or XLA on
// a CPU or GPU. It is the only part of the encoder that depends on GoMLX, and
// through it on XLA and cgo.
package gomlx
