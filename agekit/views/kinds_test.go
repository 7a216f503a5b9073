package views_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/community"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
)

// planted returns a graph of persons and items in four groups, whose nodes are in a random order, with
// the kinds of its nodes, the group of each, and which nodes are persons. Each person has degree edges
// to items. With probability sameGroup an edge leads to an item of the person's group, and otherwise to
// any item. Two more nodes have no edges and no kind. The features tell only the kinds apart.
func planted(t *testing.T, persons, items, degree int, sameGroup float64, seed uint64) (g *graph.Graph, kinds *graph.Kinds, groups []int, isPerson []bool) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	n := persons + items + 2
	place := rnd.Perm(n)
	kinds = &graph.Kinds{Of: slices.Repeat([]int8{graph.NoKind}, n)}
	groups, isPerson = make([]int, n), make([]bool, n)
	for i := range persons + items {
		node := place[i]
		groups[node] = i % 4
		isPerson[node] = i < persons
		kinds.Of[node] = 0
		if !isPerson[node] {
			kinds.Of[node] = 1
		}
	}
	var u, v []int32
	for i := range persons {
		for range degree {
			j, same := persons+rnd.IntN(items), rnd.Float64() < sameGroup
			for same && j%4 != i%4 {
				j = persons + rnd.IntN(items)
			}
			u, v = append(u, int32(place[i])), append(v, int32(place[j]))
		}
	}
	a := testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t)
	x := linalg.New(n, 2) // the kind, and noise
	for i := range n {
		x.Data[i*x.Stride] = float32(kinds.Of[i])
		x.Data[i*x.Stride+1] = rnd.Float32()
	}
	return &graph.Graph{Adjacency: a, Features: graph.Features{Dense: &x}, NodeNames: nodeNames(n)}, kinds, groups, isPerson
}

// nodeNames returns n different names that are not sorted.
func nodeNames(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("n%03d", (i*7)%n))
	}
	return names
}

// selected returns the values of those nodes i for which chosen[i] is true.
func selected(values []int, chosen []bool) (some []int) {
	for i, v := range values {
		if chosen[i] {
			some = append(some, v)
		}
	}
	return some
}

// TestTwoKindsPlanted: with four clusters, as there are groups, and with the useful number, clusters of
// the edges find the groups of the persons, and no cluster has nodes of only one kind. That plain
// Leiden, without kinds, finds the groups, too, is a precondition.
func TestTwoKindsPlanted(t *testing.T) {
	for seed := range uint64(3) {
		g, kinds, groups, isPerson := planted(t, 300, 120, 6, 0.7, seed)
		plain, _, err := community.Leiden(t.Context(), g.Adjacency, community.LeidenOptions{}, rand.New(rand.NewPCG(1, 0)))
		testutil.NoError(t, err)
		leiden := metric.Accuracy(selected(groups, isPerson), selected(plain, isPerson))
		if leiden < 0.9 {
			t.Fatalf("plain Leiden has %.3f: the graph shows nothing", leiden)
		}
		f := views.NewFinder(g, views.Source{Kinds: kinds}, 2, 1)
		number, err := f.Number(t.Context(), views.Any())
		testutil.NoError(t, err)
		if number.Useful < 4 || number.Useful > 5 {
			t.Errorf("seed %d: %d is a useful number", seed, number.Useful)
		}
		for _, k := range []int{4, number.Useful} {
			clusters, err := f.Clusters(t.Context(), views.Edges, k)
			testutil.NoError(t, err)
			acc := metric.Accuracy(selected(groups, isPerson), selected(clusters, isPerson))
			t.Logf("seed %d, %d clusters: persons' ACC %.3f, of plain Leiden %.3f", seed, k, acc, leiden)
			if acc < 0.9 {
				t.Errorf("seed %d, %d clusters: persons' ACC %.3f", seed, k, acc)
			}
			persons, items, others := make([]int, k+1), make([]int, k+1), make([]int, k+1) // of each cluster
			for i, c := range clusters {
				switch kinds.Of[i] {
				case graph.NoKind:
					others[c]++
				case 0:
					persons[c]++
				case 1:
					items[c]++
				}
			}
			for c := range persons {
				isOneKind := (persons[c] == 0) != (items[c] == 0)
				if others[c] == 0 && isOneKind {
					t.Errorf("seed %d: cluster %d has %d persons and %d items", seed, c, persons[c], items[c])
				}
			}
		}
	}
}

// TestTwoKindsViews: a graph with two kinds of nodes does not have the view Unlike, which would find the
// kinds, and Check refuses it. Its default view is Edges, even with many columns of features. That the
// same graph without kinds has Unlike, and AGE as default, is a precondition.
func TestTwoKindsViews(t *testing.T) {
	g, kinds, _, _ := planted(t, 100, 40, 6, 0.2, 1)
	names := func(s views.Source) []views.Name {
		return testutil.Value(views.NewFinder(g, s, 2, 1).Names(t.Context())).OrFatal(t)
	}
	if got := names(views.Source{}); !slices.Contains(got, views.Unlike) {
		t.Errorf("views without kinds are %v: the graph shows nothing", got)
	}
	two := views.Source{Kinds: kinds}
	if got := names(two); !slices.Equal(got, []views.Name{views.Features, views.Edges, views.Both}) {
		t.Errorf("views %v", got)
	}
	if err := views.Check(g, two, views.Unlike); err == nil || !strings.Contains(err.Error(), "view is unlike: the nodes are of two kinds, and each edge joins one of each: want edges") {
		t.Errorf("error %v", err)
	}
	many := linalg.New(g.N(), 150)
	g.Features.Dense = &many
	if got, plain := views.Default(g, two), views.Default(g, views.Source{}); got != views.Edges || plain != views.AGE {
		t.Errorf("default %s, and %s without kinds", got, plain)
	}
}

