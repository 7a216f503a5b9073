// Package metric scores clusterings against known classes (ACC, NMI, ARI,
// macro F1, confusion matrix) and against the graph alone (modularity,
// conductance), and rankings of node pairs (AUC, average precision), as in the
// paper's §4.3. All values are fractions, not percentages. Cluster and class
// numbers are only names: any integers will do, and renaming them changes no
// score.
package metric
