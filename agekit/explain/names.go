package explain

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/rng"
)

const (
	// nameTerms and nameLength are the most features in a name, and the most letters of a
	// name with several.
	nameTerms, nameLength = 3, 44
	// termLength is the most letters of one feature.
	termLength = 40
	// termShare is the least strength of a feature, as a share of the strongest one's.
	termShare = 1. / 3
	// leastNumbered is the number of features with the same name but for a number from
	// which on such a name says nothing.
	leastNumbered = 8
	// A feature may name a cluster if at least leastShare of its nodes have it, and if the share
	// of the others that have it is at most mostOutside of that.
	leastShare, mostOutside = 0.5, 1. / 3
	// A number is high if it is among the highest of all: as many as the cluster's nodes are,
	// but at least leastHigh and at most mostHigh of all nodes.
	leastHigh, mostHigh = 0.25, 0.5
	// sampledNumbers is the number of nodes from which what is high is found.
	sampledNumbers = 50_000
)

// stopWords are words of texts that say nothing of them.
const stopWords = " a an and are as at be been but by can for from had has have he her his i in is it its not of on or she that the their they this to was we were which will with you "

// nameClusters names each cluster by its strongest terms: "island Biscoe, high
// body_mass_g". Names that would be the same get further terms, and the cluster's
// number if these are the same, too. A cluster without terms has no name.
func nameClusters(clusters []Cluster, terms [][]string) {
	used := make([]int, len(clusters)) // number of terms in the name
	for c := range clusters {
		for used[c] < min(nameTerms, len(terms[c])) {
			longer := strings.Join(terms[c][:used[c]+1], ", ")
			if used[c] > 0 && utf8.RuneCountInString(longer) > nameLength {
				break
			}
			clusters[c].Name = longer
			used[c]++
		}
	}
	for {
		clustersByName := map[string][]int{}
		for c := range clusters {
			clustersByName[clusters[c].Name] = append(clustersByName[clusters[c].Name], c)
		}
		longer := false
		for name, sameName := range clustersByName {
			for _, c := range sameName {
				switch {
				case name == "" || len(sameName) == 1:
				case used[c] < len(terms[c]):
					clusters[c].Name += ", " + terms[c][used[c]]
					used[c]++
					longer = true
				case !strings.HasSuffix(name, fmt.Sprintf(" (%d)", c)):
					clusters[c].Name += fmt.Sprintf(" (%d)", c)
				}
			}
		}
		if !longer {
			return
		}
	}
}

// isClear reports whether a feature, one of so many comparisons, differs by more than chance.
func (f *Feature) isClear(comparisons int) bool {
	return f.Strength*f.Strength >= leastClear(comparisons)
}

// leastClear returns the square of the least strength, in standard errors, that is no chance in
// the largest of so many comparisons: 3² for one (Bonferroni's correction: the tail of the normal
// distribution falls as e^(−z²/2)).
func leastClear(comparisons int) float64 { return 9 + 2*math.Log(float64(comparisons)) }

// term is a feature that may name a cluster: its nodes have it, lack it or, for numbers, have a
// high or low one, as the strength says.
type term struct {
	*column
	feature, cluster int
	strength         float64
	inside, outside  int // the nodes of the cluster, and others, of which this is true
	// bound is the least number that is high, or the largest that is low; NaN if none is.
	bound float32
}

// has reports whether the cluster's nodes have the feature, or high numbers.
func (t *term) has() bool { return t.strength > 0 }

// isTrue reports whether the term may name its cluster, of a size, of n nodes: it is true of
// most of the cluster's nodes, and of few others.
func (t *term) isTrue(size, n int) bool {
	inside := float64(t.inside) / float64(size)
	return inside >= leastShare && float64(t.outside)/float64(n-size) <= mostOutside*inside
}

// candidates returns the terms that may name a cluster, the strongest first: of features that
// nodes have or lack those that are true, and of numbers the strongest, whose nodes are still to be
// counted. tallies returns those of a feature inside and outside.
func candidates(cluster, size, n, comparisons int, compared []comparison, columns []column, tallies func(feature int) (inside, outside tally)) (terms []*term) {
	count := map[bool]int{} // of binary features, and of others
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

// termsOfNumbers returns the terms that are not binary, by their feature.
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

// value returns a node's number, or false if it is missing.
func (c *numberTerms) value(g *graph.Graph, node int) (value float32, known bool) {
	value = g.Features.At(node, c.feature)
	return value, value != 0 || !c.gaps
}

// countNumbers finds for each term of numbers which are high, or low, and counts the nodes that
// have such a one. What is high in a large graph is found from a sample of its nodes.
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
			value, known := c.value(g, node)
			if !known {
				continue
			}
			for _, t := range c.terms {
				switch {
				case t.has() && !(value >= t.bound), !t.has() && !(value <= t.bound):
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

// setBounds sets the bounds of the terms of numbers by those of all nodes, or of a random sample of
// many nodes.
func setBounds(ctx context.Context, g *graph.Graph, sizes []int, features []*numberTerms) error {
	n := g.N()
	count := min(n, sampledNumbers)
	random := rng.New(0, rng.NumberSample)
	sorted := make([][]float32, len(features))
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

// setBound sets the bound, given the feature's numbers in increasing order and the share of the
// nodes that are in the term's cluster: about as large a share of the numbers are high, or low.
func (t *term) setBound(sorted []float32, share float64) {
	t.bound = float32(math.NaN())
	if len(sorted) == 0 {
		return
	}
	least, largest := sorted[0], sorted[len(sorted)-1]
	reached := max(1, int(math.Round(float64(len(sorted))*min(mostHigh, max(leastHigh, share)))))
	low, high := sorted[reached-1], sorted[len(sorted)-reached]
	switch { // a bound that all reach is none
	case t.has() && high > least:
		t.bound = high
	case !t.has() && low < largest:
		t.bound = low
	}
}

// phrases returns those of the terms that are true, up to the strongest one's termShare: first
// what the cluster has, then what it lacks. A column of a table gives one.
func phrases(terms []*term, size, n int) (all []string) {
	terms = slices.DeleteFunc(slices.Clone(terms), func(t *term) bool { return !t.isTrue(size, n) })
	var lacks []string
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
			lacks = append(lacks, t.phrase(false))
		} else {
			all = append(all, t.phrase(t.has()))
		}
	}
	return append(all, lacks...)
}
