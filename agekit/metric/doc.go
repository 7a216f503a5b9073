// Package metric scores a clustering: against known classes (ACC, NMI, ARI,
// macro F1, confusion matrix), against the graph alone (modularity,
// conductance), and a ranking of node pairs (AUC, average precision), as in
// the paper's §4.3. All values are fractions, not percentages. Cluster and
// class numbers are names only: any integers will do, and renaming them
// changes no score.
package metric
