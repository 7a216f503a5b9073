// Package encoder trains the adaptive graph encoder (Cui et al., KDD 2020,
// algorithm 1) on one machine, in a form that does the same arithmetic in
// fewer operations, and keeps what it trained.
//
// [Prepare] smooths a graph's features, [Fit] trains on them, and the
// [Encoder] of the [Result] embeds this graph's nodes and any other's with the
// same features; [Encoder.Save] and [Load] keep it. The [Backend] [Native] is
// pure Go and assembly; package encoder/gomlx has the same model as GoMLX
// graph code.
package encoder
