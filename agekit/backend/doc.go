// Package backend decides on what a model is trained and says why: this
// project's own sparse SIMD step (native), GoMLX's pure Go backend (go), or XLA
// on a CPU or an NVIDIA GPU through a PJRT plugin (xla:cpu, xla:cuda, xla:PATH).
// It finds such plugins, fetches them with pip at pinned versions whose hashes
// are checked, and opens the GoMLX backend. Every backend computes the same
// function; results name the one that ran.
package backend
