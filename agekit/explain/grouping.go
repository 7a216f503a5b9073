package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
)

// variance is the variance of one or several features, times the number of nodes: total is the sum over all
// nodes of the squared differences of their values from the mean; between is the same sum with each value
// replaced by the mean of the node's cluster.
type variance struct{ total, between float64 }

// share returns η², the share of the variance that is between the clusters.
func (v variance) share() float64 { return v.between / v.total }

// GroupsBy returns the names of the features in which the clusters of the nodes, labels, differ most, at most
// count of them, and the share of the variance of all features that is between the clusters.
//
// Features differ by η², the share of their variance that is between the clusters (Fisher's
// correlation ratio). All features that are made of a table's column, but for the words of a text,
// count as one with the column's name: their variances add up. Left out are names that are only
// numbers, features that differ by no more than chance, and words and columns of yes and no that
// fewer nodes have, or lack, than a quarter of a cluster of mean size: a node's own word would
// tell a cluster of this node best.
//
// The variances are those of the features as the view of the features has them: as a table's
// recipe makes them, and other columns of a dense matrix standardized. Features that are made of
// the edges have no names and explain nothing. It takes O(nnz + k·f) operations for nnz
// numbers, all of them in a dense matrix.
func GroupsBy(ctx context.Context, d *input.Data, labels []int, count int) (names []string, explained float64, err error) {
	g := d.Graph
	n, f := g.Features.Dims()
	if f == 0 || input.OfStructure(g) {
		return nil, 0, nil
	}
	tallies, variances, err := variancesOf(ctx, g, labels)
	if err != nil {
		return nil, 0, err
	}
	columns := columnsOf(g, d.Recipe, tallies)
	scaled := f // the number of leading features that count as they are; others count as standardized
	if g.Features.Dense != nil {
		scaled = 0
		if d.Recipe != nil {
			scaled = d.Recipe.Width()
		}
	}
	k := cluster.Count(labels)
	var all variance
	byColumn := map[string]variance{}
	var found []string
	for j, v := range variances {
		const rounding = 1e-7 // of float32
		mean := tallies[j].sum / float64(n)
		deviation := math.Sqrt(v.total / float64(n))
		if !(deviation > rounding*math.Abs(mean)) { // constant
			continue
		}
		if j >= scaled { // standardized, the total is the same for each feature
			v = variance{total: 1, between: v.share()}
		}
		all.total += v.total
		all.between += v.between
		c := &columns[j]
		isOneColumn := c.part < 0 || c.centered                            // a word, or a column of yes and no
		fewer := min(c.present(tallies[j]).count, c.absent(tallies[j], n)) // the nodes that have the feature, or lack it
		isRare := isOneColumn && c.binary() && 4*k*fewer < n               // than a quarter of a cluster of mean size
		if c.numbered || c.stopWord || isRare {
			continue
		}
		sum, known := byColumn[c.column]
		if !known {
			found = append(found, c.column)
		}
		byColumn[c.column] = variance{sum.total + v.total, sum.between + v.between}
	}
	if all.total == 0 {
		return nil, 0, nil
	}
	// If the clusters are chance, n·η² has a χ² distribution with k − 1 degrees of freedom: its mean is the
	// degrees, and its standard deviation the root of twice the degrees.
	degrees := float64(k - 1)
	least := (degrees + math.Sqrt(2*degrees*leastClear(len(found)))) / float64(n)
	found = slices.DeleteFunc(found, func(name string) bool { return k < 2 || byColumn[name].share() < least })
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(byColumn[b].share(), byColumn[a].share()) })
	return found[:min(count, len(found))], all.between / all.total, nil
}

// variancesOf returns the tally of each feature over all nodes, and its variance with the clusters labels.
func variancesOf(ctx context.Context, g *graph.Graph, labels []int) (tallies []tally, variances []variance, err error) {
	n, f := g.Features.Dims()
	dense := g.Features.Dense
	origin := make([]float64, f) // subtracted from each value
	if dense != nil {            // by differences from the first row, sums lose fewer digits
		for j, v := range dense.Data[:f] {
			origin[j] = float64(v)
		}
	}
	sizes := make([]float64, slices.Max(labels)+1)
	sums := make([]float64, len(sizes)*f) // by cluster and feature
	tallies, variances = make([]tally, f), make([]variance, f)
	var cluster []float64 // the sums of the present node's cluster
	add := func(j int, value float32) {
		v := float64(value) - origin[j]
		cluster[j] += v
		variances[j].total += v * v
		if value != 0 {
			tallies[j].add(float64(value))
		}
	}
	for i, c := range labels {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		sizes[c]++
		cluster = sums[c*f:][:f]
		if dense == nil {
			g.Features.EachInRow(i, add)
			continue
		}
		for j, value := range dense.Data[i*dense.Stride:][:f] {
			add(j, value)
		}
	}
	for j := range variances {
		sum := 0.
		for c, size := range sizes {
			if size > 0 {
				s := sums[c*f+j]
				sum += s
				variances[j].between += s * s / size
			}
		}
		variances[j].between -= sum * sum / float64(n)
		variances[j].total -= sum * sum / float64(n)
	}
	return tallies, variances, nil
}

// mostListed is the number of clusters that a sentence lists.
const mostListed = 4

