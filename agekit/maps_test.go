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
)

// labeled returns a graph without edges whose nodes have the given classes.
func labeled(t *testing.T, labels ...int) *graph.Graph {
	t.Helper()
	x := blas32.General{Rows: len(labels), Cols: 1, Stride: 1, Data: make([]float32, len(labels))}
	return fromEdges(t, x, labels)
}

// TestMatchClasses: clusters get the numbers of the classes that they match, by hand. A graph
// without labels keeps the numbers of its clusters.
func TestMatchClasses(t *testing.T) {
	g := labeled(t, 0, 0, 0, 1, 1, 2)
	// Cluster 7 matches class 0, cluster 5 class 1, and 9 class 2.
	if got := metric.Match(g, []int{7, 7, 5, 5, 5, 9}); !slices.Equal(got, []int{0, 0, 1, 1, 1, 2}) {
		t.Errorf("three clusters: %v", got)
	}
	// Of four clusters, 4 matches class 0, 1 class 1 and 2 class 2. Cluster 3, without a class,
	// gets the next number.
	if got := metric.Match(g, []int{4, 4, 3, 1, 1, 2}); !slices.Equal(got, []int{0, 0, 3, 1, 1, 2}) {
		t.Errorf("four clusters: %v", got)
	}
	g.Labels = nil
	if got := metric.Match(g, []int{4, 4, 3, 1, 1, 2}); !slices.Equal(got, []int{4, 4, 3, 1, 1, 2}) {
		t.Errorf("without labels: %v", got)
	}
}

// TestUnknownClasses: nodes of unknown class count in no score, and their cluster gets a number
// that no class has. The confusion matrix can be drawn.
func TestUnknownClasses(t *testing.T) {
	g := labeled(t, 0, 0, 1, 1, 2, 2, 2)
	for _, i := range []int{4, 5, 6} {
		g.Labels[i] = graph.Unknown
	}
	clusters := []int{5, 5, 3, 3, 9, 9, 9} // no class is known in cluster 9
	if got := metric.Match(g, clusters); !slices.Equal(got, []int{0, 0, 1, 1, 3, 3, 3}) {
		t.Errorf("clusters %v, want 3, the number of classes, for cluster 9", got)
	}
	if err := Confusion(g, Stage{Name: "raw", Rows: g.Features.ToDense(), Clusters: clusters}).Show(); err != nil {
		t.Error(err)
	}
	if s := metric.Score(g, clusters); *s.ACC != 1 || *s.NMI != 1 {
		t.Errorf("ACC %v, NMI %v of the known ones", *s.ACC, *s.NMI)
	}
}

// TestStageFigures: the maps of two stages can be colored by confidence and by agreement of
// cluster and class, the table has a row for each class's cluster, and the confusion matrix
// can be drawn.
func TestStageFigures(t *testing.T) {
	g := load(t, small)
	var stages []Stage
	for layers, name := range []string{"raw features", "smoothed features"} {
		rows := must(Smooth(g, 2.0/3, layers))
		stages = append(stages, Stage{Name: name, Rows: rows, Clusters: must(Cluster(rows, g.Classes))})
	}
	page := must(MapExplorer(g, stages...))
	testutil.NoError(t, page.Show())
	for _, coloring := range []string{"agreement", "confidence"} {
		if count := strings.Count(page.HTML, `"Name":"`+coloring+`"`); count != len(stages) {
			t.Errorf("%d maps can be colored by %s, want %d", count, coloring, len(stages))
		}
	}
	table := ClusterTable(g, stages[1], must(Confidence(stages[1]))).Text
	if lines := strings.Count(table, "\n"); lines != 1+g.Classes || !strings.Contains(table, "cluster of class 0") {
		t.Errorf("table\n%s", table)
	}
	if err := Confusion(g, stages[1]).Show(); err != nil {
		t.Error(err)
	}
}

// TestTSNE: on the map of two clouds, the nearest point to each point is of the same cloud. The
// second call reads the map from the store, and another matrix gives another map. (Clusters of
// the rows are the clouds, too: a precondition.)
func TestTSNE(t *testing.T) {
	x, cloudOf := clouds()
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
		t.Errorf("the map is %d×%d, and differs in the store: %v", first.Rows, first.Cols, err)
	}
	labels := testutil.Value(Cluster(linalg.Normalize(x), 2)).OrFatal(t)
	for i, l := range labels {
		if (l == labels[0]) != (cloudOf[i] == cloudOf[0]) {
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
		if cloudOf[nearest] != cloudOf[i] {
			t.Errorf("nearest to point %d is %d, in the other cloud", i, nearest)
		}
	}
	x.Data[0]++
	text = printed(t, func() { other = Must(TSNE("clouds", x, 0)) })
	if !strings.Contains(text, "computed in ") || sameRows(other, first) == nil {
		t.Errorf("for another matrix it printed %q", text)
	}
}
