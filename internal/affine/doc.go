// Package affine is the training step of the encoder (Cui et al., KDD 2020, §3.4): the
// interface between the training (package encoder), which selects pairs and judges
// embeddings, and the models that run on a device, with the native one. Package
// encoder/gomlx has the models on GoMLX.
package affine
