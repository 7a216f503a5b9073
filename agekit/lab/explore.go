package lab

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/cell"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
	"github.com/agekit/age/internal/store"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// PairsExplorer returns an interactive figure of the pairs of a node of g's [Corner]: which are
// positive, negative or unused ([figure.PairsExplorer]). It shows them before the training
// with the settings c and, if all has snapshots of this training, at some of their epochs.
func PairsExplorer(g *graph.Graph, c encoder.Options, all ...agekit.Snapshot) (figure.Fragment, error) {
	key := store.NewKey("pairs explorer", version, g, c, all)
	p, err := cell.Cached("pairs of a corner", key, func() (figure.Pairs, error) { return cornerPairs(g, c, all) })
	return figure.PairsExplorer(g.Name+": the pairs of a node", p), err
}

// cornerPairs returns the pairs of the nodes of g's corner with each other and with random
// other nodes of g, by the smoothed features and by the snapshots that changed most.
func cornerPairs(g *graph.Graph, c encoder.Options, all []agekit.Snapshot) (figure.Pairs, error) {
	const drawn, others = 60, 40 // nodes
	corner, nodes := Corner(g, drawn)
	p := figure.Pairs{Drawing: Draw(corner), Nodes: g.N()}
	names := nodeNames(g)
	for _, i := range rng.New(1, rng.Only).Perm(g.N()) {
		if len(p.Others) < others && !slices.Contains(nodes, i) {
			nodes = append(nodes, i)
			p.Others = append(p.Others, names[i])
		}
	}
	p.PosShares, p.NegShares = sharesToTry(c)
	x, err := agekit.Smooth(g, c.K, c.Layers)
	if err != nil {
		return p, err
	}
	for _, s := range append([]agekit.Snapshot{{Epoch: 0, Embedding: x}}, mostChanged(all)...) {
		stage, err := pairStage(g, c, s, p, nodes)
		if err != nil {
			return p, err
		}
		p.Stages = append(p.Stages, stage)
	}
	return p, nil
}

// sharesAt returns the thresholds of the selection at an epoch, as shares of all ranked pairs:
// positives end at the first, and negatives begin at the second.
func sharesAt(c encoder.Options, epoch int) (positive, negative float64) {
	return c.Thresholds.At(epoch/c.UpdateEvery, c.Epochs/c.UpdateEvery)
}

// sharesToTry returns the thresholds that a reader of the figure can choose, as shares in
// increasing order: those of the schedule at the epochs of snapshots, and two larger ones for
// positives, to see what more positives do.
func sharesToTry(c encoder.Options) (positives, negatives []float64) {
	for _, epoch := range agekit.SnapshotEpochs(c) {
		pos, neg := sharesAt(c, epoch)
		positives, negatives = append(positives, pos), append(negatives, neg)
	}
	for _, factor := range []float64{2, 5} { // times the largest share of the schedule, at its start
		if pos := factor * c.Thresholds.PosStart; pos < slices.Min(negatives) {
			positives = append(positives, pos)
		}
	}
	slices.Sort(positives)
	slices.Sort(negatives)
	return slices.Compact(positives), slices.Compact(negatives)
}

// mostChanged returns up to four of the snapshots after the first: the next two, the one in the
// middle and the last. An embedding changes most in the first epochs.
func mostChanged(all []agekit.Snapshot) (chosen []agekit.Snapshot) {
	last := len(all) - 1
	if last < 1 {
		return nil
	}
	for _, k := range slices.Compact([]int{1, min(2, last), (last + 1) / 2, last}) {
		chosen = append(chosen, all[k])
	}
	return chosen
}

