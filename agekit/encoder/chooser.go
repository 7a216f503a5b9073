package encoder

import (
	"context"

	"gonum.org/v1/gonum/blas/blas32"
)

// Chooser scores saved embeddings, so that a task other than clustering can
// choose the epoch: link prediction goes by validation edges (paper, §3.4.2).
type Chooser struct {
	// Name tells choosers apart, in checkpoints too: two that can score an
	// embedding differently must have different names.
	Name string `json:"name"`
	// Score returns the score of an embedding, n×d, which it must not keep.
	// The epoch with the lowest score is chosen. The same embedding must
	// always get the same score.
	Score func(ctx context.Context, z blas32.General) (float64, error) `json:"-"`
}
