package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/graph"
)

// setApart returns for each cluster the features whose values differ most between
// its nodes and all others, and those of them whose names tell something.
//
// The strength of a binary feature is the statistic of the two-proportion z-test
// with pooled variance, (p − q)/√(r(1 − r)(1/a + 1/b)) for the shares p and q of a
// nodes inside and b outside, r of all; for any other feature it is Welch's t,
// (x − y)/√(s²/a + t²/b), with the variances s² and t² of samples.
func distinctiveFeatures(ctx context.Context, g *graph.Graph, clusters, sizes []int) (found, nameable [][]Feature, err error) {
	n, f := g.Features.Dims()
	k := len(sizes)
	all, parts := make([]tally, f), make([]tally, k*f) // of all nodes, and of each cluster's
	for i := range n {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		part := parts[clusters[i]*f:][:f]
		g.Features.EachInRow(i, func(j int, value float32) {
			all[j].add(float64(value))
			part[j].add(float64(value))
		})
	}
	found, nameable = make([][]Feature, k), make([][]Feature, k)
	alike := numbered(g.FeatureNames)
	for j, of := range all {
		binary := 2*of.count < n || of.sum == float64(of.count) && of.squares == float64(of.count)
		name, only := strconv.Itoa(j), true
		if g.FeatureNames != nil {
			name, only = g.FeatureNames[j], alike[j]
		}
		for c := range k {
			feature, in := Feature{Index: j, Name: name, Numbered: only, Binary: binary}, parts[c*f+j]
			inside, outside := float64(sizes[c]), float64(n-sizes[c])
			if binary {
				feature.Inside, feature.Outside = float64(in.count)/inside, float64(of.count-in.count)/outside
				r := float64(of.count) / float64(n)
				feature.Lift = feature.Inside / feature.Outside
				feature.Strength = (feature.Inside - feature.Outside) / math.Sqrt(r*(1-r)*(1/inside+1/outside))
			} else {
				feature.Inside, feature.Outside = in.sum/inside, (of.sum-in.sum)/outside
				within := max(0, in.squares-inside*feature.Inside*feature.Inside) / max(1, inside-1)
				beyond := max(0, of.squares-in.squares-outside*feature.Outside*feature.Outside) / max(1, outside-1)
				mean := of.sum / float64(n)
				feature.Lift = (feature.Inside - feature.Outside) / math.Sqrt(max(1e-300, of.squares/float64(n)-mean*mean))
				feature.Strength = (feature.Inside - feature.Outside) / math.Sqrt(max(1e-300, within/inside+beyond/outside))
			}
			if feature.Inside != feature.Outside && !math.IsNaN(feature.Strength) {
				found[c] = append(found[c], feature)
			}
		}
	}
	for c := range found {
		slices.SortStableFunc(found[c], func(a, b Feature) int { return cmp.Compare(math.Abs(b.Strength), math.Abs(a.Strength)) })
		for _, feature := range found[c] {
			if !feature.Numbered && len(nameable[c]) < listedFeatures {
				nameable[c] = append(nameable[c], feature)
			}
		}
		found[c] = slices.Clone(found[c][:min(listedFeatures, len(found[c]))])
	}
	return found, nameable, nil
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
