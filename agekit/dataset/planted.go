package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/system"
)

func init() {
	register(&source{
		Info: Info{
			Name: "planted", Description: "a generated graph with planted classes, by default of Cora's size; " +
				"planted:n=100000,classes=10,degree=7,homophily=0.81,exponent=2.5,f=128,words=18,topic=0.4,seed=3 sets any of these",
			Source: "generated", Citation: "degree-corrected planted partition: Karrer and Newman, Phys. Rev. E 83, 016107, 2011",
		},
		load: loadPlanted,
		params: func(params string) error {
			_, err := parsePlanted(params)
			return err
		},
	})
}

// PlantedConfig describes a graph for [Planted]. A field that is 0 takes its
// default; the defaults are Cora's statistics.
type PlantedConfig struct {
	Nodes      int     // n. Default 2708.
	Classes    int     // number of classes, of equal size. Default 7.
	MeanDegree float64 // 2·edges/nodes; at 2 or more, no node is isolated. Default 3.9.
	Homophily  float64 // fraction of edges within classes, in (0, 1]. Default 0.81.
	Exponent   float64 // γ of the power law P(d) ~ d^−γ of the degrees, at least 2.01. Default 2.5.
	Features   int     // f, number of distinct words. Default 1433.
	Words      float64 // mean number of distinct words per node, at most f/4; each node has at least 1. Default 18.
	Topic      float64 // fraction of a node's words drawn from the words of its class, in (0, 1]. Default 0.26.
	Seed       uint64  // seed of the PCG source that generates everything.
}

// Planted generates a graph with planted classes: a degree-corrected planted partition
// (Karrer and Newman, Phys. Rev. E 83, 016107, 2011) with sparse binary features.
//
// The nodes of each class are ranked. An edge ends at the node of rank r with probability
// ~ (r+1)^(−1/(γ−1)), so the expected degrees follow a power law with exponent γ (Chung
// and Lu, 2002). Of the m = n·MeanDegree/2 distinct edges, Homophily·m, rounded, are
// within classes; every node gets one edge first. Word w belongs to class w mod Classes.
// A node's words are drawn with popularity P(rank r) ~ r^(−1/2), a fraction Topic of them
// from the words of its class and the rest from all. Nodes are numbered at random.
//
// Memory and time are proportional to edges plus words. A field out of range, a graph that
// needs more memory than is free, and more edges than the power law allows are errors.
func Planted(ctx context.Context, cfg PlantedConfig) (*graph.Graph, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if err := system.CheckMemory(fmt.Sprintf("planted graph of %d nodes", cfg.Nodes), cfg.bytes()); err != nil {
		return nil, err
	}
	p := &planter{PlantedConfig: cfg, ctx: ctx, rnd: rng.New(cfg.Seed, rng.Only)}
	p.node = make([]int32, p.Nodes)
	for slot := range p.node {
		p.node[slot] = int32(slot)
	}
	p.rnd.Shuffle(p.Nodes, func(a, b int) { p.node[a], p.node[b] = p.node[b], p.node[a] })

	g := &graph.Graph{Name: "planted", Labels: make([]int, p.Nodes), Classes: p.Classes}
	for slot, node := range p.node {
		g.Labels[node] = slot % p.Classes
	}
	u, v, err := p.drawEdges()
	if err != nil {
		return nil, err
	}
	g.ListedEdges = len(u)
	if g.Adjacency, err = graph.Adjacency(p.Nodes, u, v, nil); err != nil {
		return nil, err
	}
	g.Features.Sparse, err = p.drawWords(g.Labels)
	return g, err
}

// setDefaults replaces each field that is 0 by its default.
func (c *PlantedConfig) setDefaults() {
	c.Nodes = cmp.Or(c.Nodes, 2708)
	c.Classes = cmp.Or(c.Classes, 7)
	c.MeanDegree = cmp.Or(c.MeanDegree, 3.9)
	c.Homophily = cmp.Or(c.Homophily, 0.81)
	c.Exponent = cmp.Or(c.Exponent, 2.5)
	c.Features = cmp.Or(c.Features, 1433)
	c.Words = cmp.Or(c.Words, 18)
	c.Topic = cmp.Or(c.Topic, 0.26)
}

