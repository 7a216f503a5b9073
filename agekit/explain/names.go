package explain

import (
	"context"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/rng"
)

const (
	// A name has at most nameTerms features, and at most nameLength letters if it has several.
	nameTerms, nameLength = 3, 44
	// termLength is the largest number of letters of a feature in a name.
	termLength = 40
	// A feature is in a name only if its strength is at least termShare of the strongest feature's.
	termShare = 1. / 3
	// If leastNumbered features or more have names that differ only by a number, the names say nothing.
	leastNumbered = 8
	// mostTerms is the number of terms that are tried for a name.
	mostTerms = 6
	// A name is true of at least leastShare of its cluster's nodes, of less than that of the nodes of each
	// other cluster, and the share of all other nodes of which it is true is at most mostOutside of its own.
	leastShare, mostOutside = 0.5, 1. / 3
	// A number is high if it is among the highest of all: as many as the cluster's nodes are,
	// but at least leastHigh and at most mostHigh of all nodes.
	leastHigh, mostHigh = 0.25, 0.5
	// sampledNumbers is the number of nodes from which what is high is found.
	sampledNumbers = 50_000
)

// stopWords are words of texts that say nothing of them.
const stopWords = " a an and are as at be been but by can for from had has have he her his i in is it its not of on or she that the their they this to was we were which will with you "

// isClear reports whether a feature differs by more than chance, if it is the strongest of so many comparisons.
func (f *Feature) isClear(comparisons int) bool {
	return f.Strength*f.Strength >= leastClear(comparisons)
}

// leastClear returns the square of the least strength, in standard errors, that is no chance if it is the
// largest of so many comparisons. It is 3² for one comparison, and more by Bonferroni's correction, as the
// tail of the normal distribution falls as e^(−z²/2): m times the probability is 2·ln m in z².
func leastClear(comparisons int) float64 { return 9 + 2*math.Log(float64(comparisons)) }

// term is a statement about a feature that may name a cluster: that its nodes have the feature (for
// numbers: a high one) if the strength is positive, and that they lack it (a low one) if it is negative.
type term struct {
	*column                  // describes the feature
	feature, cluster int     // numbers
	strength         float64 // [Feature].Strength
	inside, outside  int     // the number of the cluster's nodes, and of other nodes, for which the statement is true
	// bound is the least number that is high, or the largest that is low; NaN if none is.
	bound float32
}

// has reports whether the cluster's nodes have the feature, or high numbers.
func (t *term) has() bool { return t.strength > 0 }

// isTrue reports whether the term may be in the name of its cluster, which has size of the n nodes.
func (t *term) isTrue(size, n int) bool { return isTrue(t.inside, t.outside, size, n) }

// holds reports whether the term is true of a node with this value of the feature.
func (t *term) holds(value float32) bool {
	switch {
	case t.binary() && t.centered && t.has():
		return value > 0
	case t.binary() && t.centered:
		return value < 0
	case t.binary():
		return (value != 0) == t.has()
	case value == 0 && t.gaps: // missing
		return false
	case t.has(): // with a bound of NaN, no value is high or low
		return value >= t.bound
	}
	return value <= t.bound
}

// candidates returns the terms that may name a cluster, which has size of the n nodes, the strongest first. compared
// has the comparisons of all features, the strongest first, and comparisons is how many there are for all
// clusters; columns describes the features, and tallies returns the tallies of a feature inside and outside the
// cluster. Of binary features, candidates returns only terms that are true (isTrue). For numbers, the nodes are
// still to be counted (countNumbers).
func candidates(cluster, size, n, comparisons int, compared []comparison, columns []column, tallies func(feature int) (inside, outside tally)) (terms []*term) {
	count := map[bool]int{} // the terms of binary features (true), and of numbers
	for _, f := range compared {
		if !f.isClear(comparisons) {
			break // the others are weaker still
		}
		t := &term{column: &columns[f.feature], feature: f.feature, cluster: cluster, strength: f.Strength}
		if t.numbered || t.phrase(t.has()) == "" || count[t.binary()] == listedFeatures {
			continue
		}
		if t.binary() {
			inside, outside := tallies(f.feature)
			if t.has() {
				t.inside, t.outside = t.present(inside).count, t.present(outside).count
			} else {
				t.inside, t.outside = t.absent(inside, size), t.absent(outside, n-size)
			}
			if !t.isTrue(size, n) {
				continue
			}
		}
		count[t.binary()]++
		terms = append(terms, t)
	}
	return terms
}

