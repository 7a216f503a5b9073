// Package backend chooses the backend that a model trains on, and says why: this project's
// own sparse SIMD step (native), GoMLX's pure Go backend (go), or XLA on a CPU or an NVIDIA
// GPU through a PJRT plugin (xla:cpu, xla:cuda, xla:PATH). It finds such plugins, installs
// pinned ones with pip, and opens the GoMLX backend. Every backend computes the same
// function; results name the one used.
package backend