// Oddities returns sentences that say what is odd about the clusters of the nodes of g: that a cluster has
// more than two thirds of the nodes, is a single node, is the nodes without edges, or is a connected
// component. If nodes without edges are in clusters with other nodes, a sentence says in which.
func Oddities(labels []int, g *graph.Graph) (sentences []string) {
	add := func(format string, args ...any) { sentences = append(sentences, fmt.Sprintf(format, args...)) }
	n := len(labels)
	clusters, isolated := countClusters(labels, g)
	componentOf, components := countComponents(labels, g)
	var single, whole []string // clusters of one node, and clusters that are a component each
	for number, c := range clusters {
		switch {
		case c.size == 0 || c.size == n:
			continue
		case 200*c.size > 199*n: // which would round to all
			add("Cluster %d holds all nodes but %d.", number, n-c.size)
		case 3*c.size > 2*n:
			add("Cluster %d holds %.0f %% of the nodes.", number, 100*float64(c.size)/float64(n))
		}
		onlyIsolated := g.Edges() > 0 && c.isolated == c.size
		component := components[componentOf[c.firstNode]]
		switch {
		case onlyIsolated && isolated == 1:
			add("The only node without edges (%s) is cluster %d.", g.NodeName(c.firstNode), number)
		case onlyIsolated && c.size == isolated:
			add("The %s nodes without edges are cluster %d.", humanize.Comma(int64(isolated)), number)
		case c.size == 1:
			single = append(single, fmt.Sprintf("%d (%s)", number, g.NodeName(c.firstNode)))
		case len(components) > 1 && component.cluster == number && component.size == c.size:
			whole = append(whole, strconv.Itoa(number))
		}
	}
	switch len(single) {
	case 0:
	case 1:
		number, node, _ := strings.Cut(single[0], " ")
		add("Cluster %s is a single node %s.", number, node)
	default:
		add("%s are single nodes.", clusterList(single))
	}
	if placed := placesOfIsolated(clusters, isolated, g); placed != "" {
		add("%s", placed)
	}
	if len(whole) > 0 {
		add("%s %s.", clusterList(whole), english.PluralWord(len(whole), "is a connected component by itself", "are connected components by themselves"))
	}
	return sentences
}

// placesOfIsolated returns a sentence that says in which clusters the isolated nodes are, which have no edges, most
// of them first: "The 81 nodes without edges are in clusters 3 (40), 0 (21) and 5 more (20)." It returns "" if the
// graph has no such nodes or no edges, or if they are a cluster by themselves, which other sentences say.
func placesOfIsolated(clusters []clusterCount, isolated int, g *graph.Graph) string {
	var holding []int // the clusters that have some of the nodes
	for number, c := range clusters {
		if c.isolated == isolated && c.size == isolated {
			return ""
		}
		if c.isolated > 0 {
			holding = append(holding, number)
		}
	}
	if g.Edges() == 0 || isolated == 0 {
		return ""
	}
	slices.SortStableFunc(holding, func(a, b int) int { return cmp.Compare(clusters[b].isolated, clusters[a].isolated) })
	nodes := "The only node without edges is"
	if isolated > 1 {
		nodes = fmt.Sprintf("The %s nodes without edges are", humanize.Comma(int64(isolated)))
	}
	if len(holding) == 1 {
		return fmt.Sprintf("%s in cluster %d.", nodes, holding[0])
	}
	var places []string
	rest := isolated // the nodes in clusters that are not listed
	for i, number := range holding {
		if more := len(holding) - i; i == mostListed-1 && more > 1 {
			places = append(places, fmt.Sprintf("%d more (%s)", more, humanize.Comma(int64(rest))))
			break
		}
		places = append(places, fmt.Sprintf("%d (%s)", number, humanize.Comma(int64(clusters[number].isolated))))
		rest -= clusters[number].isolated
	}
	return fmt.Sprintf("%s in clusters %s.", nodes, english.WordSeries(places, "and"))
}

// clusterCount says how many nodes of a cluster there are, and how many of them have no edges.
type clusterCount struct{ size, isolated, firstNode int }

// countClusters counts the nodes of each cluster, and the nodes of the graph that have no edges, isolated.
func countClusters(labels []int, g *graph.Graph) (clusters []clusterCount, isolated int) {
	clusters = make([]clusterCount, slices.Max(labels)+1)
	for i, label := range labels {
		c := &clusters[label]
		if c.size == 0 {
			c.firstNode = i
		}
		c.size++
		if g.Degree(i) == 0 {
			c.isolated++
			isolated++
		}
	}
	return clusters, isolated
}

// componentCount has the number of nodes in a connected component, and the cluster that all of them are in, or
// −1 if they are in several clusters.
type componentCount struct{ size, cluster int }

// countComponents returns each node's component, and what is in each.
func countComponents(labels []int, g *graph.Graph) (componentOf []int32, components []componentCount) {
	componentOf, count := g.Adjacency.Components()
	components = make([]componentCount, count)
	for i, label := range labels {
		c := &components[componentOf[i]]
		if c.size == 0 {
			c.cluster = label
		} else if c.cluster != label {
			c.cluster = -1
		}
		c.size++
	}
	return componentOf, components
}

// clusterList lists clusters, given by their numbers, as in "Clusters 1, 4 and 7". If there are more than
// mostListed, the last item says how many more.
func clusterList(clusters []string) string {
	if more := len(clusters) - mostListed + 1; more > 1 {
		clusters = append(slices.Clone(clusters[:mostListed-1]), fmt.Sprintf("%d more", more))
	}
	return english.PluralWord(len(clusters), "Cluster ", "Clusters ") + english.WordSeries(clusters, "and")
}