// pairStage returns the stage of a figure by the embedding of snapshot s. It has the
// similarities and ranks of the pairs of each drawn node with all of nodes, which begin with
// the drawn nodes of p, and the similarity at each share of p.PosShares and p.NegShares.
func pairStage(g *graph.Graph, c encoder.Options, s agekit.Snapshot, p figure.Pairs, nodes []int) (figure.PairStage, error) {
	z := linalg.Normalize(s.Embedding)
	r, err := rankingOf(z, g.Labels)
	if err != nil {
		return figure.PairStage{}, err
	}
	name := fmt.Sprint("epoch ", s.Epoch)
	if s.Epoch == 0 {
		name = "before"
	}
	pos, neg := sharesAt(c, s.Epoch)
	stage := figure.PairStage{Name: name, Pos: slices.Index(p.PosShares, pos), Neg: slices.Index(p.NegShares, neg)}
	for _, share := range p.PosShares {
		count, _ := pairs.Counts(g.N(), share, 0)
		stage.PosThresholds = append(stage.PosThresholds, r.similarityAt(max(1, count)))
		if g.Labels != nil {
			stage.SameClass = append(stage.SameClass, r.sameClass(count))
		}
	}
	for _, share := range p.NegShares {
		_, count := pairs.Counts(g.N(), 0, share)
		firstNegative := g.N()*g.N() - count + 1 // the rank of the most similar of the last count pairs
		stage.NegThresholds = append(stage.NegThresholds, r.similarityAt(firstNegative))
	}
	for _, i := range nodes[:len(p.Drawing.X)] {
		var similarities, ranks []float64
		for _, j := range nodes {
			similarity := blas32.Dot(row(z, i), row(z, j))
			similarities = append(similarities, float64(similarity))
			ranks = append(ranks, r.rank(similarity))
		}
		stage.Similarity = append(stage.Similarity, similarities)
		stage.Rank = append(stage.Rank, ranks)
	}
	return stage, nil
}

// row returns row i of z, which shares its data.
func row(z blas32.General, i int) blas32.Vector {
	return blas32.Vector{N: z.Cols, Inc: 1, Data: z.Data[i*z.Stride:]}
}

// ranking counts the n² pairs of nodes in bins of their similarity, the most similar first.
// Sorting millions of pairs would take too much memory.
type ranking struct {
	pairs []int64 // all pairs in a bin
	known []int64 // those of two different nodes whose classes are known
	same  []int64 // those of two different nodes of the same known class
}

// rankingBins is the number of bins for similarities from 1 down to −1.
const rankingBins = 200_000

// rankingOf returns the ranking of all pairs of rows of z by their inner products; rows of z
// have length 1. labels may be nil. The error is that of an interrupted cell.
func rankingOf(z blas32.General, labels []int) (*ranking, error) {
	r := &ranking{pairs: make([]int64, rankingBins), known: make([]int64, rankingBins), same: make([]int64, rankingBins)}
	err := linalg.Gram{Left: z, Right: z, Symmetric: true}.EachBlock(cell.Context(), func(b linalg.GramBlock) {
		for k := range b.Rows {
			i := b.Lo + k
			for m, s := range b.Row(k) {
				switch j, bin := b.From+m, rankingBin(s); {
				case i == j:
					atomic.AddInt64(&r.pairs[bin], 1)
				case i < j: // counts as (i, j) and (j, i)
					atomic.AddInt64(&r.pairs[bin], 2)
					if labels == nil || labels[i] == graph.Unknown || labels[j] == graph.Unknown {
						continue
					}
					atomic.AddInt64(&r.known[bin], 2)
					if labels[i] == labels[j] {
						atomic.AddInt64(&r.same[bin], 2)
					}
				}
			}
		}
	})
	return r, err
}

// rankingBin returns the bin of similarity s.
func rankingBin(s float32) int {
	return min(rankingBins-1, max(0, int((1-float64(s))/2*rankingBins)))
}

// rank returns the approximate rank of a pair with similarity s, from 1: the middle of the
// ranks in its bin.
func (r *ranking) rank(s float32) float64 {
	bin, above := rankingBin(s), int64(0)
	for _, count := range r.pairs[:bin] {
		above += count
	}
	return max(1, float64(above)+float64(r.pairs[bin])/2)
}