// numberTerms are the terms of one feature whose values are numbers.
type numberTerms struct {
	feature int
	gaps    bool // a missing value is 0
	terms   []*term
}

// termsOfNumbers returns those of the terms that are about numbers, grouped by their feature.
func termsOfNumbers(terms []*term) []*numberTerms {
	var all []*numberTerms
	byFeature := map[int]*numberTerms{}
	for _, t := range terms {
		if t.binary() {
			continue
		}
		numbers := byFeature[t.feature]
		if numbers == nil {
			numbers = &numberTerms{feature: t.feature, gaps: t.gaps}
			byFeature[t.feature] = numbers
			all = append(all, numbers)
		}
		numbers.terms = append(numbers.terms, t)
	}
	return all
}

// value returns a node's value of the feature; known is false if it is missing.
func (c *numberTerms) value(g *graph.Graph, node int) (value float32, known bool) {
	value = g.Features.At(node, c.feature)
	return value, value != 0 || !c.gaps
}

// countNumbers sets, in each term about numbers, the bound from which on a number is high or low, and counts the nodes
// for which the term is true. clusters has the cluster of each node, sizes the size of each cluster, and terms the
// terms of each. In a large graph, the bounds are found from a sample of the nodes.
func countNumbers(ctx context.Context, g *graph.Graph, clusters, sizes []int, terms [][]*term) error {
	features := termsOfNumbers(slices.Concat(terms...))
	if err := setBounds(ctx, g, sizes, features); err != nil {
		return err
	}
	for node, cluster := range clusters {
		if node&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, c := range features {
			value := g.Features.At(node, c.feature)
			for _, t := range c.terms {
				switch {
				case !t.holds(value):
				case cluster == t.cluster:
					t.inside++
				default:
					t.outside++
				}
			}
		}
	}
	return nil
}

// setBounds sets the bound of each term of the features, from the values of all nodes or, if there are more than
// sampledNumbers, of a random sample of them.
func setBounds(ctx context.Context, g *graph.Graph, sizes []int, features []*numberTerms) error {
	n := g.N()
	count := min(n, sampledNumbers)
	random := rng.New(0, rng.NumberSample)
	sorted := make([][]float32, len(features)) // the values of each feature, sorted below
	for i := range count {
		if i&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		node := i
		if n > sampledNumbers {
			node = random.IntN(n)
		}
		for k, c := range features {
			if value, known := c.value(g, node); known {
				sorted[k] = append(sorted[k], value)
			}
		}
	}
	for k, c := range features {
		slices.Sort(sorted[k])
		for _, t := range c.terms {
			t.setBound(sorted[k], float64(sizes[t.cluster])/float64(n))
		}
	}
	return nil
}

// setBound sets the term's bound, so that about the given share of the numbers, but at least leastHigh and at most
// mostHigh of them, are high or low. sorted has the feature's numbers in increasing order, and share is the share
// of the nodes that are in the term's cluster.
func (t *term) setBound(sorted []float32, share float64) {
	t.bound = float32(math.NaN())
	if len(sorted) == 0 {
		return
	}
	least, largest := sorted[0], sorted[len(sorted)-1]
	reached := max(1, int(math.Round(float64(len(sorted))*min(mostHigh, max(leastHigh, share)))))
	low, high := sorted[reached-1], sorted[len(sorted)-reached]
	switch { // a bound that all numbers reach would say nothing
	case t.has() && high > least:
		t.bound = high
	case !t.has() && low < largest:
		t.bound = low
	}
}

// nameable returns those of the terms of a cluster that are true (isTrue) and have at least termShare of the strength
// of the strongest of these, at most mostTerms: first what the cluster has, then what it lacks. Of the features that are
// made of one column of a table, only the strongest counts. The cluster has size of the n nodes.
func nameable(terms []*term, size, n int) (all []*term) {
	terms = slices.DeleteFunc(slices.Clone(terms), func(t *term) bool { return !t.isTrue(size, n) })
	var lacks []*term
	seen := map[int]bool{} // the user's columns
	for _, t := range terms {
		if math.Abs(t.strength) < termShare*math.Abs(terms[0].strength) {
			break
		}
		if seen[t.part] {
			continue
		}
		seen[t.part] = t.part >= 0
		if t.binary() && !t.has() {
			lacks = append(lacks, t)
		} else {
			all = append(all, t)
		}
	}
	all = append(all, lacks...)
	return all[:min(mostTerms, len(all))]
}
