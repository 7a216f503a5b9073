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

// PairsExplorer returns an interactive figure of a node's pairs: which are positive,
// negative or unused before the training with the given settings and, with its snapshots,
// at some of their epochs ([figure.PairsExplorer]).
func PairsExplorer(g *graph.Graph, c encoder.Options, all ...agekit.Snapshot) (figure.Fragment, error) {
	key := store.NewKey("pairs explorer", version, g, c, all)
	p, err := cell.Cached("pairs of a corner", key, func() (figure.Pairs, error) { return cornerPairs(g, c, all) })
	return figure.PairsExplorer(g.Name+": the pairs of a node", p), err
}

// cornerPairs returns the pairs of the nodes of g's corner with each other and with others.
func cornerPairs(g *graph.Graph, c encoder.Options, all []agekit.Snapshot) (figure.Pairs, error) {
	const drawn, others = 60, 40
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

// sharesAt returns the shares of all pairs after which positives end and negatives begin, at
// an epoch.
func sharesAt(c encoder.Options, epoch int) (positive, negative float64) {
	return c.Thresholds.At(epoch/c.UpdateEvery, c.Epochs/c.UpdateEvery)
}

// sharesToTry returns the shares between which a reader of the figure chooses, in order:
// those of the schedule at the epochs of snapshots, and larger ones for more positives.
func sharesToTry(c encoder.Options) (positives, negatives []float64) {
	for _, epoch := range agekit.SnapshotEpochs(c) {
		pos, neg := sharesAt(c, epoch)
		positives, negatives = append(positives, pos), append(negatives, neg)
	}
	for _, factor := range []float64{2, 5} {
		if pos := factor * c.Thresholds.PosStart; pos < slices.Min(negatives) {
			positives = append(positives, pos)
		}
	}
	slices.Sort(positives)
	slices.Sort(negatives)
	return slices.Compact(positives), slices.Compact(negatives)
}

// mostChanged returns up to four of the snapshots after the first, more of the early ones:
// an embedding changes most at first.
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

// pairStage returns the similarities and ranks of the pairs of each drawn node of p with all
// the nodes, and for each share of p the similarity at which it ends, by one embedding.
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
		stage.NegThresholds = append(stage.NegThresholds, r.similarityAt(g.N()*g.N()-count+1))
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

func row(z blas32.General, i int) blas32.Vector {
	return blas32.Vector{N: z.Cols, Inc: 1, Data: z.Data[i*z.Stride:]}
}

// ranking counts the similarities of all n² pairs in bins, the most similar first.
type ranking struct{ pairs, others, same []int64 }

// rankingBins is the number of bins on [−1, 1].
const rankingBins = 200_000

// rankingOf counts all pairs, those of two different nodes of known class (others), and
// those of the same class among them. Rows of z have length 1.
func rankingOf(z blas32.General, labels []int) (*ranking, error) {
	r := &ranking{make([]int64, rankingBins), make([]int64, rankingBins), make([]int64, rankingBins)}
	err := linalg.Gram{Left: z, Right: z, Symmetric: true}.EachBlock(cell.Context(), func(b linalg.GramBlock) {
		for k := range b.Rows {
			i := b.Lo + k
			for m, s := range b.Row(k) {
				switch j, bin := b.From+m, rankingBin(s); {
				case i == j:
					atomic.AddInt64(&r.pairs[bin], 1)
				case i < j: // in both orders
					atomic.AddInt64(&r.pairs[bin], 2)
					if labels == nil || labels[i] == graph.Unknown || labels[j] == graph.Unknown {
						continue
					}
					atomic.AddInt64(&r.others[bin], 2)
					if labels[i] == labels[j] {
						atomic.AddInt64(&r.same[bin], 2)
					}
				}
			}
		}
	})
	return r, err
}

func rankingBin(s float32) int {
	return min(rankingBins-1, max(0, int((1-float64(s))/2*rankingBins)))
}

// rank returns the rank of a similarity: the middle of its bin.
func (r *ranking) rank(s float32) float64 {
	bin, above := rankingBin(s), int64(0)
	for _, count := range r.pairs[:bin] {
		above += count
	}
	return max(1, float64(above)+float64(r.pairs[bin])/2)
}

// similarityAt returns the similarity of the pair with a rank.
func (r *ranking) similarityAt(rank int) float64 {
	var sum int64
	for bin, count := range r.pairs {
		if sum += count; sum >= int64(rank) {
			return 1 - (float64(bin)+0.5)*2/rankingBins
		}
	}
	return -1
}

// sameClass returns the share of the same class among the first pairs of different nodes
// of known class. Part of a bin counts as that part.
func (r *ranking) sameClass(first int) float64 {
	var others, same float64
	remaining := float64(first)
	for bin, count := range r.pairs {
		if remaining <= 0 {
			break
		}
		part := min(1, remaining/max(1, float64(count)))
		others += part * float64(r.others[bin])
		same += part * float64(r.same[bin])
		remaining -= float64(count)
	}
	if others < 1 {
		return math.NaN()
	}
	return same / others
}

// EpochsExplorer returns an interactive figure of the training with the given settings:
// the loss, the Davies–Bouldin index, and a map of the embedding at each epoch, the plane
// of the last one's first two principal components ([figure.EpochsExplorer]).
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

// Planes projects all snapshots onto the plane in which the last one varies most. The
// plane is the same for all, so that a point moves only if its embedding does.
func Planes(all []agekit.Snapshot) []*mat.Dense {
	last := linalg.Float64(all[len(all)-1].Embedding)
	n, d := last.Dims()
	center := mat.NewVecDense(d, nil)
	ones := mat.NewVecDense(n, slices.Repeat([]float64{1 / float64(n)}, n))
	center.MulVec(last.T(), ones)
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
