package agekit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/store"
	"github.com/agekit/age/agekit/tsne"
	"gonum.org/v1/gonum/blas/blas32"
)

// TSNE embeds x's rows in the plane, n×2, by Barnes–Hut t-SNE with seed 0. The
// perplexity is the number of neighbors that each point tries to keep near it; 0
// means 30. The name appears in messages.
func TSNE(name string, x blas32.General, perplexity float64) (blas32.General, error) {
	content, err := store.Matrix{General: x}.GobEncode()
	if err != nil {
		return blas32.General{}, err
	}
	sum := sha256.Sum256(content)
	key := store.NewKey("t-SNE", 2, hex.EncodeToString(sum[:]), perplexity)
	m, err := cached("t-SNE of "+name, key, func() (store.Matrix, error) {
		var live figure.Live
		start := time.Now()
		y, err := tsne.Embed(interrupt(), x, tsne.Options{Perplexity: perplexity, Progress: func(iteration int, kl float64) {
			Check(live.Update(fmt.Sprintf("t-SNE of %s: step %d, divergence %.3f, %s", name, iteration, kl, time.Since(start).Round(time.Second))))
		}}, rand.New(rand.NewPCG(0, 0)))
		if err == nil {
			err = live.Done("")
		}
		return store.Matrix{General: y}, err
	})
	return m.General, err
}
