// Package linkpred predicts missing edges from embeddings (Cui et al., KDD
// 2020, §5.2): GAE's split of a graph's edges, the inner-product decoder and
// its AUC and average precision, and the encoder trained on the training
// edges alone, with its epoch chosen by the validation edges.
package linkpred
