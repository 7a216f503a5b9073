package auto

// This part generates attributed graphs whose classes are known, in families that
// differ in one respect each: how much the edges tell about the classes, and in which way,
// how much the features tell, of which kind they are, and what else is in them. The rule
// that chooses settings without labels is developed and measured on them,
// with one family left out at a time.

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/agekit/age/agekit/graph"
)

// mixing says which classes the edges join.
type mixing string

const (
	alike  mixing = "alike"  // nodes of one class
	unlike mixing = "unlike" // nodes of two classes, any two
	ring   mixing = "ring"   // a class with the next one
	nearby mixing = "nearby" // each node with those that have the nearest features
)

// featureKind is the kind of the features.
type featureKind string

const (
	wordKind     featureKind = "words"    // sparse and binary, with few of many in a node
	countKind    featureKind = "counts"   // sparse and bursty: a word that occurs, occurs again
	denseKind    featureKind = "dense"    // binary, a third to a half of them 1
	numberKind   featureKind = "numbers"  // normal
	factorKind   featureKind = "factors"  // normal, with correlations within the classes
	categoryKind featureKind = "category" // columns that are one-hot
)

// familyConfig describes a graph.
type familyConfig struct {
	Family         string
	Nodes, Classes int
	// Imbalance is the ratio of the sizes of the largest and the smallest class.
	Imbalance float64
	// Degree is the mean degree, and Spread the deviation of the logarithm of the
	// expected degrees.
	Degree, Spread float64
	Mixing         mixing
	// Signal is the share of edges that follow Mixing; the others join any two nodes.
	Signal float64
	Kind   featureKind
	// Features is their number. Separation says how far apart the classes are: for
	// numbers, the deviation of their means in units of that within the classes; for
	// others, the share of a node's entries that its class draws.
	Features   int
	Separation float64
	// Noise is the number of further columns of the same kind that tell nothing.
	Noise int
	Seed  uint64
}

// Name names the graph.
func (c familyConfig) Name() string {
	return fmt.Sprintf("%s-n%d-k%d-b%g-d%g-%s%g-%s%d-s%g-x%d-r%d", c.Family, c.Nodes, c.Classes, c.Imbalance, c.Degree, c.Mixing, c.Signal, c.Kind, c.Features, c.Separation, c.Noise, c.Seed)
}

// generateFamily generates the graph. The same configuration gives the same graph.
func generateFamily(c familyConfig) (*graph.Graph, error) {
	rnd := rand.New(rand.NewPCG(c.Seed, 7))
	g := &graph.Graph{Name: c.Name(), Classes: c.Classes, Labels: c.labels(rnd)}
	x := c.features(rnd, g.Labels)
	if c.Kind == categoryKind {
		for j := range x.Cols {
			g.FeatureNames = append(g.FeatureNames, fmt.Sprintf("column %d = %d", j/4, j%4))
		}
	}
	if c.Kind == wordKind || c.Kind == countKind {
		g.Features.Sparse = graph.FromDense(x)
	} else {
		g.Features.Dense = &x
	}
	var u, v []int32
	if c.Mixing == nearby {
		u, v = c.nearest(rnd, x)
	} else {
		u, v = c.edges(rnd, g.Labels)
	}
	var err error
	g.Adjacency, err = graph.Adjacency(c.Nodes, u, v, nil)
	return g, err
}

// labels draws classes whose sizes form a geometric sequence.
func (c familyConfig) labels(rnd *rand.Rand) []int {
	sizes := make([]float64, c.Classes)
	for k := range sizes {
		sizes[k] = math.Pow(max(c.Imbalance, 1), -float64(k)/float64(max(1, c.Classes-1)))
	}
	labels := make([]int, c.Nodes)
	for i := range labels {
		if i < 2*c.Classes {
			labels[i] = i % c.Classes
			continue
		}
		labels[i] = draw(rnd, sizes)
	}
	rnd.Shuffle(len(labels), func(a, b int) { labels[a], labels[b] = labels[b], labels[a] })
	return labels
}

