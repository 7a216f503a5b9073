package agekit

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

var notices04 = []notice{
	{"04", "On Cora, the raw map mixes the colors: two papers on the same subject often share few words. On the smoothed map, colors form regions", func(t *testing.T) {
		below(t, "0.75 against smoothed", 0.75, purityOf(t, "LS"))
		below(t, "raw", rawPurity(t), 0.5)
	}},
	{"04", "On Cora, smoothing does most: in the rows, the share rises from 0.55 to 0.80 among the ten nearest and from 0.40 to 0.69 among the hundred nearest.", func(t *testing.T) {
		smoothed := must(Smoothed(cora())).Rows
		features, filtered := rowPurity(cora().Features.ToDense()), rowPurity(smoothed)
		for k, want := range map[int][2]float64{10: {0.55, 0.80}, 100: {0.40, 0.69}} {
			rounds(t, fmt.Sprint(k, " nearest, features"), features(k), want[0], 2)
			rounds(t, fmt.Sprint(k, " nearest, smoothed"), filtered(k), want[1], 2)
		}
	}},
	{"04", "Training hardly changes the ten nearest (0.81), but it raises the share among the hundred nearest to 0.74.", func(t *testing.T) {
		trained := smaller(t).Embedding // the notebook's: the long test
		near(t, "10 nearest", RowPurity(trained, cora().Labels, 10), 0.81, 0.015)
		near(t, "100 nearest", RowPurity(trained, cora().Labels, 100), 0.74, 0.02)
		trained = trainedCora(t).Rows
		near(t, "10 nearest", RowPurity(trained, cora().Labels, 10), 0.81, 0.01)
		near(t, "100 nearest", RowPurity(trained, cora().Labels, 100), 0.74, 0.01)
	}},
	{"04", "There the ten nearest have 0.46, 0.79 and 0.79: on the map, the raw features look worse than they are.", func(t *testing.T) {
		near(t, "smoothed", purityOf(t, "LS"), 0.79, 0.01)
		near(t, "trained", purityOf(t, "AGE"), 0.79, 0.01)
		near(t, "raw", rawPurity(t), 0.46, 0.01)
	}},
	{"04", "With perplexity 30, all three groups are about equally far from each other: the map does not show that one of them is ten times as far. With perplexity 2, each group falls apart into pieces that are not in the data. Only with perplexity 100, which is more than the number of points in a group, does the far group move away. It also shrinks to a dot, although it is as wide as the others: to find 100 neighbors, its points must look as far as the other groups, and from there they seem to be in one place.", func(t *testing.T) {
		d := groupDistances(t, 30)
		below(t, "the longest distance with perplexity 30", slices.Max(d), 1.25*slices.Min(d))
		d = groupDistances(t, 100)
		below(t, "twice the distance of the near groups", 2*d[0], min(d[1], d[2]))
		below(t, "width of the far group", groupWidth(t, 100, 2), 0.05*groupWidth(t, 100, 0))
		below(t, "pieces with perplexity 30", float64(mostPieces(t, 30)), 2)
		below(t, "3 pieces against those with perplexity 2", 3, float64(mostPieces(t, 2)))
	}},
	{"04", "The maps of section 1 have perplexity 30, t-SNE's usual value.", func(t *testing.T) {
		rows, _ := threeGroups()
		if !slices.Equal(must(TSNE("", rows, 0)).Data, must(TSNE("", rows, 30)).Data) {
			t.Error("TSNE has another perplexity")
		}
	}},
	{"04", "On Cora, with trained embeddings, 0.49 of the least confident tenth is wrong, and only 0.01 of the most confident. But there is a hump in between: 0.65 of the sixth tenth is wrong.", func(t *testing.T) {
		s := trainedCora(t)
		wrong := WrongByConfidence(cora(), s.Clusters, must(Confidence(s)), 10)
		near(t, "lowest", wrong[0], 0.49, 0.02)
		near(t, "sixth", wrong[5], 0.65, 0.02)
		near(t, "highest", wrong[9], 0.01, 0.005)
		for i := 1; i < 5; i++ {
			below(t, fmt.Sprintf("tenth %d", i+1), wrong[i], 0.5*wrong[5])
		}
	}},
	{"04", "On Go's standard library, gostd, the share that is wrong does not fall: more nodes are wrong in the confident half than in the other. On Citeseer, if your machine has it, it falls from 0.67 in the lowest tenth to 0.08 in the highest.", func(t *testing.T) {
		wrong := func(name string) []float64 {
			g, err := Load(name)
			if err != nil {
				t.Skip(err)
			}
			s := must(Smoothed(g))
			return WrongByConfidence(g, s.Clusters, must(Confidence(s)), 10)
		}
		gostd := wrong("gostd")
		below(t, "gostd's first half", floats.Sum(gostd[:5]), floats.Sum(gostd[5:]))
		citeseer := wrong("citeseer")
		near(t, "lowest", citeseer[0], 0.67, 0.02)
		near(t, "highest", citeseer[9], 0.08, 0.02)
	}},
	{"04", "On Cora, the largest confident mistake is one cluster: its most frequent class has less than 0.35 of its nodes, yet its mean confidence is above 0.7.", func(t *testing.T) {
		s := trainedCora(t)
		confidence, clusters := must(Confidence(s)), metric.Match(cora(), s.Clusters)
		wrong, mixed := 0.0, -1
		for c := range cora().Classes {
			var w float64
			for i, own := range clusters {
				if own == c && cora().Labels[i] != c && confidence[i] > 0.5 {
					w++
				}
			}
			if w > wrong {
				wrong, mixed = w, c
			}
		}
		counts, sure := make([]float64, cora().Classes), []float64(nil)
		for i, own := range clusters {
			if own == mixed {
				counts[cora().Labels[i]]++
				sure = append(sure, confidence[i])
			}
		}
		below(t, "the most frequent class", slices.Max(counts)/float64(len(sure)), 0.35)
		below(t, "0.7 against the mean confidence", 0.7, stat.Mean(sure, nil))
	}},
	{"04", "On Cora, training then adds about nine percentage points of accuracy.", func(t *testing.T) {
		near(t, "gain", mean(t, "ACC", "cora", "AGE", experiment.Paper)-mean(t, "ACC", "cora", "LS", experiment.Paper), 0.09, 0.005)
	}},
}

