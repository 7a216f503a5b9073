package linkpred

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/blas/blas32"
)

// Result is the result of training for link prediction.
type Result struct {
	// Training is the encoder's result, with the embedding of the chosen epoch, and
	// of the chosen filter if there are several. The Score of a saved epoch is the
	// mean of AUC and AP on the validation pairs, negated.
	Training *encoder.Result
	// Validation and Test are the chosen epoch's scores.
	Validation, Test Scores

	all []*encoder.Result // of all filters; the others have no embedding
}

// Fit trains the encoder on the training graph of a split and returns the embedding of
// the epoch with the highest validation AUC + AP (paper, §3.4.2). With filters, it
// trains with each of them instead of o.Filter and returns the best result by the same
// measure, the first of equals: so the validation edges alone choose t for a graph.
//
// Smoothing and pair selection use only the training graph. The candidate epochs are
// those whose embedding is saved: every o.UpdateEvery epochs, and the last. The test
// pairs only score the chosen epoch.
//
// The paper uses the same settings for link prediction as for clustering (§5.2).
// o.Clusters is ignored, and o.Judge must be nil. Errors, progress and checkpoints work
// as in [encoder.Fit]; [Result.Discard] removes the checkpoints.
func Fit(ctx context.Context, s *Split, o encoder.Options, filters ...laplacian.Filter) (*Result, error) {
	if o.Judge != nil {
		return nil, fmt.Errorf("the epoch is chosen by the validation edges: want no judge %q", o.Judge.Name)
	}
	o.Clusters, o.Judge = 0, &encoder.Judge{
		Name: "validation AUC+AP " + s.Validation.fingerprint(),
		Score: func(_ context.Context, z blas32.General) (float64, error) {
			v, err := Score(InnerProduct(z), s.Validation)
			return -v.mean(), err
		},
	}
	if len(filters) == 0 {
		filters = []laplacian.Filter{o.Filter}
	}
	var best *Result
	var all []*encoder.Result
	for k, f := range filters {
		one := o
		one.Filter = f
		if len(filters) > 1 && o.Progress != nil {
			one.Progress = func(e encoder.Event) {
				// The time with the other filters is unknown.
				e.Epoch, e.Epochs, e.Remaining = k*e.Epochs+e.Epoch, len(filters)*e.Epochs, 0
				o.Progress(e)
			}
		}
		r, err := fit(ctx, s, one)
		switch {
		case err != nil && len(filters) > 1:
			return nil, fmt.Errorf("filter %d of %d: %w", k+1, len(filters), err)
		case err != nil:
			return nil, err
		}
		all = append(all, r.Training)
		if best == nil || r.Validation.mean() > best.Validation.mean() {
			best = r
		}
	}
	for _, r := range all {
		if r != best.Training {
			r.Embedding = blas32.General{}
		}
	}
	best.all = all
	return best, nil
}

// fit trains with one filter.
func fit(ctx context.Context, s *Split, o encoder.Options) (*Result, error) {
	trained, err := encoder.Fit(ctx, s.Train, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Training: trained}
	if r.Validation, err = Score(InnerProduct(trained.Embedding), s.Validation); err != nil {
		return nil, err
	}
	r.Test, err = Score(InnerProduct(trained.Embedding), s.Test)
	return r, err
}

// Discard removes the checkpoints of the training with each filter.
func (r *Result) Discard() error {
	var errs []error
	for _, one := range r.all {
		errs = append(errs, one.Discard())
	}
	return errors.Join(errs...)
}

// Scores measure how well edges are separated from non-edges, from 0 to 1.
type Scores struct {
	AUC float64 `json:"auc"` // area under the ROC curve
	AP  float64 `json:"ap"`  // average precision
}

// mean returns (AUC + AP)/2.
func (s Scores) mean() float64 { return (s.AUC + s.AP) / 2 }

// Score ranks pairs by a score; higher means a more likely edge. The error names the
// first pair whose score is not a number.
//
// The paper's decoder is [InnerProduct].
func Score(score func(Pair) float64, pairs Pairs) (Scores, error) {
	var edge []bool
	var scores []float64
	for _, list := range [][]Pair{pairs.Edges, pairs.NonEdges} {
		for _, p := range list {
			s := score(p)
			if math.IsNaN(s) {
				return Scores{}, fmt.Errorf("the score of nodes %d and %d is not a number", p.I, p.J)
			}
			edge, scores = append(edge, len(edge) < len(pairs.Edges)), append(scores, s)
		}
	}
	return Scores{AUC: metric.AUC(edge, scores), AP: metric.AveragePrecision(edge, scores)}, nil
}

// InnerProduct returns the score of the inner-product decoder (paper, §5.2) for an
// embedding, n×d: zᵢ·zⱼ, summed in float64. The probability of an edge is σ(zᵢ·zⱼ).
// σ is increasing, so that AUC and AP do not change, but it rounds to 1 for large
// inner products, which would create ties.
func InnerProduct(z blas32.General) func(Pair) float64 {
	return func(p Pair) (s float64) {
		b := z.Data[int(p.J)*z.Stride:][:z.Cols]
		for k, v := range z.Data[int(p.I)*z.Stride:][:z.Cols] {
			s += float64(v) * float64(b[k])
		}
		return s
	}
}

// fingerprint returns a hash that identifies the pairs.
func (p Pairs) fingerprint() string {
	h := sha256.New()
	for _, list := range [][]Pair{p.Edges, p.NonEdges} {
		// Writing to a hash never fails.
		_ = binary.Write(h, binary.LittleEndian, int64(len(list)))
		_ = binary.Write(h, binary.LittleEndian, list)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}
