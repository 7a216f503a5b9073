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
// its nodes and all others.
//
// The strength of a binary feature is the statistic of the two-proportion z-test
// with pooled variance, (p − q)/√(r(1 − r)(1/a + 1/b)) for the shares p and q of a
// nodes inside and b outside, r of all; for any other feature it is Welch's t,
// (x − y)/√(s²/a + t²/b), with the variances s² and t² of samples.
func setApart(ctx context.Context, g *graph.Graph, clusters, sizes []int) ([][]Feature, error) {
	n, f := g.Features.Dims()
	k := len(sizes)
	m, err := newMoments(ctx, g, clusters, k)
	if err != nil {
		return nil, err
	}
	found := make([][]Feature, k)
	for j := range f {
		binary := 2*m.count[j] < n
		for c := range k {
			feature := Feature{Index: j, Binary: binary}
			inside, outside := float64(sizes[c]), float64(n-sizes[c])
			at := c*f + j
			if binary {
				feature.Inside, feature.Outside = float64(m.counts[at])/inside, float64(m.count[j]-m.counts[at])/outside
				r := float64(m.count[j]) / float64(n)
				feature.Lift = feature.Inside / feature.Outside
				feature.Strength = (feature.Inside - feature.Outside) / math.Sqrt(r*(1-r)*(1/inside+1/outside))
			} else {
				feature.Inside, feature.Outside = m.sums[at]/inside, (m.sum[j]-m.sums[at])/outside
				within := max(0, m.squares[at]-inside*feature.Inside*feature.Inside) / max(1, inside-1)
				beyond := max(0, m.square[j]-m.squares[at]-outside*feature.Outside*feature.Outside) / max(1, outside-1)
				mean := m.sum[j] / float64(n)
				feature.Lift = (feature.Inside - feature.Outside) / math.Sqrt(max(1e-300, m.square[j]/float64(n)-mean*mean))
				feature.Strength = (feature.Inside - feature.Outside) / math.Sqrt(max(1e-300, within/inside+beyond/outside))
			}
			if feature.Inside != feature.Outside && !math.IsNaN(feature.Strength) {
				found[c] = append(found[c], feature)
			}
		}
	}
	for c := range found {
		slices.SortStableFunc(found[c], func(a, b Feature) int { return cmp.Compare(math.Abs(b.Strength), math.Abs(a.Strength)) })
		found[c] = slices.Clone(found[c][:min(listedFeatures, len(found[c]))])
		for i, feature := range found[c] {
			found[c][i].Name = strconv.Itoa(feature.Index)
			if g.FeatureNames != nil {
				found[c][i].Name = g.FeatureNames[feature.Index]
			}
		}
	}
	return found, nil
}

// moments are the counts of entries that are not 0, the sums and the sums of squares
// of each feature, in all nodes and in each cluster, row by row.
type moments struct {
	count, counts   []int
	sum, sums       []float64
	square, squares []float64
}

func newMoments(ctx context.Context, g *graph.Graph, clusters []int, k int) (*moments, error) {
	n, f := g.Features.Dims()
	m := &moments{
		count: make([]int, f), counts: make([]int, k*f),
		sum: make([]float64, f), sums: make([]float64, k*f),
		square: make([]float64, f), squares: make([]float64, k*f),
	}
	for i := range n {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := clusters[i] * f
		g.Features.EachInRow(i, func(j int, value float32) {
			v := float64(value)
			m.count[j]++
			m.counts[row+j]++
			m.sum[j] += v
			m.sums[row+j] += v
			m.square[j] += v * v
			m.squares[row+j] += v * v
		})
	}
	return m, nil
}