// similarityAt returns the approximate similarity of the pair with a rank: the middle of its
// bin, or −1 beyond the last pair.
func (r *ranking) similarityAt(rank int) float64 {
	var sum int64
	for bin, count := range r.pairs {
		if sum += count; sum >= int64(rank) {
			return 1 - (float64(bin)+0.5)*2/rankingBins
		}
	}
	return -1
}

// sameClass returns the share of pairs of the same class among the given number of first pairs.
// Only pairs of different nodes of known class count; NaN if there are none. If a part of a
// bin belongs to the first pairs, it counts with this part.
func (r *ranking) sameClass(first int) float64 {
	var known, same float64
	remaining := float64(first)
	for bin, count := range r.pairs {
		if remaining <= 0 {
			break
		}
		part := min(1, remaining/max(1, float64(count)))
		known += part * float64(r.known[bin])
		same += part * float64(r.same[bin])
		remaining -= float64(count)
	}
	if known < 1 {
		return math.NaN()
	}
	return same / known
}

// EpochsExplorer returns an interactive figure of the training with the settings c: the loss,
// the Davies–Bouldin index, and maps of the embedding at the epochs of its snapshots in one
// plane, that of the last embedding's first two principal components
// ([figure.EpochsExplorer]).
func EpochsExplorer(g *graph.Graph, c encoder.Options) (figure.Fragment, error) {
	r, err := agekit.Train(g, c)
	if err != nil {
		return figure.Fragment{}, err
	}
	snapshots, err := agekit.Snapshots(g, c)
	if err != nil {
		return figure.Fragment{}, err
	}
	e := figure.Epochs{Loss: r.Members[0].Loss, Chosen: r.Members[0].Epoch}
	for _, s := range r.Members[0].Saved {
		e.Saved, e.Index = append(e.Saved, s.Epoch), append(e.Index, s.DaviesBouldin)
	}
	for _, s := range snapshots {
		e.At = append(e.At, s.Epoch)
	}
	e.Maps, err = cell.Cached("maps of the epochs", store.NewKey("maps of epochs", version, snapshots), func() ([]*mat.Dense, error) {
		return Planes(snapshots), nil
	})
	if err != nil {
		return figure.Fragment{}, err
	}
	if labels, names, _ := graph.ShownClasses(g); labels != nil {
		e.Colorings = append(e.Colorings, figure.Coloring{Name: "class", Numbers: labels, Labels: names})
	}
	e.Colorings = append(e.Colorings, figure.Coloring{Name: "cluster of the chosen epoch", Numbers: r.Labels, Labels: figure.ClusterNames(c.Clusters)})
	return figure.EpochsExplorer(g.Name+": training", e), nil
}

// Planes returns a map of each snapshot, n×2: its projection onto the plane in which the last
// snapshot varies most. The plane is the same for all, so that a point moves only if its
// embedding does.
func Planes(all []agekit.Snapshot) []*mat.Dense {
	last := linalg.Float64(all[len(all)-1].Embedding)
	n, d := last.Dims()
	center := mat.NewVecDense(d, nil)
	weights := mat.NewVecDense(n, slices.Repeat([]float64{1 / float64(n)}, n)) // of a mean
	center.MulVec(last.T(), weights)
	// centered subtracts the center from the rows of z, in place, and returns z.
	centered := func(z *mat.Dense) *mat.Dense {
		z.Apply(func(_, j int, v float64) float64 { return v - center.AtVec(j) }, z)
		return z
	}
	var covariance mat.SymDense
	covariance.SymOuterK(1, centered(last).T())
	var eig mat.EigenSym
	if !eig.Factorize(&covariance, true) {
		panic("lab: eigenvalues of a finite symmetric matrix did not converge")
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	axes := mat.NewDense(d, 2, nil)
	for c := range 2 { // eigenvalues are in increasing order
		axes.SetCol(c, mat.Col(nil, d-1-c, &vectors))
	}
	var maps []*mat.Dense
	for _, s := range all {
		m := new(mat.Dense)
		m.Mul(centered(linalg.Float64(s.Embedding)), axes)
		maps = append(maps, m)
	}
	return maps
}