// check returns an error that names the first field that is out of range.
func (c *PlantedConfig) check() error {
	for _, rule := range []struct {
		ok          bool
		field, want string
		value       any
	}{
		{c.Nodes > 1 && c.Nodes <= math.MaxInt32, "nodes", "2 to 2³¹−1", c.Nodes},
		{c.Classes > 0 && c.Classes <= c.Nodes/2, "classes", "1 to half the nodes", c.Classes},
		{c.MeanDegree > 0 && c.MeanDegree <= float64(c.Nodes-1)/4, "mean degree", "more than 0, at most a quarter of the nodes", c.MeanDegree},
		{c.Homophily > 0 && c.Homophily <= 1, "homophily", "more than 0, at most 1", c.Homophily},
		// Closer to 2, almost all edges end at one node, and drawing them never ends.
		{c.Exponent >= 2.01 && !math.IsInf(c.Exponent, 1), "exponent", "2.01 or more", c.Exponent},
		{c.Features > 1 && c.Features >= c.Classes && c.Features <= system.MostColumns, "features", fmt.Sprintf("at least one per class, 2 to %d", system.MostColumns), c.Features},
		{c.Words > 0 && c.Words <= float64(c.Features)/4, "words", "more than 0, at most a quarter of the features", c.Words},
		{c.Topic > 0 && c.Topic <= 1, "topic", "more than 0, at most 1", c.Topic},
	} {
		if !rule.ok {
			return fmt.Errorf("planted graph: %s is %v, want %s", rule.field, rule.value, rule.want)
		}
	}
	return nil
}

// bytes returns the memory that generating the graph takes.
func (c *PlantedConfig) bytes() float64 {
	n := float64(c.Nodes)
	edges := n * c.MeanDegree / 2
	const (
		perNode    = 4 + 8 + 2*8 + 8 // its number, its label, its row pointers
		perEdge    = 8 + 2*4 + 2*4   // its key, its two ends, its two entries in the adjacency matrix
		perWord    = 4               // its column
		perFeature = 8               // its entry in lastNode of drawWords
	)
	return n*perNode + edges*perEdge + n*c.Words*perWord + float64(c.Features)*perFeature
}

// planter draws a graph. A slot is a place in a class: slot s has rank s div Classes in class
// s mod Classes, and node[s] is the number of the node there.
type planter struct {
	PlantedConfig
	ctx  context.Context
	rnd  *rand.Rand
	node []int32
}

// drawEdges draws the edges within and between classes, and returns the two ends of each: u[e] and v[e].
func (p *planter) drawEdges() (u, v []int32, err error) {
	m := int(math.Round(float64(p.Nodes) * p.MeanDegree / 2)) // the number of edges
	mostWithin := m
	if p.Classes > 1 {
		mostWithin = int(math.Round(float64(m) * p.Homophily))
	}
	mostBetween := m - mostWithin
	within, between := make([]uint64, 0, mostWithin), make([]uint64, 0, mostBetween)
	if m >= p.Nodes { // enough for an edge of each node
		for slot := range p.Nodes {
			if len(between) == mostBetween || (len(within) < mostWithin && p.rnd.Float64() < p.Homophily) {
				within = append(within, p.drawEdge(slot, true))
			} else {
				between = append(between, p.drawEdge(slot, false))
			}
		}
	}
	const sameClass, otherClass = true, false
	if within, err = p.addUntil(within, mostWithin, sameClass); err != nil {
		return nil, nil, err
	}
	if between, err = p.addUntil(between, mostBetween, otherClass); err != nil {
		return nil, nil, err
	}
	u, v = make([]int32, 0, m), make([]int32, 0, m)
	for _, list := range [][]uint64{within, between} {
		for _, key := range list { // see drawEdge
			u, v = append(u, int32(key>>32)), append(v, int32(uint32(key)))
		}
	}
	return u, v, nil
}

