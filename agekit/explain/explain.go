package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/message"
)

// Explanation says how the nodes lie in their clusters.
type Explanation struct {
	// Confidence says how sure each node's cluster is: (b − a)/max(a, b), where a is
	// the distance 1 − cosine to the center of the node's own cluster (Centers)
	// and b the distance to the nearest other center. It is near 1 if the node is
	// much closer to its own cluster than to any other, 0 between two, and negative
	// if another is closer. This is the simplified silhouette (Hruschka, de Castro
	// and Campello, "Evolutionary algorithms for clustering gene-expression data",
	// ICDM 2004); unlike a silhouette, it can be computed for a new node alone
	// ([Assign]).
	Confidence []float64
	// Outlier says how far each node is from the center of its own cluster, compared
	// with the cluster's other nodes: (θ − m)/(q − m), where θ is its angle to the center,
	// m the cluster's median and q its quantile 0.95. So it is 0 for half of the nodes or
	// less, above 1 for a twentieth, and above 2 for few: those twice as far out. Angles
	// within a cluster are too skewed for deviations to say how rare one is. In a cluster
	// of fewer than 20 nodes, q is m + 1.645·1.4826·MAD, with the median absolute deviation,
	// as in a normal distribution.
	Outlier []float64
	// Centers are those of the clusters, k×d: the mean of a cluster's rows after each is
	// scaled to length 1, itself scaled to length 1.
	Centers blas32.General
}

// Result is what [Explain] finds: of the nodes, of each cluster, and of how these join.
type Result struct {
	Explanation
	Clusters []Cluster
	Tree     []Join
}

// Cluster describes one cluster.
type Cluster struct {
	Cluster int `json:"cluster"` // its number, from 0
	// Name says in a few words what sets the cluster apart: up to three features, those of which the
	// difference is the strongest, if it is no chance. A node bears the name if it has all of them. At
	// least half of the cluster's nodes bear it, less than half of those of each other cluster,
	// and the share of all other nodes that bear it is at most a third of the cluster's. "Without" and
	// "not" say that a node lacks a feature. A number is high if it is among the highest of all: the highest
	// quarter, or as many as the cluster has nodes if these are more, but at most half. A name has
	// more than three features if it needs them to be true of no other cluster. All names differ; "" if no
	// features make such a name.
	Name string `json:"name"`
	// Size is the number of nodes.
	Size int `json:"size"`
	// Cohesion is the mean cosine of the nodes with the center.
	Cohesion float64 `json:"cohesion"`
	// Inside is the share of the ends of the nodes' edges that stay in the cluster, by
	// weight; 0 if they have no edges.
	Inside float64 `json:"edges_inside"`
	// Features are the features that set the cluster apart most, the strongest first.
	Features []Feature `json:"features,omitempty"`
	// Central are the ids, or else the numbers, of the nodes closest to the center by
	// cosine, the closest first.
	Central []string `json:"central"`
	// Neighbors are the other clusters that this cluster's edges lead to, by the
	// share of these edges, the largest first.
	Neighbors []clusterNeighbor `json:"neighbors,omitempty"`
}

// Label returns the cluster's number with its name: "3 · high body_mass_g", or else
// "cluster 3".
func (c Cluster) Label() string {
	if c.Name == "" {
		return fmt.Sprint("cluster ", c.Cluster)
	}
	return fmt.Sprintf("%d · %s", c.Cluster, c.Name)
}

// Feature compares a feature inside and outside a cluster.
type Feature struct {
	Name string `json:"name"` // or its column's number
	// Inside and Outside are the feature's means, or for a binary feature the shares of
	// nodes that have it. A [run.Run] has the means in the user's unit.
	Inside  float64 `json:"inside"`
	Outside float64 `json:"outside"`
	// Binary says that the feature counts as present or absent: a category, a word, a column of
	// yes and no, or, without a recipe, a feature without negative values of which fewer than
	// half of the nodes have one, or of which all such values are 1.
	Binary bool `json:"binary"`
	// Lift is Inside/Outside for a binary feature, and for others the difference of
	// the means in standard deviations of all nodes. It is nil if no other node has
	// the feature.
	Lift *float64 `json:"lift"`
	// Strength is the test statistic by which features are ordered: the difference
	// divided by its standard error. It is negative if there is less inside.
	Strength float64 `json:"strength"`
	// Numbered says that the name is only a number, perhaps after what many features are
	// called, as in "embedding 44": it tells a reader nothing.
	Numbered bool `json:"numbered,omitempty"`
}

// String describes a feature in a few words.
func (f Feature) String() string {
	switch {
	case !f.Binary:
		return fmt.Sprintf("%s %s (others %s)", f.Name, message.ThreeDigits(f.Inside), message.ThreeDigits(f.Outside))
	case f.Strength < 0:
		return fmt.Sprintf("less often %s (%.0f %%, others %.0f %%)", f.Name, 100*f.Inside, 100*f.Outside)
	}
	return fmt.Sprintf("%s (%.0f %%, others %.0f %%)", f.Name, 100*f.Inside, 100*f.Outside)
}

