package agekit

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/metric"
)

var notices10 = []notice{
	{"10", "In Debian's graph, a package has between eight and nine neighbors on average, but one of them, the C library, has 21,809: a third of all packages need it. At the other end, 4,384 packages have no neighbor at all.", func(t *testing.T) {
		debian := ownRecords(t, "debian")[0].Scores
		near(t, "neighbors", 2*debian["edges"]/debian["nodes"], 8.5, 0.5)
		rounds(t, "largest degree", debian["largest degree"], 21809, 0)
		near(t, "its share", debian["largest degree"]/debian["nodes"], 1./3, 0.02)
		rounds(t, "isolated", debian["isolated"], 4384, 0)
	}},
	{"10", "For Debian, the similarities of all pairs would take 16 GB, more than many laptops have. All the rest together takes less than 1 GB.", func(t *testing.T) {
		debian := ownRecords(t, "debian")[0].Scores
		n := debian["nodes"]
		rounds(t, "pairs", 4*n*n/1e9, 16, 0)
		words := 10 * n // more than there are
		below(t, "the rest", 4*(n*debian["features"]+500*n+2*debian["edges"]+words)/1e9, 1)
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
	{"10", "On Debian's packages, AGE has an ACC of 0.545, Leiden 0.433, k-means of the smoothed words 0.386, and k-means of the words 0.266. NMI and ARI put them in the same order. Leiden has the highest modularity and the lowest conductance, since that is what it looks for.", func(t *testing.T) {
		order := []string{"AGE, settings chosen", "Leiden", "k-means of the smoothed features", "k-means of the features"}
		for i, want := range []float64{0.545, 0.433, 0.386, 0.266} {
			rounds(t, order[i], ownMean(t, "debian", order[i]+": ACC"), want, 3)
			for _, score := range []string{"NMI", "ARI"} {
				if i > 0 {
					below(t, score+" of "+order[i], ownMean(t, "debian", order[i]+": "+score), ownMean(t, "debian", order[i-1]+": "+score))
				}
			}
			if i != 1 {
				below(t, "modularity of "+order[i], ownMean(t, "debian", order[i]+": modularity"), ownMean(t, "debian", "Leiden: modularity"))
				below(t, "conductance of Leiden", ownMean(t, "debian", "Leiden: conductance"), ownMean(t, "debian", order[i]+": conductance"))
			}
		}
	}},
	{"10", "On Debian, packages that come later have an ACC of 0.542, and the same ones 0.540 in a training with all: nothing is lost. On Cora, a fifth of the papers takes a third of the citations away from the training, and those that come later lose 0.02.", func(t *testing.T) {
		rounds(t, "later packages", ownMean(t, "debian", "later"), 0.542, 3)
		rounds(t, "in a training with all", ownMean(t, "debian", "full"), 0.540, 3)
		g := cora()
		known := rand.New(rand.NewPCG(1, 0)).Perm(g.N())[g.N()/5:]
		near(t, "citations that are lost", 1-float64(g.Subgraph(known).Edges())/float64(g.Edges()), 1./3, 0.05)
		rounds(t, "loss on Cora", ownMean(t, "cora", "full")-ownMean(t, "cora", "later"), 0.02, 2)
	}},
	{"10", "For the penguins, the edges alone score best, so nothing is trained. In the end, each node goes to the cluster that its own features and neighbors speak for; the clusters agree with the species for 98.3 % of them.", func(t *testing.T) {
		at := func(name string) string { return filepath.Join("..", "assets", "examples", name) }
		g := must(Open(input.Source{Nodes: at("penguins.csv"), Edges: at("penguins-edges.csv"), Label: "species"}))
		c := must(Choose(g, 3))
		if chosen := c.Record.Search.Trials[c.Record.Search.Chosen]; chosen.Data != "edges" || c.Trained() {
			t.Errorf("chosen: %s", chosen.Name())
		}
		rounds(t, "ACC in percent", 100*metric.Accuracy(g.Labels, c.Labels), 98.3, 1)
	}},
}

// ownRecords returns the stored results with chosen settings, of which there are at
// least three.
func ownRecords(t *testing.T, dataset string) (records []experiment.Record) {
	t.Helper()
	for seed := uint64(1); seed <= 10; seed++ {
		if found, ok := stored().Get(experiment.Run{Task: "own", Dataset: dataset, Seed: seed}); ok {
			records = append(records, found)
		}
	}
	if len(records) < 3 {
		t.Fatalf("%d stored results of %s, want 3 or more", len(records), dataset)
	}
	return records
}

// ownMean returns the mean of a score of the stored results with chosen settings.
func ownMean(t *testing.T, dataset, score string) float64 {
	t.Helper()
	var values []float64
	for _, r := range ownRecords(t, dataset) {
		values = append(values, r.Scores[score])
	}
	return stat.Mean(values, nil)
}