const (
	// mostRounds is how often addUntil replaces duplicate edges, at most.
	mostRounds = 200
	// addUntil gives up early if more than mostMissing edges are missing now, and more than
	// mostExpected would be after the last round.
	mostMissing, mostExpected = 1000, 10
)

// addUntil adds random edges, within classes or between them, until edges has count distinct
// ones, and returns these, sorted. It reorders the caller's slice. Each round removes duplicates
// and draws as many edges again. Sorting finds the duplicates, since a hash table of all edges
// would take more memory. It returns an error if not enough distinct edges can be found.
func (p *planter) addUntil(edges []uint64, count int, within bool) ([]uint64, error) {
	missing := count
	for round := 0; ; round++ {
		slices.Sort(edges)
		edges = slices.Compact(edges)
		if len(edges) == count {
			return edges, nil
		}
		// If the number of missing edges shrinks by the same factor in each further round,
		// this many are missing after the last one. In fact it shrinks less and less.
		before := missing
		missing = count - len(edges)
		shrinks := float64(missing) / float64(before)
		expected := float64(missing) * math.Pow(shrinks, float64(mostRounds-round))
		hopeless := round > 0 && missing > mostMissing && expected > mostExpected
		if round == mostRounds || hopeless {
			return nil, fmt.Errorf("planted graph: mean degree %v is too high for %d nodes in %d classes with exponent %v",
				p.MeanDegree, p.Nodes, p.Classes, p.Exponent)
		}
		for k := 0; len(edges) < count; k++ {
			if k%contextEvery == 0 && p.ctx.Err() != nil {
				return nil, p.ctx.Err()
			}
			edges = append(edges, p.drawEdge(p.drawSlot(p.drawClass()), within))
		}
	}
}

// contextEvery is the number of edges, nodes or lines after which a loop asks the context again.
const contextEvery = 1 << 14

// drawClass draws a class with a probability proportional to its number of nodes.
func (p *planter) drawClass() int { return p.rnd.IntN(p.Nodes) % p.Classes }

// drawEdge draws a random other slot, inside the class of the given slot if within is true and
// outside it otherwise. It returns the edge between the two slots' nodes as a key: the smaller
// node's number in the upper 32 bits, the larger one's in the lower.
func (p *planter) drawEdge(slot int, within bool) uint64 {
	class, other := slot%p.Classes, slot
	for other == slot {
		if within {
			other = p.drawSlot(class)
			continue
		}
		if c := p.drawClass(); c != class {
			other = p.drawSlot(c)
		}
	}
	i, j := p.node[slot], p.node[other]
	return uint64(min(i, j))<<32 | uint64(max(i, j))
}

// ofClass returns how many of the numbers 0 to total−1 belong to a class: those that are class
// modulo Classes. Slots and words are divided among the classes like this.
func (p *planter) ofClass(class, total int) int { return (total - class + p.Classes - 1) / p.Classes }

// drawSlot draws a slot of a class: rank r with probability ~ (r+1)^(−a), a = 1/(γ−1).
func (p *planter) drawSlot(class int) int {
	size := p.ofClass(class, p.Nodes)
	// The distribution function of the rank is about (r/size)^(1−a). Its inverse, applied to a
	// uniform number, gives a rank; 1/(1−a) = (γ−1)/(γ−2).
	rank := int(float64(size) * math.Pow(p.rnd.Float64(), (p.Exponent-1)/(p.Exponent-2)))
	return class + p.Classes*min(rank, size-1)
}

