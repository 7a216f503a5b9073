package agekit

import (
	"fmt"
	"log"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/gomlx"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/store"
)

// Chosen is a result with settings that were chosen without labels, and what was
// tried.
type Chosen struct {
	*encoder.Result
	auto.Tried
}

// chosen is a result as it is stored: the embedding is plain numbers.
type chosen struct {
	Result trained
	Tried  auto.Tried
}

// Choose finds settings and clusters of g without labels, as `agekit fit --auto` does
// ([auto.Fit], docs/choosing-settings.md): the number of filter layers, the pairs,
// whether to train at all and, if clusters is 0, the number of clusters, 2 to 20. It
// prints each step, and resumes if it was interrupted before.
func Choose(g *graph.Graph, clusters int) (*Chosen, error) {
	choice, err := cellBackend()
	if err != nil {
		return nil, err
	}
	o := auto.Options{Clusters: clusters, Config: encoder.PaperConfig(g.Name)}
	o.Seed = o.Config.Seed
	if clusters == 0 {
		o.Clusters, o.Most = 2, max(2, min(auto.Most, g.N()/2))
	}
	start := time.Now()
	discard := func() error { return nil }
	key := store.NewKey("chosen settings", 1, g.Fingerprint(), o.Clusters, o.Most, o.Config, choice.Name)
	kept, hit, err := store.Cached(results(), key, func() (chosen, error) {
		o.Log = func(line string) { fmt.Println(line) }
		o.Encoder = encoder.Options{Backend: gomlx.On(choice), Checkpoints: results()}
		r, err := auto.Fit(interrupt(), g, o)
		if err != nil {
			return chosen{}, err
		}
		discard = r.Discard
		plain := store.Matrix{General: r.Embedding}
		r.Embedding = blas32.General{}
		return chosen{Result: trained{r.Result, plain}, Tried: r.Tried}, nil
	})
	if err != nil {
		return nil, fmt.Errorf("choosing settings: %w", err)
	}
	if err := discard(); err != nil {
		log.Printf("the checkpoints remain: %v", err)
	}
	kept.Result.Result.Embedding = kept.Result.Embedding.General
	say("chosen settings", hit, time.Since(start))
	return &Chosen{kept.Result.Result, kept.Tried}, nil
}

// Table shows what was tried, with the scores that decided.
func (c *Chosen) Table() figure.Fragment {
	var rows [][]string
	for _, i := range c.Best() {
		t := c.Trials[i]
		name := t.Name()
		if i == c.Tried.Chosen {
			name += " ← chosen"
		}
		rows = append(rows, []string{name, fmt.Sprintf("%.3f", t.FeatureInformation), fmt.Sprintf("%.3f", t.MeanConductance), fmt.Sprintf("%.2f", t.Score), fmt.Sprintf("%.1f", t.Seconds)})
	}
	return figure.Table([]string{"tried", "features' information", "mean conductance", "score", "seconds"}, rows)
}
