package agekit

import (
	"fmt"
	"slices"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Stage is what the method knows of the nodes at one of its stages, such as after smoothing: a
// row of numbers for each node, and the cluster of each node, found in the rows by spectral
// clustering.
type Stage struct {
	Name     string
	Rows     blas32.General
	Clusters []int
}

// Confidence returns, without labels, how sure each node's cluster is: the silhouette of the
// node's row by cosine ([cluster.Silhouettes]), which is near 1 far from all other clusters, 0
// between two clusters, and negative if another cluster is closer. (The confidence in the
// tables of a run is another one, which needs only the clusters' centers:
// [explain.Explanation].)
func Confidence(s Stage) ([]float64, error) {
	return cluster.Silhouettes(cell.Context(), s.Rows, s.Clusters)
}

// ClusterTable returns a table with a row for each cluster of a stage: its number of nodes, the
// mean of their confidence (one entry per node) and, if g has labels, its two most frequent
// classes with their shares. Clusters are named by the classes that they match.
func ClusterTable(g *graph.Graph, s Stage, confidence []float64) figure.Fragment {
	clusters := metric.Match(g, s.Clusters)
	_, classNames, _ := graph.ShownClasses(g)
	header := []string{"cluster", "nodes", "mean confidence"}
	if g.Labels != nil {
		header = append(header, "most frequent class", "second")
	}
	var rows [][]string
	for c := range slices.Max(clusters) + 1 {
		sum, size, nodesOfClass := 0.0, 0, make([]int, g.Classes)
		for i := range clusters {
			if clusters[i] != c {
				continue
			}
			sum += confidence[i]
			size++
			if g.Labels != nil && g.Labels[i] != graph.Unknown {
				nodesOfClass[g.Labels[i]]++
			}
		}
		if size == 0 {
			continue
		}
		row := []string{clusterName(classNames, g.Classes, c), fmt.Sprint(size), message.Decimals(sum/float64(size), 2)}
		for range len(header) - len(row) { // for each column of a class: none without labels
			class := slices.Index(nodesOfClass, slices.Max(nodesOfClass))
			entry := "–"
			if nodesOfClass[class] > 0 {
				entry = fmt.Sprintf("%s (%.0f %%)", classNames[class], 100*float64(nodesOfClass[class])/float64(size))
			}
			row = append(row, entry)
			nodesOfClass[class] = 0 // so that the next class is the second most frequent
		}
		rows = append(rows, row)
	}
	return figure.Table(header, rows)
}

// clusterName returns the name of cluster c: that of the class c that it matches, or only the
// number if there are not so many classes.
func clusterName(classNames []string, classes, c int) string {
	if classNames != nil && c < classes {
		return "cluster of " + classNames[c]
	}
	return fmt.Sprint("cluster ", c)
}

// Confusion draws the confusion matrix of the classes of g and the clusters of a stage, in which
// clusters have the numbers of the classes that they match. Nodes of unknown class are left out.
func Confusion(g *graph.Graph, s Stage) *figure.Figure {
	m := metric.NewConfusion(metric.Known(g.Labels, metric.Match(g, s.Clusters)))
	_, classNames, _ := graph.ShownClasses(g)
	var classes, clusters []string
	for _, c := range m.Classes {
		classes = append(classes, classNames[c])
	}
	for _, c := range m.Clusters {
		clusters = append(clusters, fmt.Sprint(c))
	}
	return figure.Confusion(fmt.Sprintf("Classes of %s and clusters of the %s", g.Name, s.Name), m.Counts, classes, clusters)
}

// MapExplorer returns an interactive figure of the t-SNE maps of stages of g
// ([figure.MapExplorer]). Clusters have the numbers of the classes that they match, so that a
// cluster and its class have the same color.
func MapExplorer(g *graph.Graph, stages ...Stage) (figure.Fragment, error) {
	var views []figure.MapView
	for _, s := range stages {
		points, err := TSNE(s.Name, s.Rows, 0)
		if err != nil {
			return figure.Fragment{}, err
		}
		confidence, err := Confidence(s)
		if err != nil {
			return figure.Fragment{}, err
		}
		views = append(views, figure.MapView{Name: s.Name, Points: points, Clusters: metric.Match(g, s.Clusters), Confidence: confidence})
	}
	return figure.MapExplorer("Maps of "+g.Name, g, views...), nil
}

// TSNE returns a map of x's rows in the plane, n×2, by Barnes–Hut t-SNE with seed 0, and stores
// the map for the next cell. The perplexity is about the number of neighbors that each point
// tries to keep near it; 0 means 30. The name appears in messages only.
func TSNE(name string, x blas32.General, perplexity float64) (blas32.General, error) {
	key := store.NewKey("t-SNE", tsne.Version, x, perplexity)
	m, err := cell.Cached("t-SNE of "+name, key, func() (store.Matrix, error) {
		var live figure.Live
		start := time.Now()
		y, err := tsne.Map(cell.Context(), x, tsne.Options{Perplexity: perplexity, Progress: func(iteration int, kl float64) {
			Check(live.Update(fmt.Sprintf("t-SNE of %s: step %d, divergence %.3f, %s", name, iteration, kl, time.Since(start).Round(time.Second))))
		}}, rng.New(0, rng.Only))
		if err == nil {
			err = live.Done("")
		}
		return store.Matrix{General: y}, err
	})
	return m.General, err
}
