// Package encoder trains the adaptive graph encoder (Cui et al., KDD 2020, algorithm 1)
// on one machine, with an algorithm that computes the same function in fewer
// operations, and saves trained encoders.
//
// [Fit] smooths a graph's features and trains on them; [Prepare] and [Input.Fit] do so
// in two calls, for several trainings on the same features. The [Encoder] of the
// [Result] embeds any graph with the same features; [Encoder.Save] writes it to a file
// and [Load] reads it. The native [Backend] is pure Go and assembly; package
// encoder/gomlx has the model as GoMLX graph code.
package encoder
