package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
	"github.com/sbinet/npyio"
)

// TestFitMethods runs every method on a small graph, in each of its modes. The
// report's scores are those of the labels it writes, and the embedding, if there
// is one, has a row for each node.
func TestFitMethods(t *testing.T) {
	isolate(t)
	const planted = "planted:n=90,classes=3,f=40,words=8"
	g := testutil.Value(dataset.Load(t.Context(), planted, dataset.Options{})).OrFatal(t)
	for _, name := range method.Names() {
		if name == method.AGE { // whose report has other fields
			continue
		}
		for _, published := range []bool{false, true} {
			if m, _ := method.Find(name); published && !m.Published {
				continue
			}
			out := t.TempDir()
			args := []string{"fit", "--json", "--dataset", planted, "--method", strings.ToLower(name), "--epochs", "5", "--backend", "native", "--out", out}
			// One map of an embedding and one of clusters show that there are maps.
			if published || name != "LS" && name != "Louvain" {
				args = append(args, "--no-map")
			}
			mode := "fair"
			if published {
				args, mode = append(args, "--published"), "published"
			}
			code, stdout, stderr := age(t, args...)
			if code != 0 {
				t.Errorf("%s: exit %d\n%s", name, code, stderr)
				continue
			}
			r := decoded[run.Record](t, stdout)
			var clusters []int
			for _, line := range strings.Fields(string(read(t, filepath.Join(out, "labels.txt")))) {
				c := testutil.Value(strconv.Atoi(line)).OrFatal(t)
				clusters = append(clusters, c)
			}
			if r.Mode != mode || r.ACC == nil || *r.ACC != metric.Accuracy(g.Labels, clusters) || r.Modularity != metric.Modularity(g.Adjacency, clusters) {
				t.Errorf("%s, %s: report %+v does not fit the labels", name, mode, r)
			}
			f, err := os.Open(filepath.Join(out, "embeddings.npy"))
			if os.IsNotExist(err) {
				continue
			}
			testutil.NoError(t, err)
			array, err := npyio.NewReader(f)
			if err != nil || array.Header.Descr.Shape[0] != g.N() {
				t.Errorf("%s: embedding %v, error %v", name, array, err)
			}
			f.Close()
		}
	}
}
