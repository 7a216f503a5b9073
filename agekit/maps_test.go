package agekit

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// labeled returns a graph without edges whose nodes have the given classes.
func labeled(t *testing.T, labels ...int) *graph.Graph {
	t.Helper()
	x := blas32.General{Rows: len(labels), Cols: 1, Stride: 1, Data: make([]float32, len(labels))}
	return fromEdges(t, x, labels)
}

func TestMatchClasses(t *testing.T) {
	g := labeled(t, 0, 0, 0, 1, 1, 2)
	// Cluster 7 matches class 0, cluster 5 class 1, and 9 class 2.
	if got := metric.Match(g, []int{7, 7, 5, 5, 5, 9}); !slices.Equal(got, []int{0, 0, 1, 1, 1, 2}) {
		t.Errorf("%v", got)
	}
	// Clusters without a class follow.
	if got := metric.Match(g, []int{4, 4, 3, 1, 1, 2}); !slices.Equal(got, []int{0, 0, 3, 1, 1, 2}) {
		t.Errorf("%v", got)
	}
	g.Labels = nil
	if got := metric.Match(g, []int{4, 4, 3, 1, 1, 2}); !slices.Equal(got, []int{4, 4, 3, 1, 1, 2}) {
		t.Errorf("without labels: %v", got)
	}
}

func TestWrongByConfidence(t *testing.T) {
	g := labeled(t, 0, 0, 0, 0, 1, 1, 1, 1)
	clusters := []int{3, 3, 3, 6, 6, 6, 6, 3} // nodes 3 and 7 are wrong
	confidence := []float64{0.9, 0.8, 0.2, 0.1, 0.7, 0.6, 0.3, 0.4}
	if got := WrongByConfidence(g, clusters, confidence, 4); !floats.Equal(got, []float64{0.5, 0.5, 0, 0}) {
		t.Errorf("%v", got)
	}
}

// TestUnknownClasses: nodes of unknown class count in no score and are shown as a
// class of their own.
func TestUnknownClasses(t *testing.T) {
	g := labeled(t, 0, 0, 1, 1, 2, 2, 2)
	for _, i := range []int{4, 5, 6} {
		g.Labels[i] = graph.Unknown
	}
	clusters := []int{5, 5, 3, 3, 9, 9, 9} // no class is known in cluster 9
	if got := metric.Match(g, clusters); !slices.Equal(got, []int{0, 0, 1, 1, 3, 3, 3}) {
		t.Errorf("%v", got)
	}
	if got := WrongByConfidence(g, clusters, make([]float64, g.N()), 1); got[0] != 0 {
		t.Errorf("%v of the known ones are wrong", got)
	}
	if err := Confusion(g, Stage{"raw", g.Features.ToDense(), clusters}).Show(); err != nil {
		t.Error(err)
	}
	if s := metric.Score(g, clusters); *s.ACC != 1 || *s.NMI != 1 {
		t.Errorf("ACC %v, NMI %v of the known ones", *s.ACC, *s.NMI)
	}
}

// TestPurity: on a line 0, 1, 2, 10, 11 the nearest neighbor of each point is
// clear but for the middle one, which has the same label as both.
func TestPurity(t *testing.T) {
	points := blas32.General{Rows: 5, Cols: 2, Stride: 2, Data: []float32{0, 0, 1, 0, 2, 0, 10, 0, 11, 0}}
	for _, c := range []struct {
		labels []int
		k      int
		want   float64
	}{
		{[]int{0, 0, 0, 1, 1}, 1, 1},
		{[]int{0, 0, 0, 1, 1}, 2, 0.8}, // the second neighbor of 10 and of 11 is on the left
		{[]int{0, 0, 0, 0, 1}, 1, 0.6},
		{[]int{0, 1, 2, 3, 4}, 3, 0},
	} {
		if got := Purity(points, c.labels, c.k); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("labels %v, k = %d: %v, want %v", c.labels, c.k, got, c.want)
		}
	}
	// By angle, the length of a row plays no part: 0, 5, 10, 80 and 85 degrees.
	for i, degrees := range []float64{0, 5, 10, 80, 85} {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		points.Data[2*i], points.Data[2*i+1] = float32(float64(i+1)*cos), float32(float64(i+1)*sin)
	}
	for k, want := range map[int]float64{1: 1, 2: 0.8, 4: 0.4} {
		if got := RowPurity(points, []int{0, 0, 0, 1, 1}, k); math.Abs(got-want) > 1e-12 {
			t.Errorf("rows, k = %d: %v, want %v", k, got, want)
		}
	}
}

