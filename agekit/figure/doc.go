// Package figure draws every plot of this module with gonum/plot, in one
// style, and shows it: inline in a GoNB notebook, or as an SVG or PNG file.
// Figures of the filter follow §4.1.2 and Figure 5 of the paper (Cui et al.,
// "Adaptive Graph Encoder for Attributed Graph Embedding", KDD 2020), those
// of the training §4.2.
// Text given by the caller (names, titles) is escaped wherever it is shown.
package figure
