package auto

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// benchFile has what the candidates tell about real graphs, which uses no labels, and their
// scores by labels, so that a rule is tried in a second.
const benchFile = "testdata/bench.json"

// stored is a graph of the bench.
type stored struct {
	Graph   string `json:"graph"`
	Kind    string `json:"kind"` // what sets graphs like it apart
	Nodes   int    `json:"nodes"`
	Classes int    `json:"classes"`
	Edges   int    `json:"edges,omitempty"`
	// From 2 clusters on, the information of the smoothed features' clusters, their gain per
	// held-out edge, and that of communities; none where numbers were not tried.
	FeaturesClusters        []float64     `json:"features_clusters,omitempty"`
	FeaturesClustersHeldOut []float64     `json:"features_clusters_held_out,omitempty"`
	CommunitiesHeldOut      []float64     `json:"communities_held_out,omitempty"`
	Trials                  []storedTrial `json:"trials"`
}

// storedTrial is a candidate: its gains of features and edges and its stability, and the scores
// of its clusters of the whole graph.
type storedTrial struct {
	Name     string     `json:"name"`
	Evidence [3]float64 `json:"evidence"`
	ACC      float64    `json:"acc"`
	ARI      float64    `json:"ari"`
}

// score is the [Trial].Score.
func (t storedTrial) score(n int) float64 {
	return (combined(t.Evidence[0], t.Evidence[1]) + 1/float64(n)) * math.Exp(t.Evidence[2]-1)
}

// simpleNames are methods that people have, one of which is the luckiest by labels.
var simpleNames = []string{"features alone (k-means)", "smoothed features, t 4 (k-means by cosine)", "edges alone (Leiden, joined)", "edges alone (spectral)"}

// numbers returns the numbers of clusters, as measureNumbers makes them of the same figures.
func (s *stored) numbers() []Number {
	var numbers []Number
	for i, information := range s.FeaturesClusters {
		k := i + 2
		numbers = append(numbers, Number{Clusters: k, EdgeShare: (information - float64(k*(k-1))/float64(2*s.Edges)) / perCluster(k, countPower)})
	}
	chosen := (&SearchReport{Numbers: numbers}).ChosenNumber()
	features := s.FeaturesClustersHeldOut[chosen] / perCluster(chosen+2, countPower)
	var communities []Number
	for i, gain := range s.CommunitiesHeldOut {
		communities = append(communities, Number{Clusters: i + 2, EdgeShare: gain / perCluster(i+2, countPower)})
	}
	if communities != nil && communities[(&SearchReport{Numbers: communities}).ChosenNumber()].EdgeShare > communitiesGain*features && s.Edges >= leastHeldOut*parts {
		numbers = communities
	}
	setLevels(numbers)
	return numbers
}

