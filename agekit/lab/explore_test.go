package lab

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/internal/linalg"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestRanking compares the ranks, the similarities at ranks and the shares of pairs of the same
// class with those of a list of all pairs, sorted.
func TestRanking(t *testing.T) {
	g := must(agekit.Load(small))
	z := linalg.Normalize(must(agekit.Smooth(g, 2.0/3, 2)))
	type pair struct {
		s           float32
		self, class bool
	}
	var all []pair
	for i := range g.N() {
		for j := range g.N() {
			all = append(all, pair{blas32.Dot(row(z, i), row(z, j)), i == j, g.Labels[i] == g.Labels[j]})
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return cmp.Compare(b.s, a.s) })
	r := must(rankingOf(z, g.Labels))
	// A bin is 1e-5 wide, and where similarities are closest, it has a hundred pairs.
	for _, rank := range []int{1, 300, 5_000, 30_000, g.N() * g.N()} {
		near(t, "similarity at a rank", r.similarityAt(rank), float64(all[rank-1].s), 1.1e-5)
		near(t, "rank of a similarity", r.rank(all[rank-1].s), float64(rank), 150)
		var same, others float64
		for _, p := range all[:rank] {
			if !p.self {
				others++
				if p.class {
					same++
				}
			}
		}
		if others == 0 {
			if got := r.sameClass(rank); !math.IsNaN(got) {
				t.Errorf("the first %d pairs are of nodes with themselves, but %v of the others have the same class", rank, got)
			}
			continue
		}
		near(t, "share of the same class", r.sameClass(rank), same/others, 0.01)
	}
}

// TestPlanes: the maps of random embeddings that lie in one plane in 30 dimensions keep all
// distances.
func TestPlanes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	var all []agekit.Snapshot
	axes := [2][30]float64{}
	for d := range 30 { // orthogonal, of length √15
		axes[0][d], axes[1][d] = math.Sqrt2*math.Sin(float64(d)*math.Pi/15), math.Sqrt2*math.Cos(float64(d)*math.Pi/15)
	}
	for epoch := range 3 {
		z := blas32.General{Rows: 8, Cols: 30, Stride: 32, Data: make([]float32, 8*32)}
		for i := range 8 {
			a, b := rnd.NormFloat64(), rnd.NormFloat64()
			for d := range 30 {
				z.Data[i*32+d] = float32(5 + a*axes[0][d] + b*axes[1][d])
			}
		}
		all = append(all, agekit.Snapshot{Epoch: epoch, Embedding: z})
	}
	for k, m := range Planes(all) {
		for i := range 8 {
			for j := range i {
				difference := blas32.Vector{N: 30, Inc: 1, Data: slices.Clone(row(all[k].Embedding, i).Data[:30])}
				blas32.Axpy(-1, row(all[k].Embedding, j), difference)
				near(t, "distance", math.Hypot(m.At(i, 0)-m.At(j, 0), m.At(i, 1)-m.At(j, 1)), float64(blas32.Nrm2(difference)), 1e-4)
			}
		}
	}
}

// TestExplorers draws both explorers of a small graph, with labels and without: PairsExplorer
// has one stage without snapshots and four with them, and shares of the same class only with
// labels; EpochsExplorer has the maps of the snapshots.
func TestExplorers(t *testing.T) {
	g := *must(agekit.Load(small))
	for _, labels := range [][]int{g.Labels, nil} {
		g.Labels = labels
		c := agekit.Settings(&g)
		c.Dims, c.Epochs, c.Clusters, c.Seed = 20, 30, 3, 3
		all := must(agekit.Snapshots(&g, c))
		p, e := must(PairsExplorer(&g, c, all...)), must(EpochsExplorer(&g, c))
		if p.Show() != nil || e.Show() != nil {
			t.Fatal(p.Show(), e.Show())
		}
		if first := must(PairsExplorer(&g, c)); strings.Count(first.HTML, `"Name":`) != 1 || strings.Count(p.HTML, `"Name":`) != 4 {
			t.Error("want one stage without snapshots, and those of epochs 0, 10, 20 and 30 with them")
		}
		if got := strings.Contains(p.HTML, `"Same":null`); got != (labels == nil) {
			t.Errorf("labels %v: a share of the same class is missing: %v", labels != nil, got)
		}
		if !strings.Contains(e.HTML, `"At":[0,10,20,30]`) {
			t.Error("the maps are not those of epochs 0, 10, 20 and 30")
		}
	}
}
