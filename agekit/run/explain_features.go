package run

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
)

// distinctiveFeatures returns for each cluster the features whose values differ most between
// its nodes and all others, and those of them that may name it. Of a category of two values,
// one counts: the other says the same.
func distinctiveFeatures(ctx context.Context, g *graph.Graph, clusters, sizes []int) (found, nameable [][]Feature, err error) {
	n, f := g.Features.Dims()
	k := len(sizes)
	totals := make([]tally, f)
	inside := make([]tally, k*f) // by cluster and feature
	for i := range n {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		cluster := inside[clusters[i]*f:][:f]
		g.Features.EachInRow(i, func(j int, value float32) {
			totals[j].add(float64(value))
			cluster[j].add(float64(value))
		})
	}
	found = make([][]Feature, k)
	nameable = make([][]Feature, k)
	onlyNumber := numbered(g.FeatureNames)
	values := map[string]int{} // of each category
	for _, name := range g.FeatureNames {
		column, _, _ := strings.Cut(name, " = ")
		values[column]++
	}
	for j, total := range totals {
		description := Feature{Name: strconv.Itoa(j), Numbered: true}
		if g.FeatureNames != nil {
			description.Name = g.FeatureNames[j]
			description.Numbered = onlyNumber[j]
		}
		for c := range k {
			feature := description
			feature.compare(inside[c*f+j], total, sizes[c], n)
			if feature.Inside != feature.Outside && !math.IsNaN(feature.Strength) {
				found[c] = append(found[c], feature)
			}
		}
	}
	for c := range found {
		slices.SortStableFunc(found[c], func(a, b Feature) int { return cmp.Compare(math.Abs(b.Strength), math.Abs(a.Strength)) })
		seen := map[string]bool{} // columns of two values
		found[c] = slices.DeleteFunc(found[c], func(f Feature) bool {
			column, _, category := strings.Cut(f.Name, " = ")
			twice := category && values[column] == 2 && seen[column]
			seen[column] = true
			return twice
		})
		for _, feature := range found[c] {
			if feature.tellsName(f*k) && len(nameable[c]) < listedFeatures {
				nameable[c] = append(nameable[c], feature)
			}
		}
		found[c] = slices.Clone(found[c][:min(listedFeatures, len(found[c]))])
	}
	return found, nameable, nil
}

// compare sets the fields that compare the feature in a cluster of some size with the rest of n
// nodes.
//
// The strength of a binary feature is the statistic of the two-proportion z-test
// with pooled variance, (p − q)/√(r(1 − r)(1/a + 1/b)) for the shares p and q of a
// nodes inside and b outside, r of all; for any other feature it is Welch's t,
// (x − y)/√(s²/a + t²/b), with the variances s² and t² of samples.
func (f *Feature) compare(in, total tally, size, n int) {
	a := float64(size)
	b := float64(n - size)
	f.Binary = 2*total.count < n || total.sum == float64(total.count) && total.squares == float64(total.count)
	if f.Binary {
		f.Inside = float64(in.count) / a
		f.Outside = float64(total.count-in.count) / b
		r := float64(total.count) / float64(n)
		if f.Outside > 0 {
			lift := f.Inside / f.Outside
			f.Lift = &lift
		}
		f.Strength = (f.Inside - f.Outside) / math.Sqrt(r*(1-r)*(1/a+1/b))
		return
	}
	f.Inside = in.sum / a
	f.Outside = (total.sum - in.sum) / b
	varianceInside := max(0, in.squares-a*f.Inside*f.Inside) / max(1, a-1)
	varianceOutside := max(0, total.squares-in.squares-b*f.Outside*f.Outside) / max(1, b-1)
	mean := total.sum / float64(n)
	deviation := math.Sqrt(max(1e-300, total.squares/float64(n)-mean*mean))
	lift := (f.Inside - f.Outside) / deviation
	f.Lift = &lift
	f.Strength = (f.Inside - f.Outside) / math.Sqrt(max(1e-300, varianceInside/a+varianceOutside/b))
}

// inUserUnits puts means of columns that were standardized into the user's unit.
func inUserUnits(clusters []Cluster, recipe *input.Recipe) {
	if recipe == nil {
		return
	}
	standardized := map[string]input.RecipeColumn{}
	for _, c := range recipe.Columns {
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

// tally adds up the entries of a feature that are not 0.
type tally struct {
	count        int
	sum, squares float64
}

func (t *tally) add(v float64) {
	t.count++
	t.sum += v
	t.squares += v * v
}
