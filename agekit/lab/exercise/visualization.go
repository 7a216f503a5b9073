package exercise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// visualization are the exercises of notebook 4.
var visualization = []exercise{
	{"4.1", answering("a number: how many times as wide the second group is on the map", checkWidths),
		"t-SNE gives each point its own yardstick, so that every point has about as many neighbors. The size of a group on the map says how many points it has, not how wide it is."},
	{"4.2", answering("the ACC of the 80 % of the nodes with the highest confidence", checkMostConfident),
		"Leaving out nodes on the border of clusters changes the score without a better method. So a score of a part of the nodes says little unless the size of that part stands beside it."},
	{"4.3", answering("a function of rows, points and k", checkKept),
		"Your function scores any map without labels: 1 means that every node keeps its neighbors. Two dimensions have too little room for the neighbors of many, so no map of real data reaches it."},
}

// twoWidths returns the points of exercise 4.1 in ten dimensions, and the group of each point:
// two groups that are far apart, the second ten times as wide as the first.
func twoWidths() (rows blas32.General, group []int) {
	center := make([]float64, 10)
	center[0] = 100 // ten times the width of the second group
	return lab.Blobs(lab.Blob{Center: make([]float64, 10), Width: 1, Points: 100}, lab.Blob{Center: center, Width: 10, Points: 100})
}

// plane returns the t-SNE map of rows, without showing progress.
func plane(rows blas32.General) blas32.General {
	return must(tsne.Map(context.Background(), rows, tsne.Options{}, rng.New(0, rng.Only)))
}

// spread returns the root mean square distance of a group's points from their mean.
func spread(points blas32.General, labels []int, group int) float64 {
	var x, y, squares, n float64 // sums of the coordinates and of their squares, and the number
	for i, l := range labels {
		if l == group {
			a, b := float64(points.Data[i*points.Stride]), float64(points.Data[i*points.Stride+1])
			x, y, squares, n = x+a, y+b, squares+a*a+b*b, n+1
		}
	}
	return math.Sqrt(squares/n - (x*x+y*y)/(n*n))
}

// checkWidths checks how many times as wide as the first group of [twoWidths] the second one is on
// a t-SNE map, up to a factor of 1.5.
func checkWidths(_ *graph.Graph, answer float64) string {
	rows, group := twoWidths()
	points := plane(rows)
	want := spread(points, group, 1) / spread(points, group, 0)
	return firstOf([]finding{
		{answer < 0, "A ratio of two widths is positive."},
		{answer >= want/1.5 && answer <= want*1.5, ""},
		{answer < want, "That would draw the wide group as the narrow one. Perplexity asks for the same number of neighbors around every point: does that shrink a sparse group below a dense one?"},
		{math.Abs(answer-10) <= 2, "That is the ratio in the data. But t-SNE does not keep distances: it looks at the 30 nearest points of each point, wherever they are. Which of them does a point of the wide group have?"},
		{answer > 10, "That is more than in the data. Why should a map make a group wider than it is?"},
		{true, "The map keeps less of the ratio than that. Each point has its own yardstick, which is long where points are sparse. What does that do to the widths of both groups?"},
	})
}

// checkMostConfident checks the ACC of the clusters of the smoothed features on the 80 % of the
// nodes with the highest confidence.
func checkMostConfident(g *graph.Graph, answer float64) string {
	s := must(lab.Smoothed(g))
	confidence := must(agekit.Confidence(s))
	order := make([]int, g.N()) // from the most confident node
	floats.Scale(-1, confidence)
	floats.ArgsortStable(confidence, order)
	classOf := map[int]int{} // the class that a cluster matches, by all nodes
	m := metric.NewConfusion(g.Labels, s.Clusters)
	for row, column := range m.Assigned {
		if column >= 0 {
			classOf[m.Clusters[column]] = m.Classes[row]
		}
	}
	// equals reports whether an answer is the ACC of some nodes. Clusters may be matched to classes
	// by all nodes, or by these nodes alone.
	equals := func(answer float64, nodes []int) bool {
		agree, classes, clusters := 0, []int(nil), []int(nil)
		for _, i := range nodes {
			classes, clusters = append(classes, g.Labels[i]), append(clusters, s.Clusters[i])
			if class, ok := classOf[s.Clusters[i]]; ok && class == g.Labels[i] {
				agree++
			}
		}
		tolerance := 2.5 / float64(len(nodes)) // a node or two on the border
		return math.Abs(answer-float64(agree)/float64(len(nodes))) <= tolerance ||
			math.Abs(answer-metric.Accuracy(classes, clusters)) <= tolerance
	}
	is := func(nodes []int) bool { return equals(answer, nodes) }
	// part returns the number of nodes in a share.
	part := func(share float64) int { return int(share * float64(g.N())) }
	return firstOf([]finding{
		{is(order[:part(0.8)]), ""},
		{answer < 0 || (answer > 1 && answer <= 100), "ACC is a share from 0 to 1, not a percentage."},
		{equals(answer/0.8, order[:part(0.8)]), "That divides the right nodes among those kept by the number of all nodes. The ACC of the nodes kept is their share of the nodes kept."},
		{is(order), "That is the ACC of all nodes. Leave out the fifth with the lowest confidence first."},
		{is(order[part(0.2):]), "That is the ACC of the 80 % with the lowest confidence: the order is the wrong way around."},
		{is(order[:part(0.2)]), "That is the ACC of the most confident 20 %. Keep 80 % and leave out 20 %."},
		{is(order[part(0.8):]), "That is the ACC of the nodes that are to be left out."},
		{answer > 0.999, "That is as if the nodes had been chosen by whether their cluster is right. Choose by confidence alone: it needs no labels."},
		{true, fmt.Sprintf("The ACC is not %.3f. Sort the nodes by agekit.Confidence of the smoothed features, keep 80 %% of them, and compare their clusters with their labels by metric.Accuracy.", answer)},
	})
}

