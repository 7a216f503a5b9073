package explain

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/agekit/graph"
)

// isTrue reports whether something is true of at least half of the nodes of a cluster, which has size of the
// n nodes, and of few others. inside and outside are the numbers of the cluster's nodes, and of the others, of
// which it is true.
func isTrue(inside, outside, size, n int) bool {
	share := float64(inside) / float64(size)
	return share >= leastShare && float64(outside)/float64(n-size) <= mostOutside*share
}

// nameClusters returns the name of each cluster ([Cluster.Name]), "" for none. terms has for each cluster the terms that
// may be in its name, in order. A term joins those before it if the name stays true of the cluster; a name of
// nameTerms terms, or of nameLength letters, gets another one only if it is true of another cluster, too.
func nameClusters(ctx context.Context, g *graph.Graph, clusters, sizes []int, terms [][]*term) ([]string, error) {
	n, k := len(clusters), len(sizes)
	chosen := make([][]*term, k)  // the terms of each name
	distinct := make([]bool, k)   // the name is true of no other cluster
	for next := range mostTerms { // the term that is tried
		tried := make([][]*term, k)
		for c := range k {
			isFull := len(chosen[c]) == nameTerms || len(chosen[c]) > 0 && next < len(terms[c]) &&
				utf8.RuneCountInString(text(append(slices.Clip(chosen[c]), terms[c][next]))) > nameLength
			if next < len(terms[c]) && !(distinct[c] && isFull) {
				tried[c] = append(slices.Clip(chosen[c]), terms[c][next])
			}
		}
		bearers, err := countBearers(ctx, g, clusters, tried)
		if err != nil {
			return nil, err
		}
		for c, counts := range bearers {
			if counts == nil {
				continue
			}
			outside, isDistinct := -counts[c], true
			for other, count := range counts {
				outside += count
				isDistinct = isDistinct && (other == c || float64(count) < leastShare*float64(sizes[other]))
			}
			if isTrue(counts[c], outside, sizes[c], n) {
				chosen[c], distinct[c] = tried[c], isDistinct
			}
		}
	}
	names := make([]string, k)
	seen := map[string]bool{} // two columns may have the same name, or differ only after what is cut
	for c := range names {
		if name := text(chosen[c]); distinct[c] && !seen[name] {
			names[c], seen[name] = name, true
		}
	}
	return names, nil
}

// text returns what the terms say, with commas between them.
func text(terms []*term) string {
	phrases := make([]string, len(terms))
	for i, t := range terms {
		phrases[i] = t.phrase(t.has())
	}
	return strings.Join(phrases, ", ")
}

// countBearers counts the nodes that bear each name, which means that all its terms are true of them: bearers[c][b] is
// the number of such nodes in cluster b for the name of cluster c, whose terms are names[c], and nil if it has none.
func countBearers(ctx context.Context, g *graph.Graph, clusters []int, names [][]*term) (bearers [][]int, err error) {
	bearers = make([][]int, len(names))
	var features []int                      // those of the terms
	featuresOf := make([][]int, len(names)) // the places in features of those of each name's terms
	for c, terms := range names {
		if len(terms) > 0 {
			bearers[c] = make([]int, len(names))
		}
		for _, t := range terms {
			place := slices.Index(features, t.feature)
			if place < 0 {
				place = len(features)
				features = append(features, t.feature)
			}
			featuresOf[c] = append(featuresOf[c], place)
		}
	}
	values := make([]float32, len(features)) // of a node
	for node, cluster := range clusters {
		if node&0xff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for place, feature := range features {
			values[place] = g.Features.At(node, feature)
		}
		for c, terms := range names {
			bears := len(terms) > 0
			for i, t := range terms {
				bears = bears && t.holds(values[featuresOf[c][i]])
			}
			if bears {
				bearers[c][cluster]++
			}
		}
	}
	return bearers, nil
}
