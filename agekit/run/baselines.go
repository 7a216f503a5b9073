package run

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/cluster"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
)

// BaselineScore has the clusters of a simple method and their scores, to compare a result with.
type BaselineScore struct {
	// Name is "k-means of the features", "k-means of the smoothed features", in rows of
	// length 1, or "Leiden", which uses the edges alone. Note says where it was given less effort than usual.
	Name     string `json:"name"`
	Note     string `json:"note,omitempty"`
	Clusters int    `json:"clusters"`
	auto.Measures
	// ACC, NMI and ARI compare with the labels; nil without labels.
	ACC    *float64 `json:"acc"`
	NMI    *float64 `json:"nmi"`
	ARI    *float64 `json:"ari"`
	Labels []int    `json:"-" cbor:"labels"` // the cluster of each node; a store keeps it
}

const (
	// manyNumbers is the size of the largest matrix that gets 10 runs of k-means; a larger
	// one gets 3.
	manyNumbers, fewRuns = 5e6, 3
	// fewNames is how many features a sentence names.
	fewNames = 8
	// mostNumbers is the size of the largest matrix that k-means gets; larger ones get
	// fewColumns.
	mostNumbers = 20e6
	fewColumns  = 256
	// sameARI is the adjusted Rand index from which clusterings are called nearly the same.
	sameARI = 0.95
	// unclearShare is the relative difference of scores below which it is unclear whether
	// training helped: four of nine verdicts on generated and real graphs would be wrong.
	unclearShare = 0.1
)

// runBaselines runs simple methods on g, with k clusters and the result's filter. k-means gets
// 256 columns ([auto.ReduceColumns]) for features that as a dense matrix have more than 20
// million numbers. Leiden's communities are joined to k.
func runBaselines(ctx context.Context, g *graph.Graph, f laplacian.Filter, k int, seed uint64) ([]BaselineScore, error) {
	var scores []BaselineScore
	add := func(name, note string, clusters []int) {
		distinct := map[int]bool{}
		for _, c := range clusters {
			distinct[c] = true
		}
		s := metric.Score(g, clusters)
		scores = append(scores, BaselineScore{
			Name: name, Note: note, Clusters: len(distinct), ACC: s.ACC, NMI: s.NMI, ARI: s.ARI, Labels: clusters,
		})
	}
	small := *g // with the features that k-means gets
	small.Features = graph.NormalizedFeatures(g.Features)
	n, cols := g.Features.Dims()
	numbers := float64(n) * float64(cols)
	note := ""
	if numbers > manyNumbers {
		note = fmt.Sprintf("%d runs", fewRuns)
	}
	if numbers > mostNumbers {
		var err error
		if small.Features, err = auto.ReduceColumns(ctx, small.Features, fewColumns, source(seed)); err != nil {
			return nil, err
		}
		note = fmt.Sprintf("%d runs on %d columns", fewRuns, fewColumns)
	}
	kMeans := func(name string, x blas32.General) error {
		var o cluster.KMeansOptions
		if note != "" {
			o.Restarts = fewRuns
		}
		found, err := cluster.KMeans(ctx, x, k, o, source(seed))
		if err == nil {
			add(name, note, found.Labels)
		}
		return err
	}
	if err := kMeans("k-means of the features", small.Features.ToDense()); err != nil {
		return nil, err
	}
	in, err := encoder.Prepare(ctx, &small, encoder.Options{Filter: f})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := kMeans("k-means of the smoothed features", linalg.Normalize(in.Smoothed)); err != nil {
		return nil, err
	}
	if g.Edges() > 0 {
		communities, _, err := cluster.Leiden(ctx, g.Adjacency, cluster.LeidenOptions{}, source(seed))
		if err != nil {
			return nil, err
		}
		note := ""
		if count := 1 + slices.Max(communities); count > k {
			note = fmt.Sprintf("%d communities joined", count)
		}
		add("Leiden", note, cluster.JoinCommunities(g.Adjacency, communities, k))
	}
	return scores, nil
}

// source returns a random source.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// compare runs simple methods to compare the result with.
func (r *Run) compare(ctx context.Context, f laplacian.Filter, k int) error {
	baselines, err := runBaselines(ctx, r.Data.Graph, f, k, r.Seed)
	if ctx.Err() != nil {
		return fmt.Errorf("stopped while comparing with simple methods; run the same command again: %w", err)
	}
	if err != nil {
		return fmt.Errorf("simple methods: %w", err)
	}
	r.Baselines = baselines
	return nil
}