// nearestRows returns the k rows of m that are nearest to row i, the nearest first. If itself is
// true, row i is among them.
func nearestRows(m *mat.Dense, i, k int, itself bool) []int {
	n, _ := m.Dims()
	distance, order := make([]float64, n), make([]int, n)
	for j := range n {
		distance[j] = floats.Distance(m.RawRowView(i), m.RawRowView(j), 2)
	}
	floats.ArgsortStable(distance, order)
	if !itself {
		order = slices.DeleteFunc(order, func(j int) bool { return j == i })
	}
	return order[:k]
}

// neighborCount is a way to count the neighbors that a map keeps. The zero value is the right
// way; the fields make it a typical mistake.
type neighborCount struct {
	itself  bool // a node is its own neighbor
	inOrder bool // only neighbors with the same place in both orders count
}

// kept returns, as a mean over all nodes, the share of a node's k nearest rows that are among its
// k nearest points on the map, too.
func (c neighborCount) kept(rows, points *mat.Dense, k int) float64 {
	n, _ := rows.Dims()
	both := 0
	for i := range n {
		onMap := nearestRows(points, i, k, c.itself)
		for place, j := range nearestRows(rows, i, k, c.itself) {
			placeOnMap := slices.Index(onMap, j) // −1 if the neighbor is not kept
			if placeOnMap == place || (placeOnMap >= 0 && !c.inOrder) {
				both++
			}
		}
	}
	return float64(both) / float64(n*k)
}

// checkKept tries a student's function that returns the share of neighbors that a map keeps, on
// random rows and on some nodes of g.
func checkKept(g *graph.Graph, answer func(rows, points *mat.Dense, k int) float64) string {
	const n, k = 12, 3
	right := neighborCount{}
	rows := random(n, 5, rng.New(2, rng.Only))
	points := mat.DenseCopyOf(rows.Slice(0, n, 0, 2)) // the map: the first two of five columns
	got, want := answer(rows, points, k), right.kept(rows, points, k)
	is := func(value float64) bool { return math.Abs(got-value) < 1e-9 }
	if !is(want) {
		return firstOf([]finding{
			{is(0) && answer(rows, rows, k) == 0, "There is no answer yet: the function returns 0 even for a map that is the data itself."},
			{is(0), "The function returns 0 where some neighbors are kept. Does it divide two integers? In Go, 1/2 is 0."},
			{is(neighborCount{itself: true}.kept(rows, points, k)), "The node itself is among its nearest rows, at distance 0, in the data and on the map. It is always kept, so the share comes out too high. Leave it out."},
			{is(neighborCount{inOrder: true}.kept(rows, points, k)), "A neighbor counts here only if it has the same place in both orders. The question is which nodes are among the k nearest, in any order."},
			{is(1), "The function returns 1 for a map that loses neighbors. Are both sets of neighbors taken from the same matrix?"},
			{is(want*n*k) || is(want*n) || is(want*k), "That is a number of neighbors, not a share: divide by the number of nodes and by k."},
			{true, fmt.Sprintf("For 12 random rows with k = 3, the function returns %.3f. Work an example out on paper: for the rows 0, 1, 10, 12 and the places 0, 1, 100, 2.5 on a line, k = 1 keeps the neighbors of all but the last node, so the share is 3/4.", got)},
		})
	}
	if got, want := answer(rows, points, 5), right.kept(rows, points, 5); math.Abs(got-want) > 1e-9 {
		return fmt.Sprintf("The function is right for k = 3. For k = 5 it returns %.3f, want %.3f: is k written into it?", got, want)
	}
	s := must(lab.Smoothed(g))
	part := s.Rows
	part.Rows = min(150, part.Rows)
	large, onMap := linalg.Float64(part), linalg.Float64(plane(part))
	got, want = answer(large, onMap, 10), right.kept(large, onMap, 10)
	if math.Abs(got-want) > 0.02 { // equal rows may come in any order
		return fmt.Sprintf("The function is right for 12 nodes. For %d nodes of %s and k = 10 it returns %.3f, want %.3f. Is a size written into it?", part.Rows, g.Name, got, want)
	}
	return ""
}
