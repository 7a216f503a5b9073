package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
)

// TestAssign compares the clusters with those from the definition: for each node, sums over
// the other nodes, and logarithms one by one.
func TestAssign(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 0))
	const n, f, k = 90, 14, 3
	x := blas32.General{Rows: n, Cols: f, Stride: f, Data: make([]float32, n*f)}
	labels := make([]int, n)
	var u, v []int32
	for i := range n {
		labels[i] = rnd.IntN(k)
		for j := range f {
			switch p := 0.1 + 0.25*float64((labels[i]+j)%k); {
			case j >= 10: // numbers
				x.Data[i*f+j] = float32(rnd.NormFloat64() + float64(labels[i]))
			case rnd.Float64() < p: // words
				x.Data[i*f+j] = float32(1 + rnd.IntN(3))
			}
		}
		for j := range i {
			if rnd.Float64() < 0.03 || labels[i] == labels[j] && rnd.Float64() < 0.1 {
				u, v = append(u, int32(i)), append(v, int32(j))
			}
		}
	}
	a, err := graph.Adjacency(n, u, v, nil)
	if err != nil {
		t.Fatal(err)
	}
	clusters := slices.Clone(labels)
	for range n / 4 {
		clusters[rnd.IntN(n)] = rnd.IntN(k)
	}
	count := shares{features: 0.7, edges: 0.4}
	for name, features := range map[string]graph.Features{"dense": {Dense: &x}, "sparse": {Sparse: graph.FromDense(x)}} {
		g := &graph.Graph{Adjacency: a, Features: features}
		c := newColumnStats(features)
		got, err := assign(t.Context(), g, c, count, clusters, k)
		if err != nil {
			t.Fatal(err)
		}
		want := assignByDefinition(g, c, count, clusters, k)
		if !slices.Equal(got, want) {
			t.Errorf("%s: clusters %v, want %v", name, got, want)
		}
		if slices.Equal(got, clusters) {
			t.Errorf("%s: no node moves", name)
		}
	}
}

func assignByDefinition(g *graph.Graph, c columnStats, s shares, clusters []int, k int) []int {
	x := g.Features.ToDense()
	n, f := x.Rows, x.Cols
	_, alpha := newSums(g.Features, c, clusters, k, nil).bestWordGain()
	within := make([]float64, f)
	for j := range f {
		for a := range k {
			sum, size := 0., 0.
			for i := range n {
				if clusters[i] == a {
					sum, size = sum+float64(x.Data[i*f+j]), size+1
				}
			}
			for i := range n {
				if clusters[i] == a {
					within[j] += math.Pow(float64(x.Data[i*f+j])-sum/size, 2) / float64(n-k)
				}
			}
		}
	}
	words := 0.
	for j := range f {
		if c.isWord[j] {
			words += float64(c.count[j])
		}
	}
	next := make([]int, n)
	for i := range n {
		best := math.Inf(-1)
		for a := range k {
			size, draws, sums := 0., 0., make([]float64, f)
			for m := range n {
				if clusters[m] != a {
					continue
				}
				size++
				if m == i {
					continue
				}
				for j := range f {
					v := float64(x.Data[m*f+j])
					if c.isWord[j] && v != 0 {
						v = 1
						draws++
					}
					sums[j] += v
				}
			}
			others := size
			if clusters[i] == a {
				others--
			}
			score := math.Log(size / float64(n))
			for j := range f {
				v := float64(x.Data[i*f+j])
				switch share := float64(c.count[j]) / words; {
				case !c.isWord[j]:
					score -= s.features * math.Pow(v-sums[j]/others, 2) / (2 * within[j])
				case v != 0:
					score += s.features * math.Log((sums[j]+alpha*share)/(draws+alpha)/share)
				}
			}
			for b := range k {
				joint, degrees, total := 0., [2]float64{}, 0. // of the other nodes
				for p := range n {
					for q, w := range g.Adjacency.Each(p) {
						total += float64(w)
						if p == i {
							continue
						}
						if clusters[p] == a {
							degrees[0] += float64(w)
						}
						if clusters[p] == b {
							degrees[1] += float64(w)
						}
						if int(q) != i && clusters[p] == a && clusters[q] == b {
							joint += float64(w)
						}
					}
				}
				ratio := math.Log((joint + 1) / (degrees[0]*degrees[1]/total + 1))
				for j, w := range g.Adjacency.Each(i) {
					if clusters[j] == b {
						score += s.edges * float64(w) * ratio
					}
				}
			}
			if score > best {
				best, next[i] = score, a
			}
		}
	}
	return next
}

