package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
)

// Confusion is the confusion matrix: the number of nodes of each class in each
// cluster, with the best one-to-one assignment of clusters to classes.
type Confusion struct {
	// Classes holds the class of each row, ascending.
	Classes []int
	// Clusters holds the cluster of each column: first those assigned to a class, in
	// the order of the classes, then the others, ascending.
	Clusters []int
	// Counts[r][c] is the number of nodes of class Classes[r] in cluster Clusters[c].
	Counts [][]int
	// Assigned[r] is the column assigned to row r, or −1 if there are too few clusters. With
	// at least as many clusters as classes, Assigned[r] is r: agreements are on the diagonal.
	Assigned []int
}

// NewConfusion counts the nodes of each class truth[i] in each cluster pred[i], and
// assigns clusters to classes one to one so that the most nodes agree. It panics if the
// lengths differ.
func NewConfusion(truth, pred []int) *Confusion {
	t := newTable(truth, pred)
	column := assign(t.counts)               // of each class, in t
	order := make([]int, 0, len(t.clusters)) // t's columns in the order of the result
	m := &Confusion{Classes: t.classes, Assigned: make([]int, len(t.classes))}
	for r, c := range column {
		m.Assigned[r] = -1
		if c >= 0 {
			m.Assigned[r] = len(order)
			order = append(order, c)
		}
	}
	for c := range t.clusters {
		if !slices.Contains(column, c) {
			order = append(order, c)
		}
	}
	for _, c := range order {
		m.Clusters = append(m.Clusters, t.clusters[c])
	}
	for _, row := range t.counts {
		aligned := make([]int, len(order))
		for c, from := range order {
			aligned[c] = row[from]
		}
		m.Counts = append(m.Counts, aligned)
	}
	return m
}

// Accuracy returns ACC, the fraction of nodes whose cluster is assigned to their class
// under the best one-to-one assignment. The numbers of clusters and classes may differ.
// ACC is 1 if there are no nodes. It panics if the lengths differ, as do all functions
// of two labelings.
func Accuracy(truth, pred []int) float64 {
	if len(truth) == 0 && len(pred) == 0 {
		return 1
	}
	m := NewConfusion(truth, pred)
	agree := 0
	for r, c := range m.Assigned {
		if c >= 0 {
			agree += m.Counts[r][c]
		}
	}
	return float64(agree) / float64(len(truth))
}

// macroF1 returns the mean over the classes of
//
//	F1 = 2·TP / (2·TP + FP + FN)
//
// where the cluster assigned to a class, as in [Accuracy], predicts that class. A class
// without a cluster has F1 = 0; a cluster without a class adds to the false negatives of its
// nodes' classes. Macro F1 is 1 if there are no nodes. Of several assignments that agree
// equally often, whose F1 can differ, it takes the one of SciPy's linear_sum_assignment with
// the classes as rows and the clusters as columns, both ascending.
func macroF1(truth, pred []int) float64 {
	if len(truth) == 0 && len(pred) == 0 {
		return 1
	}
	m := NewConfusion(truth, pred)
	sum := 0.0
	for r, c := range m.Assigned {
		if c < 0 {
			continue
		}
		inClass, inCluster := 0, 0
		for _, count := range m.Counts[r] {
			inClass += count
		}
		for _, row := range m.Counts {
			inCluster += row[c]
		}
		sum += 2 * float64(m.Counts[r][c]) / float64(inClass+inCluster)
	}
	return sum / float64(len(m.Classes))
}

// NMI returns the mutual information of the two labelings divided by the arithmetic
// mean of their entropies (scikit-learn's default since 0.22),
//
//	NMI = 2·I(U; V) / (H(U) + H(V)).
//
// It is 1 if both labelings have one group (or none), and 0 if only one of them does.
func NMI(truth, pred []int) float64 {
	t := newTable(truth, pred)
	if len(t.classes) <= 1 && len(t.clusters) <= 1 {
		return 1
	}
	n := float64(len(truth))
	information := 0.0
	for r, row := range t.counts {
		for c, count := range row {
			if count > 0 {
				nodes := float64(count)
				information += nodes / n * math.Log(nodes*n/(float64(t.classSize[r])*float64(t.clusterSize[c])))
			}
		}
	}
	// With rounding, the information of independent labelings can be slightly less
	// than 0, and of equal labelings slightly more than their entropy.
	score := 2 * information / (entropy(t.classSize, n) + entropy(t.clusterSize, n))
	return min(1, max(0, score))
}

// ARI returns the Rand index adjusted for chance,
//
//	ARI = (R − E[R]) / (max R − E[R]),
//
// over all pairs of nodes: 1 for equal partitions, about 0 for independent ones (it can
// be negative), and 1 for fewer than two nodes.
func ARI(truth, pred []int) float64 {
	t := newTable(truth, pred)
	// Numbers of pairs of nodes that are in one class, in one cluster, and in both.
	both, sameClass, sameCluster := 0.0, sumPairs(t.classSize), sumPairs(t.clusterSize)
	for _, row := range t.counts {
		both += sumPairs(row)
	}
	if both == sameClass && both == sameCluster {
		return 1
	}
	n := float64(len(truth))
	expected := sameClass * sameCluster / (n * (n - 1) / 2)
	return (both - expected) / ((sameClass+sameCluster)/2 - expected)
}

// table is the contingency table of two labelings.
type table struct {
	classes, clusters      []int   // label values, ascending
	counts                 [][]int // [class][cluster]
	classSize, clusterSize []int
}

// newTable counts the nodes of each class in each cluster. It panics if the lengths differ.
func newTable(truth, pred []int) *table {
	if len(truth) != len(pred) {
		panic(fmt.Sprintf("metric: %d classes for %d clusters, want one of each per node", len(truth), len(pred)))
	}
	ofClasses, row := graph.DistinctIDs(truth)
	ofClusters, column := graph.DistinctIDs(pred)
	t := &table{
		classes: ofClasses, clusters: ofClusters,
		counts:    make([][]int, len(ofClasses)),
		classSize: make([]int, len(ofClasses)), clusterSize: make([]int, len(ofClusters)),
	}
	for r := range t.counts {
		t.counts[r] = make([]int, len(ofClusters))
	}
	for i, r := range row {
		c := column[i]
		t.counts[r][c]++
		t.classSize[r]++
		t.clusterSize[c]++
	}
	return t
}

// entropy returns −Σ p ln p of groups of the given sizes, with n nodes in total.
func entropy(sizes []int, n float64) float64 {
	h := 0.0
	for _, s := range sizes {
		p := float64(s) / n
		h -= p * math.Log(p)
	}
	return h
}

// sumPairs returns the number of unordered pairs within groups of the given sizes, an
// integer that float64 represents exactly up to 9·10¹⁵.
func sumPairs(sizes []int) float64 {
	sum := 0.0
	for _, s := range sizes {
		sum += float64(s) * float64(s-1) / 2
	}
	return sum
}
