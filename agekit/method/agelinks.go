package method

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/blas/blas32"
)

// linksFit is the result of training for link prediction.
type linksFit struct {
	// Result has the embedding of the chosen epoch and filter. The Score of a saved epoch
	// is the mean of AUC and AP on the validation pairs, negated.
	*encoder.Result
	validation metric.LinkScores // AUC and AP of the embedding on the validation pairs
	mean       float64           // of this AUC and AP

	all []*encoder.Result // with each filter; only the chosen one keeps its embedding
}

// fitLinks trains the encoder on the training graph of a split and returns the embedding of
// the epoch with the highest validation AUC + AP (paper, §3.4.2). It trains with each of the
// filters and returns the best result by the same measure, the first of equals: so the
// validation edges alone choose t for a graph.
//
// Smoothing and pair selection use only the training graph. The candidate epochs are
// those whose embedding is saved: every o.UpdateEvery epochs, and the last. The test
// pairs are not used.
//
// The paper uses the same settings for link prediction as for clustering (§5.2).
// o.Filter, o.Clusters and o.Judge are ignored.
func fitLinks(ctx context.Context, s *graph.Split, o encoder.Options, filters []laplacian.Filter) (*linksFit, error) {
	validate := func(z blas32.General) (mean float64, scores metric.LinkScores, err error) {
		scores, err = metric.Links(z, s.Validation)
		return (scores.AUC + scores.AP) / 2, scores, err
	}
	o.Clusters, o.Judge = 0, &encoder.Judge{
		Name: "validation AUC+AP " + fingerprint(s.Validation),
		Score: func(_ context.Context, z blas32.General) (float64, error) {
			mean, _, err := validate(z)
			return -mean, err
		},
	}
	best := &linksFit{}
	for k, f := range filters {
		filtered := o
		filtered.Filter = f
		if len(filters) > 1 && o.Progress != nil {
			filtered.Progress = func(e encoder.Event) {
				e.Done += int64(k) * e.Total // the trainings with the filters before
				e.Total *= int64(len(filters))
				e.Left = 0 // unknown: it depends on the filters still to come
				o.Progress(e)
			}
		}
		r, err := encoder.Fit(ctx, s.Train, filtered)
		if err != nil {
			if len(filters) > 1 {
				err = fmt.Errorf("filter %d of %d: %w", k+1, len(filters), err)
			}
			return nil, err
		}
		best.all = append(best.all, r)
		mean, scores, err := validate(r.Embedding)
		if err != nil {
			return nil, err
		}
		if best.Result == nil || mean > best.mean {
			best.Result, best.validation, best.mean = r, scores, mean
		}
	}
	for _, r := range best.all {
		if r != best.Result {
			r.Embedding = blas32.General{}
		}
	}
	return best, nil
}

// Discard removes the checkpoints of the training with each filter.
func (r *linksFit) Discard() error {
	var errs []error
	for _, fitted := range r.all {
		errs = append(errs, fitted.Discard())
	}
	return errors.Join(errs...)
}

// fingerprint returns a hash of the pairs, so that a checkpoint is used only with the same ones.
func fingerprint(p graph.Pairs) string {
	h := sha256.New()
	for _, list := range [][]graph.Pair{p.Edges, p.NonEdges} {
		// Writing to a hash never fails.
		_ = binary.Write(h, binary.LittleEndian, int64(len(list)))
		_ = binary.Write(h, binary.LittleEndian, list)
	}
	const bytes = 16 // enough to tell all splits apart
	return fmt.Sprintf("%x", h.Sum(nil)[:bytes])
}
