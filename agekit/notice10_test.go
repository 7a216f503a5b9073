package agekit

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/testutil"
)

var notices10 = []notice{
	{"10", "In Debian's graph, a package has between eight and nine neighbors on average, but one of them, the C library, has 21,809: a third of all packages need it. At the other end, 4,384 packages have no neighbor at all.", func(t *testing.T) {
		debian := allPackages(t).Stats()
		near(t, "neighbors", 2*float64(debian.Edges)/float64(debian.Nodes), 8.5, 0.5)
		rounds(t, "largest degree", float64(debian.MaxDegree), 21809, 0)
		near(t, "its share", float64(debian.MaxDegree)/float64(debian.Nodes), 1./3, 0.02)
		rounds(t, "isolated", float64(debian.Isolated), 4384, 0)
	}},
	{"10", "For Debian, the similarities of all pairs would take 16 GB, more than many laptops have. All the rest together takes less than 1 GB.", func(t *testing.T) {
		debian := allPackages(t).Stats()
		n := float64(debian.Nodes)
		rounds(t, "pairs", 4*n*n/1e9, 16, 0)
		below(t, "the rest", 4*(n*float64(debian.Features+500)+float64(2*debian.Edges+debian.NonZeros))/1e9, 1)
	}},
	{"10", "An error of 0.002 in the threshold adds or removes about 2 % of the positive pairs", func(t *testing.T) {
		x := must(Smooth(cora(), InverseLambdaMax, 4))
		s := must(Select(x, 0.005, 0.5))
		nearer := 0
		for k, i := range s.I {
			if cosine(x, i, s.J[k]) < float64(s.PosThreshold)+0.002 {
				nearer++
			}
		}
		near(t, "share of the positive pairs", float64(nearer)/float64(len(s.I)), 0.02, 0.005)
	}},
	{"10", "On Debian's packages, the short training of AGE has an ACC of 0.51, Leiden 0.46, and k-means of the words 0.27. NMI and ARI put them in the same order. Leiden has the highest modularity and the lowest conductance, since that is what it looks for.", func(t *testing.T) {
		g := allPackages(t)
		f := views.NewFinder(g, views.Source{}, 0, 1)
		edges := metric.Score(g, must(f.Clusters(t.Context(), views.Edges, g.Classes)))
		words := metric.Score(g, must(f.Clusters(t.Context(), views.Features, g.Classes)))
		rounds(t, "ACC of Leiden", *edges.ACC, 0.46, 2)
		rounds(t, "ACC of k-means of the words", *words.ACC, 0.27, 2)
		below(t, "NMI", *words.NMI, *edges.NMI)
		below(t, "ARI", *words.ARI, *edges.ARI)
		below(t, "modularity", words.Modularity, edges.Modularity)
		below(t, "conductance", edges.Conductance, words.Conductance)
		if !testutil.IsLong() { // training takes half a minute
			return
		}
		n := float64(g.N())
		c := Settings(g)
		c.K, c.Layers = InverseLambdaMax, 4
		c.Dims, c.Epochs, c.BatchSize = 64, 20, encoder.AllPairs
		c.Thresholds = pairs.Thresholds{PosStart: 30 / n, PosEnd: 3 / n, NegStart: 0.1, NegEnd: 0.5}
		age := metric.Score(g, must(Train(g, c)).Labels)
		rounds(t, "ACC of AGE", *age.ACC, 0.51, 2)
		below(t, "NMI", *edges.NMI, *age.NMI)
		below(t, "ARI", *edges.ARI, *age.ARI)
		below(t, "modularity", age.Modularity, edges.Modularity)
		below(t, "conductance", edges.Conductance, age.Conductance)
	}},
	{"10", "Features and edges group these packages differently: their adjusted Rand index is about 0.1. Words tell the kind (NMI 0.7, and 0.3 for the language), because all documentation is described in the same words. Edges tell more of the language (0.6, and 0.4 for the kind), because a package needs others of its own language. The view of both tells even more of the language. No view is wrong: the question decides. With other seeds, the figures differ by up to 0.15, and the order stays.", func(t *testing.T) {
		part, kind := packages(t)
		for seed := range uint64(3) {
			f := views.NewFinder(part, views.Source{}, 0, seed+1)
			found, language := map[views.Name][]int{}, map[views.Name]float64{}
			for name, want := range map[views.Name][2]float64{views.Features: {0.3, 0.7}, views.Edges: {0.6, 0.4}, views.Both: {}} {
				found[name] = must(f.Clusters(t.Context(), name, 4))
				language[name] = metric.NMI(part.Labels, found[name])
				if name == views.Both {
					continue
				}
				within := 0.15
				if seed == 0 { // that of the figure
					within = 0.08
				}
				near(t, "NMI of "+string(name)+" with the language", language[name], want[0], within)
				near(t, "NMI of "+string(name)+" with the kind", metric.NMI(kind, found[name]), want[1], within)
			}
			near(t, "ARI of features and edges", metric.ARI(found[views.Features], found[views.Edges]), 0.1, 0.05)
			below(t, "language by words", language[views.Features], language[views.Edges])
			below(t, "language by edges", language[views.Edges], language[views.Both])
		}
	}},
	{"10", "It finds 20, with 10 and 40 beside it, and not four, for either question. Yet with 10 clusters as with 20, 98 % of the packages are in a cluster of mostly their own language, and with 40 nearly all are. The clusters divide the languages further: coarser and finer levels are all true, and which one to take is up to you.", func(t *testing.T) {
		part, _ := packages(t)
		f := views.NewFinder(part, views.Source{}, 0, 1)
		number := must(f.Number(t.Context(), views.Any()))
		if levels := number.Levels(); !slices.Equal(levels, []int{20, 10, 40}) {
			t.Errorf("levels %v", levels)
		}
		for k, want := range map[int]float64{10: 0.98, 20: 0.98, 40: 1} {
			counts := map[[2]int]int{} // of a cluster and a language
			most := map[int]int{}
			for i, c := range must(f.Clusters(t.Context(), views.Edges, k)) {
				pair := [2]int{c, part.Labels[i]}
				counts[pair]++
				most[c] = max(most[c], counts[pair])
			}
			own := 0
			for _, count := range most {
				own += count
			}
			rounds(t, "share in a cluster of their language", float64(own)/float64(part.N()), want, 2)
		}
	}},
}

