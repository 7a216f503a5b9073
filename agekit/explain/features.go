package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
)

// distinctiveFeatures returns, for each cluster, the features whose values differ most between its nodes and all others,
// the strongest first, and its name ([Cluster.Name]). clusters has the cluster of each node, and sizes the size of
// each cluster.
func distinctiveFeatures(ctx context.Context, g *graph.Graph, recipe *recipe.Recipe, clusters, sizes []int) (found [][]Feature, names []string, err error) {
	n, f := g.Features.Dims()
	k := len(sizes)
	totals := make([]tally, f)   // of each feature, over all nodes
	inside := make([]tally, k*f) // over the nodes of each cluster: that of feature j in cluster c is c*f+j
	for i := range n {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		cluster := inside[clusters[i]*f:][:f]
		g.Features.EachInRow(i, func(j int, value float32) {
			cluster[j].add(float64(value))
		})
	}
	for p, t := range inside {
		totals[p%f].addTally(t)
	}
	columns := columnsOf(g, recipe, totals)
	found = make([][]Feature, k)
	terms := make([][]*term, k)
	for c := range k {
		compared := make([]comparison, 0, f)
		for j := range columns {
			column := &columns[j]
			feature := comparison{Feature{Name: column.name, Numbered: column.numbered, Binary: column.binary()}, j}
			feature.compare(column.present(inside[c*f+j]), column.present(totals[j]), sizes[c], n)
			if feature.Inside != feature.Outside && !math.IsNaN(feature.Strength) {
				compared = append(compared, feature)
			}
		}
		slices.SortStableFunc(compared, func(a, b comparison) int { return cmp.Compare(math.Abs(b.Strength), math.Abs(a.Strength)) })
		terms[c] = candidates(c, sizes[c], n, f*k, compared, columns, func(j int) (within, without tally) {
			return inside[c*f+j], totals[j].minus(inside[c*f+j])
		})
		found[c] = listed(compared, columns)
	}
	if err := countNumbers(ctx, g, clusters, sizes, terms); err != nil {
		return nil, nil, err
	}
	for c := range terms {
		terms[c] = nameable(terms[c], sizes[c], n)
	}
	names, err = nameClusters(ctx, g, clusters, sizes, terms)
	return found, names, err
}

// listed returns the features of the first listedFeatures comparisons, the strongest. Of the two categories of a column
// with two it takes only the one that is more often inside: the other says the same.
func listed(compared []comparison, columns []column) (found []Feature) {
	moreOften := map[int]bool{} // the user's columns with a category that is more often inside
	for _, f := range compared {
		if f.Strength > 0 {
			moreOften[columns[f.feature].part] = true
		}
	}
	seen := map[int]bool{} // the user's columns of the features that were taken
	for _, f := range compared {
		c := &columns[f.feature]
		isRarer := f.Strength < 0 && moreOften[c.part]
		saysTheSame := c.values == 2 && (seen[c.part] || isRarer)
		if !saysTheSame && len(found) < listedFeatures {
			seen[c.part] = true
			found = append(found, f.Feature)
		}
	}
	return found
}

// comparison compares a feature inside and outside a cluster.
type comparison struct {
	Feature
	feature int // its number
}

// compare sets the fields of f that compare the feature in a cluster, which has size of the n nodes, with the other
// nodes. f.Binary is set before. inside and total are the tallies of the feature in the cluster and over all nodes.
//
// The strength of a binary feature is the statistic of the two-proportion z-test
// with pooled variance, (p − q)/√(r(1 − r)(1/a + 1/b)) for the shares p and q of a
// nodes inside and b outside, r of all; for any other feature it is Welch's t,
// (x − y)/√(s²/a + t²/b), with the variances s² and t² of samples.
func (f *Feature) compare(inside, total tally, size, n int) {
	a := float64(size)
	b := float64(n - size)
	if f.Binary {
		f.Inside = float64(inside.count) / a
		f.Outside = float64(total.count-inside.count) / b
		r := float64(total.count) / float64(n)
		if f.Outside > 0 {
			lift := f.Inside / f.Outside
			f.Lift = &lift
		}
		f.Strength = (f.Inside - f.Outside) / math.Sqrt(r*(1-r)*(1/a+1/b))
		return
	}
	f.Inside = inside.sum / a
	f.Outside = (total.sum - inside.sum) / b
	varianceInside := max(0, inside.squares-a*f.Inside*f.Inside) / max(1, a-1)
	varianceOutside := max(0, total.squares-inside.squares-b*f.Outside*f.Outside) / max(1, b-1)
	mean := total.sum / float64(n)
	deviation := math.Sqrt(max(1e-300, total.squares/float64(n)-mean*mean))
	lift := (f.Inside - f.Outside) / deviation
	f.Lift = &lift
	f.Strength = (f.Inside - f.Outside) / math.Sqrt(max(1e-300, varianceInside/a+varianceOutside/b))
}

// InUserUnits changes, in the features of the clusters, the means of columns that the recipe how has standardized to the
// user's unit. It does nothing if how is nil.
func InUserUnits(clusters []Cluster, how *recipe.Recipe) {
	if how == nil {
		return
	}
	standardized := map[string]recipe.Column{}
	for _, c := range how.Columns {
		if c.Deviation > 0 {
			standardized[c.Name] = c
		}
	}
	for _, cluster := range clusters {
		for j := range cluster.Features {
			f := &cluster.Features[j]
			if column, ok := standardized[f.Name]; ok && !f.Binary {
				f.Inside = column.Mean + column.Deviation*f.Inside
				f.Outside = column.Mean + column.Deviation*f.Outside
			}
		}
	}
}

// tally counts and adds up the values of a feature that are not 0, over some nodes.
type tally struct {
	count, negative int     // the number of values, and of those below 0
	sum, squares    float64 // the sums of the values and of their squares
}

// add counts a value that is not 0.
func (t *tally) add(v float64) {
	t.count++
	t.negative += int(math.Float64bits(v) >> 63) // the sign, without a branch
	t.sum += v
	t.squares += v * v
}

// addTally adds the counts and sums of other nodes.
func (t *tally) addTally(other tally) {
	t.count += other.count
	t.negative += other.negative
	t.sum += other.sum
	t.squares += other.squares
}

// minus returns the tally over the nodes of t that are not among those of other.
func (t tally) minus(other tally) tally {
	return tally{
		count: t.count - other.count, negative: t.negative - other.negative,
		sum: t.sum - other.sum, squares: t.squares - other.squares,
	}
}
