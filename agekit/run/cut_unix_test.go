//go:build unix

package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/testutil"
)

// TestCutGraph: a file of a graph folder that is cut after the folder was opened makes the run an error that
// names the file, and no crash: dense features, which are mapped, and the edges.
func TestCutGraph(t *testing.T) {
	s := planted(t)
	g := *s.g
	dense := g.Features.ToDense()
	g.Features.Sparse, g.Features.Dense = nil, &dense
	for _, file := range []string{"features.f32", "indices.i32", "indptr.i64"} {
		folder := filepath.Join(t.TempDir(), "g")
		testutil.NoError(t, graphfolder.Write(t.Context(), folder, &g))
		d := testutil.Value(input.Open(t.Context(), input.Source{Graph: folder})).OrFatal(t)
		testutil.NoError(t, os.Truncate(filepath.Join(folder, file), 0))
		o := Default()
		o.Epochs, o.Dims = 2, 8
		o.Clusters.Least, o.Clusters.Most = 4, 4
		_, err := Fit(t.Context(), d, o)
		if err == nil || !strings.Contains(err.Error(), file+" has 0 bytes, and had") || !strings.Contains(err.Error(), "the file changed while it was read") {
			t.Errorf("%s: error %v", file, err)
		}
	}
}

// TestWrittenGraph: a file of a graph folder that is written to after the folder was opened, and keeps its size, is
// named in a warning of the run.
func TestWrittenGraph(t *testing.T) {
	s := planted(t)
	folder := filepath.Join(t.TempDir(), "g")
	testutil.NoError(t, graphfolder.Write(t.Context(), folder, s.g))
	values := filepath.Join(folder, "scale.f64")
	d := testutil.Value(input.Open(t.Context(), input.Source{Graph: folder})).OrFatal(t)
	later := time.Now().Add(time.Hour)
	testutil.NoError(t, os.Chtimes(values, later, later))
	o := Default()
	o.Epochs, o.Dims = 2, 8
	o.Clusters.Least, o.Clusters.Most = 4, 4
	r := testutil.Value(Fit(t.Context(), d, o)).OrFatal(t)
	if len(r.Warnings) == 0 || !strings.HasSuffix(r.Warnings[len(r.Warnings)-1], "scale.f64 was written to while it was read: the result may be of both") {
		t.Errorf("warnings %q", r.Warnings)
	}
}
