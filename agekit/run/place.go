package run

import (
	"context"
	"fmt"
	"time"

	"github.com/agekit/age/agekit/tsne"
)

const (
	// quickNodes is the number of nodes above which a map takes fewer steps.
	quickNodes = 5000
	// sampledNodes is the number of nodes that t-SNE places if there are more than
	// twice as many; the others go beside those that are most similar.
	sampledNodes = 10000
)

// place places the nodes on a map: t-SNE of the embedding.
func (r *Run) place(ctx context.Context, o *Options) (err error) {
	z := r.Embedding
	if z.Rows < 4 {
		return nil
	}
	start := time.Now()
	var settings tsne.Options
	if z.Rows > quickNodes {
		settings.Iterations = 300
	}
	if z.Rows > 2*sampledNodes {
		settings.Sample = sampledNodes
	}
	r.Places, err = tsne.Embed(ctx, z, settings, source(0))
	if ctx.Err() != nil {
		return fmt.Errorf("stopped while placing the nodes on the map; run it again, or without a map: %w", err)
	}
	if err == nil {
		o.log("map: %.1f s", time.Since(start).Seconds())
	}
	return err
}
