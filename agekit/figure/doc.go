// Package figure draws every plot of this module with gonum/plot, in a common
// style, and shows it inline in a GoNB notebook or saves it as an SVG or PNG
// file. Figures of the filter follow §4.1.2 and Figure 5 of the paper (Cui et
// al., "Adaptive Graph Encoder for Attributed Graph Embedding", KDD 2020);
// figures of the training follow §4.2. Text supplied by the caller (names,
// titles) is escaped wherever it is shown.
package figure
