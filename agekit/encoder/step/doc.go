// Package step holds the encoder's affine map Z = X̃W + b with its training step (Cui
// et al., KDD 2020, §3.4): the interface between the training in package encoder and
// models on a device, and the native model. Package encoder/gomlx has GoMLX's.
package step