// rowPurity returns [RowPurity] of rows on Cora as a function of k, for which the
// similarities are computed once.
func rowPurity(x blas32.General) func(k int) float64 {
	z, n := linalg.Normalize(x), x.Rows
	similar := make([]float32, n*n)
	for i := range n {
		for j := range i {
			s := simd.Dot(linalg.Row(z, i), linalg.Row(z, j))
			similar[i*n+j], similar[j*n+i] = s, s
		}
	}
	return func(k int) float64 {
		return purity(n, cora().Labels, k, func(int, int) func(i, j int) float32 { return func(i, j int) float32 { return -similar[i*n+j] } })
	}
}

// purityOf is that of the stored map of a method on Cora.
func purityOf(t *testing.T, method string) float64 {
	t.Helper()
	r := record(t, experiment.Run{Task: "map", Dataset: "cora", Method: method, Mode: experiment.Paper, Seed: 1})
	points := blas32.General{Rows: len(r.Series["x"]), Cols: 2, Stride: 2}
	for i, x := range r.Series["x"] {
		points.Data = append(points.Data, float32(x), float32(r.Series["y"][i]))
	}
	return Purity(points, cora().Labels, 10)
}

// rawPurity is that of the map of the features, of which no map is stored.
func rawPurity(t *testing.T) float64 {
	testutil.Long(t) // the map takes ten seconds
	return Purity(must(TSNE("raw features", cora().Features.ToDense(), 0)), cora().Labels, 10)
}

var trainOnce = sync.OnceValue(func() Stage { return must(Trained(cora())) })

func trainedCora(t *testing.T) Stage {
	testutil.Long(t) // training takes half a minute
	return trainOnce()
}

// threeGroups are those of the notebook.
func threeGroups() (blas32.General, []int) {
	at := func(x float64) []float64 { return []float64{x, 0, 0, 0, 0, 0, 0, 0, 0, 0} }
	return Blobs(Blob{at(0), 1, 60}, Blob{at(8), 1, 60}, Blob{at(80), 1, 60})
}

// groupDistances returns the distances on the map of the near groups and of the
// far group from each of them.
func groupDistances(t *testing.T, perplexity float64) []float64 {
	t.Helper()
	rows, group := threeGroups()
	points := must(TSNE("", rows, perplexity))
	var x, y [3]float64
	for i, b := range group {
		x[b] += float64(points.Data[2*i]) / 60
		y[b] += float64(points.Data[2*i+1]) / 60
	}
	distance := func(a, b int) float64 { return math.Hypot(x[a]-x[b], y[a]-y[b]) }
	return []float64{distance(0, 1), distance(0, 2), distance(1, 2)}
}

// groupWidth returns the root mean square distance of a group's points on the map
// from their mean.
func groupWidth(t *testing.T, perplexity float64, b int) float64 {
	t.Helper()
	rows, group := threeGroups()
	points := must(TSNE("", rows, perplexity))
	var x, y []float64
	for i, own := range group {
		if own == b {
			x, y = append(x, float64(points.Data[2*i])), append(y, float64(points.Data[2*i+1]))
		}
	}
	return math.Sqrt(stat.PopVariance(x, nil) + stat.PopVariance(y, nil))
}

// mostPieces returns into how many pieces a group of the map falls apart at most.
// Points are in one piece if there is a path between them whose steps are at most
// a fifth of the group's diameter.
func mostPieces(t *testing.T, perplexity float64) int {
	t.Helper()
	rows, group := threeGroups()
	points := must(TSNE("", rows, perplexity))
	most := 0
	for b := range 3 {
		var at [][2]float64
		for i, own := range group {
			if own == b {
				at = append(at, [2]float64{float64(points.Data[2*i]), float64(points.Data[2*i+1])})
			}
		}
		distance := func(i, j int) float64 { return math.Hypot(at[i][0]-at[j][0], at[i][1]-at[j][1]) }
		diameter := 0.0
		for i := range at {
			for j := range at {
				diameter = max(diameter, distance(i, j))
			}
		}
		seen, pieces := make([]bool, len(at)), 0
		for start := range at {
			if seen[start] {
				continue
			}
			pieces++
			seen[start] = true
			for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
				for j := range at {
					if !seen[j] && distance(queue[0], j) <= diameter/5 {
						seen[j] = true
						queue = append(queue, j)
					}
				}
			}
		}
		most = max(most, pieces)
	}
	return most
}