// TestBench: on real graphs, the candidate with the highest score is not far below the luckiest
// of simple methods by labels, and one of the levels of the number of clusters is mostly within
// one of the number of classes.
func TestBench(t *testing.T) {
	text, err := os.ReadFile(benchFile)
	if err != nil {
		t.Fatal(err)
	}
	var all []*stored
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	var regrets []float64
	byKind := map[string][]float64{}
	near, level, counted := 0, 0, 0
	for _, s := range all {
		best := slices.MaxFunc(s.Trials, func(a, b storedTrial) int { return cmp.Compare(a.score(s.Nodes), b.score(s.Nodes)) })
		simple := 0.
		for _, trial := range s.Trials {
			if slices.Contains(simpleNames, trial.Name) {
				simple = max(simple, trial.ACC)
			}
		}
		regret := max(0, simple-best.ACC)
		regrets = append(regrets, regret)
		byKind[s.Kind] = append(byKind[s.Kind], regret)
		if s.Edges == 0 || s.Classes > 20 {
			t.Logf("%-14s ACC %.3f, luckiest simple %.3f: %s", s.Graph, best.ACC, simple, best.Name)
			continue
		}
		r := &SearchReport{Numbers: s.numbers()}
		within := func(k int) bool { return max(k-s.Classes, s.Classes-k) <= 1 }
		counted++
		if within(r.Numbers[r.ChosenNumber()].Clusters) {
			near++
		}
		if slices.ContainsFunc(r.Levels(), within) {
			level++
		}
		t.Logf("%-14s ACC %.3f, luckiest simple %.3f: %s; %d classes, levels %v", s.Graph, best.ACC, simple, best.Name, s.Classes, r.Levels())
	}
	for kind, some := range byKind {
		t.Logf("%-12s regret %.3f in the mean of %d", kind, stat.Mean(some, nil), len(some))
	}
	t.Logf("regret %.4f in the mean, largest %.3f; the number is within one on %d of %d, a level on %d", stat.Mean(regrets, nil), slices.Max(regrets), near, counted, level)
	// The limits are a little above what was measured.
	if mean := stat.Mean(regrets, nil); !(mean <= 0.028) {
		t.Errorf("regret %.4f in the mean", mean)
	}
	if 4*level < 3*counted || 5*near < 3*counted {
		t.Errorf("the number is within one on %d of %d, a level on %d: want three fifths and three quarters", near, counted, level)
	}
}

// TestResults: docs/choosing-settings.md says how far the program's results on real graphs are
// below the luckiest simple method, and which chance it gave to those that are far below.
// testdata/results.json has the ACC and the chance of agekit fit with the number of classes and
// seed 1.
func TestResults(t *testing.T) {
	var all []struct {
		Graph               string
		ACC, Simple, Chance float64
	}
	testutil.NoError(t, json.Unmarshal(testutil.Value(os.ReadFile("testdata/results.json")).OrFatal(t), &all))
	var regrets, ours, simple []float64
	var far []string
	for _, r := range all {
		regret := max(0, r.Simple-r.ACC)
		regrets, ours, simple = append(regrets, regret), append(ours, r.ACC), append(simple, r.Simple)
		if regret > 0.03 {
			far = append(far, fmt.Sprintf("%s %.2f, with a chance of %.2f", r.Graph, regret, r.Chance))
		}
	}
	page := string(testutil.Value(os.ReadFile("../../docs/choosing-settings.md")).OrFatal(t))
	want := strings.ReplaceAll(fmt.Sprintf("On %d real graphs, the mean ACC is %.3f; that of the luckiest is %.3f. The mean regret against it is %.3f; %d are more than .03 below it (%s)",
		len(all), stat.Mean(ours, nil), stat.Mean(simple, nil), stat.Mean(regrets, nil), len(far), strings.Join(far, "; ")), " 0.", " .")
	if !strings.Contains(page, want) {
		t.Errorf("docs/choosing-settings.md lacks %q", want)
	}
}

// TestWriteBench puts the graphs that $AGEKIT_BENCH names into the file of the bench.
func TestWriteBench(t *testing.T) {
	wanted := strings.Fields(os.Getenv("AGEKIT_BENCH"))
	if len(wanted) == 0 {
		t.Skip("AGEKIT_BENCH names no graphs, such as \"football lawyers\"")
	}
	for _, b := range realGraphs() {
		if !slices.Contains(wanted, b.name) {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			g := inUnits(b.load(t))
			s := &stored{Graph: b.name, Kind: b.kind, Nodes: g.N(), Classes: g.Classes, Edges: g.Edges()}
			s.tryNumbers(t, g)
			s.tryCandidates(t, g)
			s.put(t)
		})
	}
}

