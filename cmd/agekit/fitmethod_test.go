package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// TestFitMethods runs every method but AGE on a small graph, in each of its modes. The scores in the report
// are those that package metric computes for labels.txt, and the embedding, if the method has one, has a
// row for each node.
func TestFitMethods(t *testing.T) {
	isolate(t)
	const planted = "planted:n=90,classes=3,f=40,words=8"
	g := testutil.Value(dataset.Load(t.Context(), planted, dataset.Options{})).OrFatal(t)
	for _, name := range method.Names() {
		if name == method.AGE { // whose report has other fields
			continue
		}
		info, _ := method.Find(name)
		modes := []string{"fair"}
		if info.Published {
			modes = append(modes, "published")
		}
		for _, mode := range modes {
			t.Run(name+", "+mode, func(t *testing.T) {
				out := t.TempDir()
				args := []string{"--dataset", planted, "--method", strings.ToLower(name), "--epochs", "5", "--backend", "native", "--out", out}
				if mode == "published" {
					args = append(args, "--published")
				}
				// One map of an embedding and one of clusters show that there are maps.
				hasMap := mode == "fair" && (name == "LS" || name == "Louvain")
				if !hasMap {
					args = append(args, "--no-map")
				}
				r := fit(t, args...)
				clusters := readLabels(t, out)
				if r.Mode != mode || r.ACC == nil {
					t.Fatalf("mode %s, ACC %v", r.Mode, r.ACC)
				}
				if acc, modularity := metric.Accuracy(g.Labels, clusters), metric.Modularity(g.Adjacency, clusters); *r.ACC != acc || r.Modularity != modularity {
					t.Errorf("ACC %v, modularity %v; those of labels.txt are %v, %v", *r.ACC, r.Modularity, acc, modularity)
				}
				if _, err := os.Stat(filepath.Join(out, "embeddings.npy")); err != nil {
					return // the method has none
				}
				if rows, _ := readEmbeddings(t, out).Dims(); rows != g.N() {
					t.Errorf("%d rows of the embedding, want %d", rows, g.N())
				}
			})
		}
	}
}
