// Package encoder trains AGE's adaptive encoder (Cui et al., KDD 2020, §3.4):
// a linear map of the smoothed features X̃ to embeddings Z, trained on node
// pairs that are picked again every few epochs by their rank in similarity,
// the most similar as positives and the least similar as negatives. Nothing
// in it is n×n: ranks come from blocked products with a histogram (above
// 30,000 nodes from a sample of the pairs, see Mode), negatives are drawn as the
// products pass or by rejection, and labels never enter.
//
// The training step stands twice behind the interface Model: as GoMLX graph
// code, which is its definition and runs on the backends go and xla, and as
// a native sparse step, the default where there is no GPU.
package encoder