// clusterNeighbor is another cluster with the share of edges that lead there.
type clusterNeighbor struct {
	Cluster int     `json:"cluster"`
	Share   float64 `json:"share"`
}

// Join joins two groups of clusters: Left and Right are clusters if below k, and
// otherwise the group of Join number −k. Similarity is the mean cosine of the pairs
// of nodes of the two (average linkage).
type Join struct {
	Left       int     `json:"left"`
	Right      int     `json:"right"`
	Similarity float64 `json:"similarity"`
}

// The numbers of features and of central nodes listed for each cluster.
const listedFeatures, listedCentral = 8, 5

// ErrUnexplained means that clusters or embeddings are such that nothing can be said of them.
var ErrUnexplained = errors.New("the clusters cannot be explained")

// Explain describes the clusters 0 to k−1 of the nodes of g. z is an embedding with a row for each node,
// and clusters has the cluster of each. The recipe, if not nil, says how the features were made from a
// table. Explain takes O(n·d·k) operations.
//
// It returns ErrUnexplained if k is 1, so that a cluster has no other to compare it with, if
// a cluster is empty or an entry of z is not a finite number, and an error if ctx is done. It
// panics if the sizes differ.
func Explain(ctx context.Context, g *graph.Graph, recipe *recipe.Recipe, z linalg.Rows, clusters []int) (*Result, error) {
	if n, _ := z.Dims(); n != g.N() || len(clusters) != g.N() {
		panic(fmt.Sprintf("explain: %d nodes, %d rows, %d clusters", g.N(), n, len(clusters)))
	}
	k := slices.Max(clusters) + 1
	if k < 2 {
		return nil, fmt.Errorf("%w: there is only one: want two or more to say what sets each apart", ErrUnexplained)
	}
	sizes := make([]int, k)
	for _, c := range clusters {
		sizes[c]++
	}
	if empty := slices.Index(sizes, 0); empty >= 0 {
		return nil, fmt.Errorf("%w: cluster %d of %d is empty", ErrUnexplained, empty, k)
	}
	sums, err := clusterSums(ctx, z, clusters, k)
	if err != nil {
		return nil, fmt.Errorf("explaining clusters: %w", err)
	}
	for p, v := range sums.Data {
		if v-v != 0 { // ±Inf or NaN
			return nil, fmt.Errorf("%w: column %d of the embedding of cluster %d has %v, want finite numbers", ErrUnexplained, p%sums.Cols, p/sums.Cols, v)
		}
	}
	e := &Result{Clusters: Sizes(g, clusters), Tree: joinTree(sums, sizes)}
	linalg.NormalizeTo(sums, sums)
	e.Centers = sums
	cosine := make([]float64, len(clusters)) // the nodes' cosines with their own centers
	e.Confidence = make([]float64, len(clusters))
	err = eachCosines(ctx, z, e.Centers, func(i int, cosines []float32) {
		cosine[i] = float64(cosines[clusters[i]])
		e.Confidence[i] = simplifiedSilhouette(cosines, clusters[i])
	})
	if err != nil {
		return nil, fmt.Errorf("explaining clusters: %w", err)
	}
	features, names, err := distinctiveFeatures(ctx, g, recipe, clusters, sizes)
	if err != nil {
		return nil, fmt.Errorf("explaining clusters: %w", err)
	}
	for c := range k {
		e.Clusters[c].Name, e.Clusters[c].Features = names[c], features[c]
	}
	e.setCentral(g, cosine, clusters)
	e.setOutliers(cosine, clusters)
	return e, nil
}

// setOutliers sets e.Outlier, the outlier score of each node ([Explanation.Outlier]). cosine has the cosine of
// each node with the center of its own cluster; e.Outlier uses and overwrites its memory.
func (e *Result) setOutliers(cosine []float64, clusters []int) {
	const (
		quantile       = 0.95
		leastNodes     = 20     // in a cluster of fewer nodes, the quantile is estimated from the MAD
		madOfNormal    = 1.4826 // the standard deviation of a normal distribution, in MADs
		quantileNormal = 1.645  // the quantile of a normal distribution, in standard deviations
	)
	angles := make([][]float64, len(e.Clusters)) // of the nodes of each cluster
	for c := range angles {
		angles[c] = make([]float64, 0, e.Clusters[c].Size)
	}
	for i, c := range clusters {
		angles[c] = append(angles[c], angle(cosine[i]))
	}
	medians := make([]float64, len(angles)) // m and q of each cluster
	quantiles := make([]float64, len(angles))
	for c, values := range angles {
		medians[c] = median(values) // which sorts them
		quantiles[c] = values[int(quantile*float64(len(values)-1))]
		if len(values) < leastNodes {
			for i, v := range values {
				values[i] = math.Abs(v - medians[c])
			}
			quantiles[c] = medians[c] + quantileNormal*madOfNormal*median(values)
		}
		quantiles[c] = max(quantiles[c], medians[c]+leastAngle)
	}
	e.Outlier = cosine
	for i, c := range clusters {
		e.Outlier[i] = (angle(cosine[i]) - medians[c]) / (quantiles[c] - medians[c])
	}
}

