// Package metric scores clusterings against known classes (ACC, NMI, ARI, macro F1,
// confusion matrix) and against the graph alone (modularity, conductance), and rankings
// of node pairs (AUC, average precision), as in the paper's §4.3. All values are
// fractions, not percentages. Any integers will do as cluster and class numbers;
// renaming them changes no score.
package metric