// put writes the graph into the file, in place of what it has of it.
func (s *stored) put(t *testing.T) {
	var all []json.RawMessage
	text, err := os.ReadFile(benchFile)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m json.RawMessage) bool {
		var other stored
		return json.Unmarshal(m, &other) == nil && other.Graph == s.Graph
	})
	line, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, line)
	slices.SortFunc(all, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
	var out strings.Builder
	for i, m := range all {
		out.WriteString([]string{"[\n", ",\n"}[min(i, 1)] + string(m))
	}
	if err := os.WriteFile(benchFile, []byte(out.String()+"\n]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func rounded(v float64) float64 { return math.Round(1000*v) / 1000 }

// tryNumbers measures clusterings with 2 to 20 clusters.
func (s *stored) tryNumbers(t *testing.T, g *graph.Graph) {
	ctx := t.Context()
	r := Range{2, min(20, g.N()/2)}
	clusterings := func(g *graph.Graph) (all [][]int) {
		z, err := similarityVectors(ctx, g)
		if err != nil {
			t.Fatal(err)
		}
		found, err := cluster.SpectralRange(ctx, cluster.Gram(z), r.Least, r.Most, cluster.SpectralOptions{}, rand.New(rand.NewPCG(1, 0)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			all = append(all, f.Labels)
		}
		return all
	}
	for _, clusters := range clusterings(g) {
		s.FeaturesClusters = append(s.FeaturesClusters, rounded(metric.EdgeInformation(g.Adjacency, clusters)))
	}
	rnd := rand.New(rand.NewPCG(1, 3))
	division := divide(g, rnd)
	folds := max(2, min(parts, heldOutNodes/g.N()))
	add := func(to []float64, f *fold, all [][]int) []float64 {
		to = append(to, make([]float64, max(0, len(all)-len(to)))...)[:len(all)]
		for i, clusters := range all {
			to[i] += edgeGain(f.g.Adjacency, f.edges, clusters) / float64(len(f.edges)*folds)
		}
		return to
	}
	for part := range folds {
		f, err := division.without(g, uint8(part))
		if err != nil {
			t.Fatal(err)
		}
		f.g.Features = g.Features
		s.FeaturesClustersHeldOut = add(s.FeaturesClustersHeldOut, f, clusterings(f.g))
		communities, err := joinedCommunities(ctx, f.g.Adjacency, r, rnd)
		if err != nil {
			t.Fatal(err)
		}
		s.CommunitiesHeldOut = add(s.CommunitiesHeldOut, f, communities)
	}
	for _, values := range [][]float64{s.FeaturesClustersHeldOut, s.CommunitiesHeldOut} {
		for i, v := range values {
			values[i] = rounded(v)
		}
	}
}

// tryCandidates tries all candidates without training, with all folds.
func (s *stored) tryCandidates(t *testing.T, g *graph.Graph) {
	ctx := t.Context()
	o := Options{Clusters: Exactly(s.Classes), Seed: 1, Encoder: encoder.Options{}.WithDefaults()}
	all := &search{g: g, k: s.Classes, r: &Result{}, o: o}
	candidates, err := all.finder(g).candidates(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range candidates {
		all.trials = append(all.trials, &Trial{Candidate: c})
	}
	all.forecast.start(all.plan().ahead(candidates, true, o.Encoder.Config))
	folds, first, _ := all.plan().folds()
	for i := range folds {
		if i == first {
			if err := all.compareNullModel(ctx, first); err != nil {
				t.Fatal(err)
			}
		}
		if err := all.evaluateFold(ctx, i, all.trials); err != nil {
			t.Fatal(err)
		}
	}
	found, err := all.finder(g).find(ctx, candidates)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range all.trials {
		clusters := found[trial.Candidate]
		if clusters == nil {
			continue
		}
		trial.measure(folds)
		s.Trials = append(s.Trials, storedTrial{
			Name: trial.Name(), Evidence: [3]float64{rounded(trial.Features), rounded(trial.Edges), rounded(trial.Stability)},
			ACC: rounded(metric.Accuracy(g.Labels, clusters)), ARI: rounded(metric.ARI(g.Labels, clusters)),
		})
	}
}