func TestBlobs(t *testing.T) {
	x, labels := Blobs(Blob{[]float64{3, 0}, 2, 4000}, Blob{[]float64{0, 5}, 0, 2})
	if x.Rows != 4002 || x.Cols != 2 || labels[3999] != 0 || labels[4001] != 1 || x.Data[8000] != 0 || x.Data[8003] != 5 {
		t.Errorf("%d×%d, labels end with %v, rows with %v", x.Rows, x.Cols, labels[3999:], x.Data[8000:])
	}
	var first []float64
	for i := range 4000 {
		first = append(first, float64(x.Data[2*i]))
	}
	mean, deviation := stat.MeanStdDev(first, nil)
	if math.Abs(mean-3) > 0.15 || math.Abs(deviation-2) > 0.1 { // about five standard errors
		t.Errorf("mean %v, deviation %v, want 3 and 2", mean, deviation)
	}
}

// TestStages: the stages differ, are stored, and show a map with clusters that
// have the numbers of classes.
func TestStages(t *testing.T) {
	g := load(t, small)
	raw, smoothed := must(Raw(g)), must(Smoothed(g))
	if slices.Equal(raw.Rows.Data, smoothed.Rows.Data) || slices.Equal(raw.Clusters, smoothed.Clusters) {
		t.Error("smoothing changes nothing")
	}
	if again := must(Smoothed(g)); !slices.Equal(again.Clusters, smoothed.Clusters) {
		t.Error("the stored clusters are others")
	}
	page := must(MapExplorer(g, raw, smoothed))
	if page.Show() != nil || strings.Count(page.HTML, `"Name":"agreement"`) != 2 || strings.Count(page.HTML, `"Name":"confidence"`) != 2 {
		t.Errorf("error %v, page %.300q", page.Show(), page.HTML)
	}
	table := ClusterTable(g, smoothed, must(Confidence(smoothed))).Text
	if lines := strings.Count(table, "\n"); lines != 1+g.Classes || !strings.Contains(table, "cluster of class 0") {
		t.Errorf("table\n%s", table)
	}
	if err := Confusion(g, smoothed).Show(); err != nil {
		t.Error(err)
	}
	unlabeled := *g
	unlabeled.Labels, unlabeled.Classes = nil, 0
	if _, err := Raw(&unlabeled); err == nil {
		t.Error("no error for an unknown number of clusters")
	}
}

// TestTSNE: the map keeps two clouds apart, and the second call reads it from
// the store. Another matrix gives another result.
func TestTSNE(t *testing.T) {
	x, of := clouds()
	var first, second, other blas32.General
	text := printed(t, func() { first = Must(TSNE("clouds", x, 0)) })
	if !strings.Contains(text, "t-SNE of clouds: computed in ") {
		t.Errorf("the first time it printed %q", text)
	}
	text = printed(t, func() { second = Must(TSNE("clouds", x, 0)) })
	if !regexp.MustCompile(`^t-SNE of clouds: from the store, in \d+ ms\n$`).MatchString(text) {
		t.Errorf("the second time it printed %q", text)
	}
	if err := sameRows(second, first); err != nil || first.Rows != 80 || first.Cols != 2 {
		t.Errorf("%d×%d; from the store: %v", first.Rows, first.Cols, err)
	}
	labels := testutil.Value(Cluster(linalg.Normalize(x), 2)).OrFatal(t)
	for i, l := range labels {
		if (l == labels[0]) != (of[i] == of[0]) {
			t.Errorf("clusters %v", labels)
			break
		}
	}
	for i := range 80 { // the nearest other point is in the same cloud
		nearest, best := -1, math.Inf(1)
		for j := range 80 {
			dx, dy := float64(first.Data[i*first.Stride]-first.Data[j*first.Stride]), float64(first.Data[i*first.Stride+1]-first.Data[j*first.Stride+1])
			if d := math.Hypot(dx, dy); j != i && d < best {
				nearest, best = j, d
			}
		}
		if of[nearest] != of[i] {
			t.Errorf("nearest to point %d is %d, in the other cloud", i, nearest)
		}
	}
	x.Data[0]++
	text = printed(t, func() { other = Must(TSNE("clouds", x, 0)) })
	if !strings.Contains(text, "computed in ") || sameRows(other, first) == nil {
		t.Errorf("for another matrix it printed %q", text)
	}
}