// draw draws an index with a probability in proportion to its weight.
func draw(rnd *rand.Rand, weights []float64) int {
	sum := 0.
	for _, w := range weights {
		sum += w
	}
	at := rnd.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// edges draws edges by a degree-corrected block model.
func (c familyConfig) edges(rnd *rand.Rand, labels []int) (u, v []int32) {
	members, weights := make([][]int, c.Classes+1), make([][]float64, c.Classes+1) // the last has all nodes
	for i, l := range labels {
		w := math.Exp(c.Spread * rnd.NormFloat64())
		for _, k := range []int{l, c.Classes} {
			last := 0.
			if len(weights[k]) > 0 {
				last = weights[k][len(weights[k])-1]
			}
			members[k], weights[k] = append(members[k], i), append(weights[k], last+w)
		}
	}
	node := func(k int) int {
		at := rnd.Float64() * weights[k][len(weights[k])-1]
		lo, hi := 0, len(weights[k])-1
		for lo < hi {
			if mid := (lo + hi) / 2; weights[k][mid] > at {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		return members[k][lo]
	}
	seen := map[[2]int]bool{}
	for try, want := 0, int(float64(c.Nodes)*c.Degree/2); len(u) < want && try < 50*want; try++ {
		i, to := node(c.Classes), c.Classes
		if rnd.Float64() < c.Signal {
			switch c.Mixing {
			case alike:
				to = labels[i]
			case unlike:
				to = (labels[i] + 1 + rnd.IntN(c.Classes-1)) % c.Classes
			case ring:
				to = (labels[i] + 1) % c.Classes
			}
		}
		j := node(to)
		if key := [2]int{min(i, j), max(i, j)}; i != j && !seen[key] {
			seen[key] = true
			u, v = append(u, int32(i)), append(v, int32(j))
		}
	}
	return u, v
}

// nearest joins each node with Degree/2 nodes that have the nearest features, or, for a
// share of 1 − Signal of the edges, with any.
func (c familyConfig) nearest(rnd *rand.Rand, x blas32.General) (u, v []int32) {
	k := max(1, int(c.Degree/2))
	for i := range c.Nodes {
		near, best := make([]int, 0, k+1), make([]float64, 0, k+1)
		for j := range c.Nodes {
			if j == i {
				continue
			}
			d := 0.
			for p := range x.Cols {
				e := float64(x.Data[i*x.Stride+p] - x.Data[j*x.Stride+p])
				d += e * e
			}
			at := len(best)
			for at > 0 && best[at-1] > d {
				at--
			}
			if at < k {
				near, best = append(near, 0), append(best, 0)
				copy(near[at+1:], near[at:])
				copy(best[at+1:], best[at:])
				near[at], best[at] = j, d
				near, best = near[:min(k, len(near))], best[:min(k, len(best))]
			}
		}
		for _, j := range near {
			if rnd.Float64() >= c.Signal {
				if j = rnd.IntN(c.Nodes); j == i {
					continue
				}
			}
			u, v = append(u, int32(i)), append(v, int32(j))
		}
	}
	return u, v
}

// features draws the features: first those that the classes decide, then noise.
func (c familyConfig) features(rnd *rand.Rand, labels []int) blas32.General {
	f := c.Features + c.Noise
	x := blas32.General{Rows: c.Nodes, Cols: f, Stride: f, Data: make([]float32, c.Nodes*f)}
	switch c.Kind {
	case wordKind, countKind:
		c.words(rnd, labels, x)
	case denseKind:
		c.dense(rnd, labels, x)
	case numberKind, factorKind:
		c.numbers(rnd, labels, x)
	case categoryKind:
		c.categories(rnd, labels, x)
	}
	return x
}

// words draws about 18 words a node, by popularity; a share of Separation comes from the
// words of the class.
func (c familyConfig) words(rnd *rand.Rand, labels []int, x blas32.General) {
	rank := func(n int) int { return int(float64(n) * math.Pow(rnd.Float64(), 2)) } // density ~ r^−½
	poisson := distuv.Poisson{Lambda: 17, Src: rnd}
	for i, l := range labels {
		row := x.Data[i*x.Stride:][:x.Cols]
		for range 1 + int(poisson.Rand()) {
			w := rank(x.Cols)
			if rnd.Float64() < c.Separation {
				w = l + c.Classes*rank(c.Features/c.Classes)
			}
			row[w]++
			if c.Kind == wordKind {
				row[w] = 1
			}
			for c.Kind == countKind && rnd.Float64() < 0.6 {
				row[w]++
			}
		}
	}
}

// dense draws binary features with a probability of .2 to .6 each, which Separation
// changes from class to class.
func (c familyConfig) dense(rnd *rand.Rand, labels []int, x blas32.General) {
	base, shift := make([]float64, x.Cols), make([]float64, c.Classes*x.Cols)
	for j := range base {
		base[j] = .2 + .4*rnd.Float64()
		for k := range c.Classes {
			if j < c.Features {
				shift[k*x.Cols+j] = c.Separation * (rnd.Float64() - .5)
			}
		}
	}
	for i, l := range labels {
		for j := range x.Cols {
			if rnd.Float64() < base[j]+shift[l*x.Cols+j] {
				x.Data[i*x.Stride+j] = 1
			}
		}
	}
}

// numbers draws normal numbers, with random means of the classes. Factors have half of
// their variance within the classes in three directions.
func (c familyConfig) numbers(rnd *rand.Rand, labels []int, x blas32.General) {
	const factors = 3
	means, loads := make([]float64, c.Classes*x.Cols), make([]float64, factors*x.Cols)
	for p := range means {
		if p%x.Cols < c.Features {
			means[p] = c.Separation * rnd.NormFloat64()
		}
	}
	if c.Kind == factorKind {
		for p := range loads {
			loads[p] = rnd.NormFloat64() / math.Sqrt(factors)
		}
	}
	for i, l := range labels {
		var at [factors]float64
		for q := range at {
			at[q] = rnd.NormFloat64()
		}
		for j := range x.Cols {
			v := rnd.NormFloat64()
			for q := range at {
				v += at[q] * loads[q*x.Cols+j]
			}
			x.Data[i*x.Stride+j] = float32(v + means[l*x.Cols+j])
		}
	}
	standardizeColumns(x)
}

// categories draws columns of four categories each, one-hot: a share of Separation of the
// entries is the category that the class prefers.
func (c familyConfig) categories(rnd *rand.Rand, labels []int, x blas32.General) {
	const of = 4
	prefers := make([]int, c.Classes*x.Cols)
	for p := range prefers {
		prefers[p] = rnd.IntN(of)
	}
	for i, l := range labels {
		for j := 0; j+of <= x.Cols; j += of {
			v := rnd.IntN(of)
			if j < c.Features && rnd.Float64() < c.Separation {
				v = prefers[l*x.Cols+j]
			}
			x.Data[i*x.Stride+j+v] = 1
		}
	}
}

// standardizeColumns makes the mean of each column 0 and its variance 1.
func standardizeColumns(x blas32.General) {
	for j := range x.Cols {
		sum, squares := 0., 0.
		for i := range x.Rows {
			v := float64(x.Data[i*x.Stride+j])
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / float64(x.Rows)
		scale := 1 / math.Sqrt(max(1e-12, squares/float64(x.Rows)-mean*mean))
		for i := range x.Rows {
			p := &x.Data[i*x.Stride+j]
			*p = float32((float64(*p) - mean) * scale)
		}
	}
}
