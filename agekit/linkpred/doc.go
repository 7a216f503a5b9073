// Package linkpred predicts missing edges from embeddings (Cui et al., KDD 2020, §5.2).
// It has GAE's split of a graph's edges, the inner-product decoder with its AUC and
// average precision, and a training of the encoder on the training edges alone that
// chooses its epoch by the validation edges.
package linkpred