// drawWords draws the words of each node, and returns them as the matrix of features. labels
// has the class of each node. A node's number of words is normal, with mean and variance Words,
// but at least 1 and at most half the features.
func (p *planter) drawWords(labels []int) (*graph.CSR, error) {
	const spare = 1.02 // a little more than the mean number, so that appending rarely copies
	capacity := int(spare*float64(p.Nodes)*p.Words) + p.Features
	x := &graph.CSR{Rows: p.Nodes, Cols: p.Features, Indptr: make([]int, 1, p.Nodes+1), Indices: make([]int32, 0, capacity)}
	lastNode := make([]int, p.Features) // of each word: 1 + the last node that has it, 0 if none has
	for i, class := range labels {
		if i%contextEvery == 0 && p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
		count := int(math.Round(p.Words + math.Sqrt(p.Words)*p.rnd.NormFloat64()))
		start := len(x.Indices)
		for range min(max(count, 1), (p.Features+1)/2) {
			word := p.drawWord(class)
			// A word that the node has already is replaced by any other, whatever its class and
			// popularity: a topic with few words would need too many draws.
			for lastNode[word] == i+1 {
				word = p.rnd.IntN(p.Features)
			}
			lastNode[word] = i + 1
			x.Indices = append(x.Indices, int32(word))
		}
		slices.Sort(x.Indices[start:])
		x.Indptr = append(x.Indptr, len(x.Indices))
	}
	return x, nil
}

// drawWord draws a word for a node of a class: with probability Topic one of the class's words,
// and otherwise one of all. Among these, the word at rank r has probability ~ r^(−1/2): so is a
// rank distributed that is proportional to the square of a uniform number.
func (p *planter) drawWord(class int) int {
	uniform := p.rnd.Float64()
	if p.rnd.Float64() < p.Topic {
		topicWords := p.ofClass(class, p.Features)
		return class + p.Classes*int(float64(topicWords)*uniform*uniform)
	}
	return int(float64(p.Features) * uniform * uniform)
}

// loadPlanted is the load function of planted (see source.load): it generates the graph that params
// describe, without source or files.
func loadPlanted(ctx context.Context, _ *source, params string, _ Options) (*graph.Graph, error) {
	cfg, err := parsePlanted(params)
	if err != nil {
		return nil, err
	}
	g, err := Planted(ctx, cfg)
	if err == nil {
		g.Name = "" // so that Open uses the name with the parameters
	}
	return g, err
}

// parsePlanted returns the configuration that parameters such as "n=1000,classes=3" describe. A
// parameter other than the seed must not be 0, since 0 stands for the default in PlantedConfig.
func parsePlanted(params string) (cfg PlantedConfig, err error) {
	if params == "" {
		return cfg, nil
	}
	parameters := map[string]any{
		"n": &cfg.Nodes, "classes": &cfg.Classes, "f": &cfg.Features, "seed": &cfg.Seed, "topic": &cfg.Topic, "words": &cfg.Words,
		"degree": &cfg.MeanDegree, "homophily": &cfg.Homophily, "exponent": &cfg.Exponent,
	}
	given := make(map[string]bool)
	for field := range strings.SplitSeq(params, ",") {
		key, value, _ := strings.Cut(field, "=")
		want, zero := "a number written in digits only", false
		switch p := parameters[key].(type) {
		case *int:
			*p, err = strconv.Atoi(value)
			zero = *p == 0
		case *float64:
			want = "a number"
			*p, err = strconv.ParseFloat(value, 64)
			zero = *p == 0
		case *uint64:
			*p, err = strconv.ParseUint(value, 10, 64)
		default:
			return cfg, fmt.Errorf("parameter %s, want one of n, classes, degree, homophily, exponent, f, words, topic, seed", message.Quote(field))
		}
		switch {
		case err != nil || strings.ContainsAny(value, "xX_"):
			return cfg, fmt.Errorf("parameter %s: want %s", message.Quote(field), want)
		case zero:
			return cfg, fmt.Errorf("parameter %s: want more than 0", message.Quote(field))
		case given[key]:
			return cfg, fmt.Errorf("parameter %s: %s is given twice", message.Quote(field), key)
		}
		given[key] = true
	}
	return cfg, nil
}