// measure measures the result and the simple methods by the same judge.
func (r *Run) measure(k int) {
	clusterings := [][]int{r.Labels}
	for _, s := range r.Baselines {
		clusterings = append(clusterings, s.Labels)
	}
	judge := auto.NewJudge(r.Data.Graph, clusterings...)
	r.Measures = judge.Measure(r.Labels)
	for i := range r.Baselines {
		r.Baselines[i].Measures = judge.Measure(r.Baselines[i].Labels)
	}
	r.Verdict = r.verdict(k)
	if e := r.Explanation; e != nil {
		negative := 0
		for _, confidence := range e.Confidence {
			if confidence < 0 {
				negative++
			}
		}
		if 10*negative > len(e.Confidence) {
			r.Verdict += fmt.Sprintf(" %s of %d are nearer to the center of another cluster: the map and the confidence show only a part of what decided.", english.Plural(negative, "node", ""), len(e.Confidence))
		}
	}
}

// unrelatedText says how many features the refinement ignores, and which, if they are few.
func (r *Run) unrelatedText() string {
	ignored := r.Search.Unrelated
	if len(ignored) == 0 {
		return ""
	}
	text := fmt.Sprintf(" The last step leaves out %s of %s features, about which clusters found without them tell nothing", humanize.Comma(int64(len(ignored))), humanize.Comma(int64(r.Graph.Features)))
	if names := r.Data.Graph.FeatureNames; names != nil && len(ignored) <= fewNames {
		var named []string
		for _, j := range ignored {
			named = append(named, names[j])
		}
		text += ": " + english.WordSeries(named, "and")
	}
	return text + "."
}

// verdict says what the comparison of what was tried shows, or else that with simple
// methods, by the score without labels.
func (r *Run) verdict(k int) string {
	if t := r.Search; t != nil && t.Trained >= 0 && t.Untrained >= 0 {
		with, without := t.Trials[t.Trained], t.Trials[t.Untrained]
		text := fmt.Sprintf("%s scores %.2f, %s %.2f, and full trainings score some percent higher than short ones.", without.Name(), without.Score, with.Name(), with.Score)
		switch f := t.Full; {
		case t.WeakEvidence():
			text = "Whether training helps cannot be told here."
		case f == nil:
			text = "Training did not help here: " + text
		case !r.Trained():
			text = fmt.Sprintf("Training did not help here: on the whole graph, %s scores %.2f, the full training %.2f.", without.Name(), f.Untrained, f.Score)
		case f.Agreement >= sameARI:
			text = fmt.Sprintf("Training changed little here: its clusters and those of %s are nearly the same (ARI %.2f).", without.Name(), f.Agreement)
		case with.Score < (1+unclearShare)*without.Score:
			text = "Whether training helped is too close to tell: " + text
		default:
			text = "Training helped here: " + text
		}
		for _, more := range []string{certaintyText(t), evidenceText(t)} {
			if more != "" {
				text += " " + more
			}
		}
		if r.Isolated > 0 && t.Trials[t.Chosen].Features <= 0 {
			text += fmt.Sprintf(" The edges alone decide: the clusters of %s without edges say nothing.", counted(r.Isolated, "node"))
		}
		return text + r.unrelatedText()
	}
	best := -1
	for i, s := range r.Baselines {
		if s.Clusters == k && (best < 0 || s.Score > r.Baselines[best].Score) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	if ari := metric.ARI(r.Labels, r.Baselines[best].Labels); ari >= sameARI {
		subject := "The clusters of " + r.Method
		if r.Training != nil {
			subject = "Training changed little here: its clusters"
		}
		return fmt.Sprintf("%s and those of %s are nearly the same (ARI %.2f).", subject, r.Baselines[best].Name, ari)
	}
	result := fmt.Sprintf("%s %.2f", r.Method, r.Measures.Score)
	other := fmt.Sprintf("%s %.2f", r.Baselines[best].Name, r.Baselines[best].Score)
	higher := r.Measures.Score >= r.Baselines[best].Score
	switch {
	case r.Training == nil && higher:
		return fmt.Sprintf("%s scores higher than simple methods: %s, %s.", r.Method, result, other)
	case r.Training == nil:
		return fmt.Sprintf("A simple method scores higher: %s, %s.", other, result)
	case higher:
		return fmt.Sprintf("Training helped here: score %.2f, %s.", r.Measures.Score, other)
	}
	return fmt.Sprintf("Training with these settings did not help here: %s, %s. The trained embedding is the result, since the settings were given.", other, result)
}