// TestKeepClusters: a cluster that would be empty keeps its nodes; so does one that had only
// nodes of such a cluster left.
func TestKeepClusters(t *testing.T) {
	cluster := []int{0, 0, 1, 1, 2, 2, 2}
	for _, test := range []struct{ next, want []int }{
		{[]int{0, 1, 1, 1, 2, 2, 0}, []int{0, 1, 1, 1, 2, 2, 0}}, // none is empty
		{[]int{2, 2, 1, 1, 0, 2, 2}, []int{2, 2, 1, 1, 0, 2, 2}}, // 0 has another's node
		{[]int{2, 2, 1, 1, 2, 2, 1}, []int{0, 0, 1, 1, 2, 2, 1}},
		{[]int{1, 1, 2, 2, 2, 2, 2}, []int{0, 0, 1, 1, 2, 2, 2}},
	} {
		keepClusters(cluster, test.next, 3)
		if !slices.Equal(test.next, test.want) {
			t.Errorf("clusters %v, want %v", test.next, test.want)
		}
	}
}

// TestRefine: clusters of planted graphs, a fifth of which was drawn anew, become good
// again, also where edges join different classes.
func TestRefine(t *testing.T) {
	for _, kind := range []featureKind{wordKind, numberKind, categoryKind} {
		for _, mixing := range []mixing{alike, ring} {
			g, err := generateFamily(familyConfig{
				Nodes: 400, Classes: 4, Degree: 10, Mixing: mixing, Signal: 0.7, Kind: kind, Features: 40, Separation: 0.5, Seed: 3,
			})
			if err != nil {
				t.Fatal(err)
			}
			rnd := rand.New(rand.NewPCG(1, 0))
			clusters := slices.Clone(g.Labels)
			for i := range clusters {
				if rnd.IntN(5) == 0 {
					clusters[i] = rnd.IntN(4)
				}
			}
			refined, err := refine(t.Context(), g, nil, shares{1, 1}, clusters, true)
			if err != nil {
				t.Fatal(err)
			}
			before, after := metric.Accuracy(g.Labels, clusters), metric.Accuracy(g.Labels, refined)
			if after < 0.93 {
				t.Errorf("%s, %s: ACC %.3f before, %.3f after", kind, mixing, before, after)
			}
		}
	}
}

// TestUnrelated: of features that follow the classes and noise, only noise is left out of
// the refinement, which finds more nodes' classes without it.
func TestUnrelated(t *testing.T) {
	for name, test := range map[string]struct {
		familyConfig
		least int
	}{
		"numbers":       {familyConfig{Kind: numberKind, Degree: 8, Signal: 0.7, Features: 6, Separation: 0.9, Noise: 60}, 50},
		"nothing known": {familyConfig{Kind: wordKind, Degree: 6, Signal: 0.6, Features: 400}, 100},
	} {
		c := test.familyConfig
		c.Nodes, c.Classes, c.Mixing, c.Seed = 400, 8, alike, 5
		g, err := generateFamily(c)
		if err != nil {
			t.Fatal(err)
		}
		trial := &Trial{Candidate: Candidate{Data: edgesAlone, Clustering: spectral}}
		s := &search{g: g, r: &Result{}, k: g.Classes}
		for i := range 2 * parts {
			if err := s.evaluateFold(t.Context(), i, []*Trial{trial}); err != nil {
				t.Fatal(err)
			}
		}
		unrelated := s.unrelated([]*Trial{trial})
		if len(unrelated) < test.least || c.Separation > 0 && unrelated[0] < c.Features {
			t.Errorf("%s: the unrelated columns are %v, want %d or more, from %d on", name, unrelated, test.least, c.Features)
		}
		found, err := s.finder(g).find(t.Context(), []Candidate{trial.Candidate})
		if err != nil {
			t.Fatal(err)
		}
		var acc []float64
		for _, out := range [][]int{nil, unrelated} {
			refined, err := refine(t.Context(), g, out, shares{1, 1}, found[trial.Candidate], true)
			if err != nil {
				t.Fatal(err)
			}
			acc = append(acc, metric.Accuracy(g.Labels, refined))
		}
		t.Logf("%s: %d unrelated; ACC %.3f with them, %.3f without", name, len(unrelated), acc[0], acc[1])
		if acc[1] <= acc[0] {
			t.Errorf("%s: ACC %.3f with unrelated columns, %.3f without", name, acc[0], acc[1])
		}
	}
}

// TestUnrelatedUnless: two categories alone tell the classes apart. Without one of them,
// other clusters are found, which tell less than nothing about it. It is not unrelated.
func TestUnrelatedUnless(t *testing.T) {
	g, err := generateFamily(familyConfig{Nodes: 400, Classes: 3, Mixing: alike, Degree: 6, Spread: 1, Signal: 0.4,
		Kind: categoryKind, Features: 8, Separation: 1.5, Noise: 80, Seed: 7039})
	if err != nil {
		t.Fatal(err)
	}
	trial := &Trial{Candidate: Candidate{Data: smoothedFeatures, Clustering: kMeans}}
	s := &search{g: g, r: &Result{}, k: g.Classes}
	for i := range 2 * parts {
		if err := s.evaluateFold(t.Context(), i, []*Trial{trial}); err != nil {
			t.Fatal(err)
		}
	}
	if unrelated := s.unrelated([]*Trial{trial}); len(unrelated) < 20 || unrelated[0] < 8 {
		t.Errorf("the unrelated columns are %v, want 20 or more, from 8 on", unrelated)
	}
}