// median returns the median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// leastAngle is a difference of angles above float32's rounding errors.
const leastAngle = 1e-3

// angle returns the angle of a cosine, which rounding may have made larger than 1.
func angle(cosine float64) float64 { return math.Acos(max(-1, min(1, cosine))) }

// setCentral sets the central nodes and the cohesion of each cluster. cosine has the cosine of each node with
// the center of its own cluster.
func (e *Result) setCentral(g *graph.Graph, cosine []float64, clusters []int) {
	central := make([][]int, len(e.Clusters)) // the nodes nearest to each center so far, the nearest first
	for i, c := range clusters {
		e.Clusters[c].Cohesion += cosine[i] / float64(e.Clusters[c].Size)
		rank := len(central[c]) // the place of node i among them
		for rank > 0 && cosine[i] > cosine[central[c][rank-1]] {
			rank--
		}
		if rank < listedCentral {
			central[c] = slices.Insert(central[c], rank, i)[:min(listedCentral, len(central[c])+1)]
		}
	}
	for c, nodes := range central {
		for _, i := range nodes {
			e.Clusters[c].Central = append(e.Clusters[c].Central, g.NodeName(i))
		}
	}
}

// Sizes returns a cluster for each number in clusters, which has the cluster of each node, with what the graph alone
// says of it: its size, the share of its edges inside, and the clusters that the others lead to. An edge inside counts
// twice, once for each end. The clusters may be as many as the nodes.
func Sizes(g *graph.Graph, clusters []int) []Cluster {
	described := make([]Cluster, slices.Max(clusters)+1)
	members := make([][]int, len(described))
	for i, c := range clusters {
		members[c] = append(members[c], i)
	}
	weights := make([]float64, len(described)) // of one cluster's edges to each cluster
	for c, nodes := range members {
		described[c].Cluster, described[c].Size = c, len(nodes)
		var linked []int // the clusters that have a weight
		for _, i := range nodes {
			for j, w := range g.Adjacency.Each(i) {
				other := clusters[j]
				if weights[other] == 0 && w > 0 {
					linked = append(linked, other)
				}
				weights[other] += float64(w)
			}
		}
		slices.Sort(linked)
		described[c].setNeighbors(linked, weights)
		for _, other := range linked {
			weights[other] = 0
		}
	}
	return described
}

// setNeighbors sets c.Inside and c.Neighbors. The cluster's edges lead to those that are linked, with these weights.
func (c *Cluster) setNeighbors(linked []int, weights []float64) {
	total := 0.
	for _, other := range linked {
		total += weights[other]
	}
	for _, other := range linked {
		share := weights[other] / total
		if other == c.Cluster {
			c.Inside = share
		} else {
			c.Neighbors = append(c.Neighbors, clusterNeighbor{Cluster: other, Share: share})
		}
	}
	slices.SortStableFunc(c.Neighbors, func(a, b clusterNeighbor) int { return cmp.Compare(b.Share, a.Share) })
}

// joinTree joins clusters until one group is left, each time the two groups with the highest mean cosine of
// their pairs of nodes, and returns the joins. sums has for each cluster the sum of its rows of length 1, and
// sizes its number of nodes: the sum of the cosines of all pairs is the product of the groups' sums.
func joinTree(sums blas32.General, sizes []int) []Join {
	type group struct {
		name int       // as in Join.Left
		size float64   // the number of nodes
		sum  []float64 // of the nodes' rows
	}
	var groups []group
	for c, size := range sizes {
		g := group{name: c, size: float64(size), sum: make([]float64, sums.Cols)}
		for j, v := range sums.Data[c*sums.Stride:][:sums.Cols] {
			g.sum[j] = float64(v)
		}
		groups = append(groups, g)
	}
	var joins []Join
	for len(groups) > 1 {
		best, first, second := math.Inf(-1), 0, 1
		for a := range groups {
			for b := a + 1; b < len(groups); b++ {
				sum := 0. // of the cosines of all pairs
				for j, v := range groups[a].sum {
					sum += v * groups[b].sum[j]
				}
				mean := sum / (groups[a].size * groups[b].size)
				if mean > best {
					best, first, second = mean, a, b
				}
			}
		}
		a, b := groups[first], groups[second]
		joins = append(joins, Join{Left: a.name, Right: b.name, Similarity: best})
		floats.Add(a.sum, b.sum) // into a.sum
		groups = slices.Delete(groups, second, second+1)
		groups[first] = group{name: len(sizes) + len(joins) - 1, size: a.size + b.size, sum: a.sum}
	}
	return joins
}
