package explain

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/message"
)

// View is one way to see the graph, with its clusters.
type View struct {
	Name views.Name `json:"view"`
	// Column is the column of nodes.csv with the clusters.
	Column   string `json:"column"`
	Clusters int    `json:"clusters"`
	Measures
	// GroupsBy are the three features by which the clusters differ most.
	GroupsBy []string `json:"groups_by,omitempty"`
	// Stability is the mean adjusted Rand index of the clusters with those of resamples
	// ([views.Finder.Stability]); nil where there are none.
	Stability *float64 `json:"stability,omitempty"`
	// Little says that the clusters tell no more than those of data without any
	// ([views.Finder.Little]).
	Little bool `json:"little_found"`
	// ACC, NMI and ARI compare with the labels; nil without labels.
	ACC    *float64 `json:"acc"`
	NMI    *float64 `json:"nmi"`
	ARI    *float64 `json:"ari"`
	Labels []int    `json:"-" cbor:"labels"` // the cluster of each node; a store keeps it
}

// Measures describe clusters without labels.
type Measures struct {
	// Inside is the share of the edges' weight that is inside the clusters.
	Inside          float64 `json:"edges_inside"`
	Modularity      float64 `json:"modularity"`
	MeanConductance float64 `json:"mean_conductance"`
	// Explained is the share of the features' variance that is between the clusters.
	Explained float64 `json:"features_explained"`
}

// differARI is the adjusted Rand index below which the clusters of two views count as different. On 22 of the 24
// graphs with labels on which those of features and edges were different, one of the two agreed much better with
// the labels (docs/views.md).
const differARI = 0.3

// Comparison says what the views of a graph tell together.
type Comparison struct {
	// Agreement is the adjusted Rand index of the clusters of the features and of the edges; nil unless
	// both views are there.
	Agreement *float64
	// Little says that little was found: the clusters of the view that is the result tell no more than clusters
	// of data without groups.
	Little bool
	// Sentences say what was found.
	Sentences []string
}

// Compare compares the views of a graph, all, of which the named one is the result. It says whether features and edges
// group the nodes differently, and in which views little was found. With two kinds of nodes (kinds is not nil), it
// also says what the kinds are and which views only tell them apart.
func Compare(result views.Name, all []View, kinds *graph.Kinds) (c Comparison) {
	add := func(format string, args ...any) { c.Sentences = append(c.Sentences, fmt.Sprintf(format, args...)) }
	found := map[views.Name]*View{}
	for i := range all {
		found[all[i].Name] = &all[i]
	}
	features, edges := found[views.Features], found[views.Edges]
	if kinds != nil {
		add("%s", kinds)
		if edges != nil && result == views.Edges && !edges.Little {
			add("The clusters have nodes of both that belong together.")
		}
		for _, v := range all {
			if ofOneKind(kinds, v.Labels) {
				add("The clusters of the view %s have nodes of one kind each: it tells the kinds apart, and no groups of nodes that belong together.", v.Name.Title())
			}
		}
	}
	if v := found[result]; v != nil && v.Little {
		c.Little = true
		add("Little was found: clusters of data without any tell as much.")
	}
	if features == nil || edges == nil {
		return c
	}
	agreement := metric.ARI(features.Labels, edges.Labels)
	c.Agreement = &agreement
	little := "" // the last of the other views in which little was found
	for _, v := range []*View{features, edges} {
		if v.Little && v.Name != result {
			little = v.Name.Title()
		}
	}
	switch {
	case c.Little:
	case little != "":
		add("Little was found in the %s alone.", little)
	case agreement < differARI && (kinds == nil || !ofOneKind(kinds, features.Labels)):
		add("Features and edges group these nodes differently (ARI %s). Which is right depends on your question.", message.Decimals(agreement, 2))
		add("By features, %.0f %% of the edges are inside the clusters%s; by edges, %.0f %%%s.",
			100*features.Inside, differBy("which", features.GroupsBy), 100*edges.Inside, differBy("and they", edges.GroupsBy))
	}
	return c
}

// ofOneKind reports whether nearly all nodes that have a kind are in clusters, labels, in which most nodes are of
// their kind.
func ofOneKind(kinds *graph.Kinds, labels []int) bool {
	const nearlyAll = 0.95
	counts := map[int]*[2]int{} // the number of nodes of each kind, by cluster
	for i, c := range labels {
		if counts[c] == nil {
			counts[c] = &[2]int{}
		}
		if kind := kinds.Of[i]; kind != graph.NoKind {
			counts[c][kind]++
		}
	}
	alike, all := 0, 0
	for _, count := range counts {
		alike += max(count[0], count[1])
		all += count[0] + count[1]
	}
	return float64(alike) >= nearlyAll*float64(all)
}

// differBy returns the rest of a sentence that says in which features clusters differ most. they is the word that
// stands for the clusters: ", which differ most in a and b". It returns "" if there are no features.
func differBy(they string, features []string) string {
	if len(features) == 0 {
		return ""
	}
	return ", " + they + " differ most in " + english.WordSeries(features, "and")
}