// southernWomen has the women of a Southern town, the group of each in Freeman's consensus of 21
// analyses, and the events that they took part in (Davis, Gardner and Gardner, "Deep South", 1941).
const southernWomen = `Evelyn_Jefferson A 1 2 3 4 5 6 8 9
Laura_Mandeville A 1 2 3 5 6 7 8
Theresa_Anderson A 2 3 4 5 6 7 8 9
Brenda_Rogers A 1 3 4 5 6 7 8
Charlotte_McDowd A 3 4 5 7
Frances_Anderson A 3 5 6 8
Eleanor_Nye A 5 6 7 8
Pearl_Oglethorpe A 6 8 9
Ruth_DeSand A 5 7 8 9
Verne_Sanderson B 7 8 9 12
Myra_Liddel B 8 9 10 12
Katherina_Rogers B 8 9 10 12 13 14
Sylvia_Avondale B 7 8 9 10 12 13 14
Nora_Fayette B 6 7 9 10 11 12 13 14
Helen_Lloyd B 7 8 10 11 12
Dorothy_Murchison B 8 9
Olivia_Carleton B 9 11
Flora_Price B 9 11
`

// TestWomen: two clusters of the women and events have the women of Freeman's two groups, all but one at
// most, for each of five seeds. The kinds that are given are those that the structure of the edges shows.
func TestWomen(t *testing.T) {
	const women, events = 18, 14
	kinds := &graph.Kinds{Of: make([]int8, women+events)}
	isWoman, groups := make([]bool, women+events), make([]int, women+events)
	var u, v []int32
	for i, line := range strings.Split(strings.TrimSpace(southernWomen), "\n") {
		fields := strings.Fields(line)
		isWoman[i] = true
		groups[i] = int(fields[1][0] - 'A')
		for _, field := range fields[2:] {
			event := testutil.Value(strconv.Atoi(field)).OrFatal(t)
			u, v = append(u, int32(i)), append(v, int32(women+event-1))
		}
	}
	for j := range events {
		kinds.Of[women+j] = 1
	}
	a := testutil.Value(graph.Adjacency(women+events, u, v, nil)).OrFatal(t)
	if structure := graph.TwoKinds(a); a.NNZ()/2 != 89 || structure == nil || !slices.Equal(structure.Of, kinds.Of) {
		t.Errorf("%d edges; by their structure, kinds %v", a.NNZ()/2, structure)
	}
	for seed := range uint64(5) {
		f := views.NewFinder(&graph.Graph{Adjacency: a}, views.Source{Structural: true, Kinds: kinds}, 0, seed)
		clusters := testutil.Value(f.Clusters(t.Context(), views.Edges, 2)).OrFatal(t)
		if acc := metric.Accuracy(selected(groups, isWoman), selected(clusters, isWoman)); acc < 17./18 {
			t.Errorf("seed %d: ACC %.3f: %v", seed, acc, clusters)
		}
	}
}

// TestPersonsOfEvents: the groups of 90 persons, who come to about a third of the events of their own
// group and rarely to others, are found by three clusters of the edges, and by the useful number of
// clusters.
func TestPersonsOfEvents(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	var u, v []int32
	const persons, events = 90, 30
	const n = persons + events
	kinds := &graph.Kinds{Of: make([]int8, n)}
	isPerson, groups := make([]bool, n), make([]int, n)
	for j := range events {
		kinds.Of[persons+j] = 1
	}
	for i := range persons {
		isPerson[i] = true
		groups[i] = i % 3
		for j := range events {
			share := 0.04
			if i%3 == j%3 {
				share = 0.35
			}
			if rnd.Float64() < share {
				u, v = append(u, int32(i)), append(v, int32(persons+j))
			}
		}
	}
	g := &graph.Graph{Adjacency: testutil.Value(graph.Adjacency(n, u, v, nil)).OrFatal(t), NodeNames: nodeNames(n)}
	f := views.NewFinder(g, views.Source{Structural: true, Kinds: kinds}, 0, 1)
	found := testutil.Value(f.Number(t.Context(), views.Range{Least: 2, Most: 8})).OrFatal(t)
	for _, k := range []int{3, found.Useful} {
		clusters := testutil.Value(f.Clusters(t.Context(), views.Edges, k)).OrFatal(t)
		if acc := metric.Accuracy(selected(groups, isPerson), selected(clusters, isPerson)); acc < 0.9 {
			t.Errorf("%d clusters: ACC of the persons %.3f", k, acc)
		}
	}
}