// allPackages returns the graph of Debian 12's packages. It skips the test where there is no
// list of them, or that of another release.
func allPackages(t *testing.T) *graph.Graph {
	t.Helper()
	all, err := dataset.Load(t.Context(), "debian", dataset.Options{Offline: true})
	if errors.Is(err, dataset.ErrMissing) {
		t.Skip("no list of Debian's packages")
	}
	testutil.NoError(t, err)
	const nodes = 63436
	if all.N() != nodes {
		t.Skipf("a list of another release: %d packages, not %d", all.N(), nodes)
	}
	return all
}

// packages returns the packages of four languages that notebook 10 takes, and the kind of each.
// The classes are the languages. It skips the test where there is no list of packages.
func packages(t *testing.T) (part *graph.Graph, kind []int) {
	t.Helper()
	all := allPackages(t)
	language := func(name string) int {
		is := func(start string, ends ...string) bool {
			return strings.HasPrefix(name, start) && slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
		}
		return slices.Index([]bool{
			is("libghc-", ""), is("", "-ocaml", "-ocaml-dev", "-ocaml-doc"), is("lib", "-java", "-java-doc"), is("", "-cil", "-cil-dev"),
		}, true)
	}
	var nodes []int
	for i, name := range all.NodeNames {
		if language(name) >= 0 {
			nodes = append(nodes, i)
		}
	}
	part = all.Subgraph(nodes)
	of, _ := part.Adjacency.Components()
	sizes := map[int32]int{}
	for _, c := range of {
		sizes[c]++
	}
	nodes = nil
	for i, c := range of {
		if sizes[c] >= 20 {
			nodes = append(nodes, i)
		}
	}
	part = part.Subgraph(nodes)
	part.Labels = nil
	for _, name := range part.NodeNames {
		part.Labels = append(part.Labels, language(name))
		kind = append(kind, slices.IndexFunc([]string{"-dev", "-doc", "-prof", ""}, func(end string) bool { return strings.HasSuffix(name, end) }))
	}
	return part, kind
}
