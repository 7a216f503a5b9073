package agekit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
)

// Stage is what the method knows of the nodes at one of its stages: a row of
// numbers for each, and the clusters that spectral clustering finds in the rows.
type Stage struct {
	Name     string
	Rows     blas32.General
	Clusters []int
}

// Raw returns the stage before smoothing: the features as they are.
func Raw(g *graph.Graph) (Stage, error) {
	return stage(g, "raw features", g.Features.ToDense())
}

// Smoothed returns the stage after smoothing with the paper's settings, before
// training.
func Smoothed(g *graph.Graph) (Stage, error) {
	f := Settings(g).Filter
	rows, err := Smooth(g, f.K, f.Layers)
	if err != nil {
		return Stage{}, err
	}
	return stage(g, "smoothed features", rows)
}

// Trained returns the last stage: the embeddings after training with the paper's
// settings and seed 1, as in notebook 3.
func Trained(g *graph.Graph) (Stage, error) {
	c := Settings(g)
	c.Seed = 1
	r, err := Train(g, c)
	if err != nil {
		return Stage{}, err
	}
	return Stage{"trained embeddings", r.Embedding, r.Labels}, nil
}

// stage clusters rows, or returns the stored clusters.
func stage(g *graph.Graph, name string, rows blas32.General) (Stage, error) {
	if g.Classes == 0 {
		return Stage{}, errors.New("the graph has no classes, so the number of clusters is unknown")
	}
	key := store.NewKey("clusters of a stage", cluster.Version, rows, g.Classes)
	clusters, _, err := store.Cached(results(), key, func() ([]int, error) { return Cluster(rows, g.Classes) })
	return Stage{name, rows, clusters}, err
}

// Confidence says, without labels, how sure each row's cluster is: its silhouette by
// cosine ([cluster.Silhouettes]), which is near 1 far from all other clusters, 0 between
// two, and negative if another cluster is closer. The confidence in the tables of a run
// needs only the clusters' centers ([explain.Explanation]).
func Confidence(s Stage) ([]float64, error) {
	return cluster.Silhouettes(interrupt(), s.Rows, s.Clusters)
}

// WrongByConfidence divides the nodes of known class, from the least to the most
// confident, into equal parts, and returns the share of each part's nodes whose cluster
// does not match their class. Only this score uses labels.
func WrongByConfidence(g *graph.Graph, clusters []int, confidence []float64, parts int) []float64 {
	matched := metric.Match(g, clusters)
	var order []int
	for i, class := range g.Labels {
		if class != graph.Unknown {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(confidence[i], confidence[j]) })
	shares := make([]float64, parts)
	for p := range parts {
		part := order[p*len(order)/parts : (p+1)*len(order)/parts]
		for _, i := range part {
			if matched[i] != g.Labels[i] {
				shares[p] += 1 / float64(len(part))
			}
		}
	}
	return shares
}

// ClusterTable returns a table of the clusters of a stage: nodes, mean confidence and,
// if g has labels, the two most frequent classes.
func ClusterTable(g *graph.Graph, s Stage, confidence []float64) figure.Fragment {
	clusters := metric.Match(g, s.Clusters)
	header := []string{"cluster", "nodes", "mean confidence"}
	if g.Labels != nil {
		header = append(header, "most frequent class", "second")
	}
	var rows [][]string
	for c := range slices.Max(clusters) + 1 {
		sum, size, classes := 0.0, 0, make([]int, g.Classes)
		for i, own := range clusters {
			if own != c {
				continue
			}
			sum += confidence[i]
			size++
			if g.Labels != nil && g.Labels[i] != graph.Unknown {
				classes[g.Labels[i]]++
			}
		}
		if size == 0 {
			continue
		}
		row := []string{clusterName(g, c), fmt.Sprint(size), strings.Replace(fmt.Sprintf("%.2f", sum/float64(size)), "-", "−", 1)}
		for range len(header) - len(row) {
			most := slices.Index(classes, slices.Max(classes))
			cell := "–"
			if classes[most] > 0 {
				cell = fmt.Sprintf("%s (%.0f %%)", className(g, most), 100*float64(classes[most])/float64(size))
			}
			row = append(row, cell)
			classes[most] = 0
		}
		rows = append(rows, row)
	}
	return figure.Table(header, rows)
}

// Confusion draws the confusion matrix of the classes of g and the clusters of a stage,
// numbered as the classes that they match.
func Confusion(g *graph.Graph, s Stage) *figure.Figure {
	m := metric.NewConfusion(metric.Known(g.Labels, metric.Match(g, s.Clusters)))
	var classes, clusters []string
	for _, c := range m.Classes {
		classes = append(classes, className(g, c))
	}
	for _, c := range m.Clusters {
		clusters = append(clusters, fmt.Sprint(c))
	}
	return figure.Confusion(fmt.Sprintf("Classes of %s and clusters of the %s", g.Name, s.Name), m.Counts, classes, clusters)
}

func className(g *graph.Graph, c int) string {
	if g.ClassNames != nil {
		return g.ClassNames[c]
	}
	return fmt.Sprint("class ", c)
}

// clusterName names a cluster by the class that it matches, if any.
func clusterName(g *graph.Graph, c int) string {
	if g.Labels != nil && c < g.Classes {
		return "cluster of " + className(g, c)
	}
	return fmt.Sprint("cluster ", c)
}

// MapExplorer shows t-SNE maps of stages of g ([figure.MapExplorer]). Clusters are
// numbered as the classes that they match, so that both have the same colors.
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

// TSNE embeds x's rows in the plane, n×2, by Barnes–Hut t-SNE with seed 0. The
// perplexity is the number of neighbors that each point tries to keep near it; 0
// means 30. The name appears in messages.
func TSNE(name string, x blas32.General, perplexity float64) (blas32.General, error) {
	key := store.NewKey("t-SNE", tsne.Version, x, perplexity)
	m, err := cached("t-SNE of "+name, key, func() (store.Matrix, error) {
		var live figure.Live
		start := time.Now()
		y, err := tsne.Map(interrupt(), x, tsne.Options{Perplexity: perplexity, Progress: func(iteration int, kl float64) {
			Check(live.Update(fmt.Sprintf("t-SNE of %s: step %d, divergence %.3f, %s", name, iteration, kl, time.Since(start).Round(time.Second))))
		}}, rng.New(0, rng.Only))
		if err == nil {
			err = live.Done("")
		}
		return store.Matrix{General: y}, err
	})
	return m.General, err
}

// Blob is a round group of points with normally distributed coordinates.
type Blob struct {
	Center []float64
	Width  float64 // the standard deviation of each coordinate
	Points int     // how many
}

// Blobs draws the points of each blob, always the same, and returns the blob of each.
func Blobs(blobs ...Blob) (blas32.General, []int) {
	rnd := rng.New(1, rng.Only)
	d := len(blobs[0].Center)
	x, labels := blas32.General{Cols: d, Stride: d}, []int(nil)
	for b, blob := range blobs {
		for range blob.Points {
			for _, c := range blob.Center {
				x.Data = append(x.Data, float32(c+blob.Width*rnd.NormFloat64()))
			}
			labels = append(labels, b)
			x.Rows++
		}
	}
	return x, labels
}
