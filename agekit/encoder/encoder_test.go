package encoder_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/encoder/step"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/npy"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// TestEncoderEmbeds: an encoder is the same after saving and loading, and then embeds the graph
// that it was trained on with the bytes of the training's embedding: for one member and two, with
// sparse features, which are filtered within the product, and with dense ones. Its k is a number
// if 1/λmax was asked for.
func TestEncoderEmbeds(t *testing.T) {
	g := SmallGraph(t)
	named := *g
	_, f := g.Features.Dims()
	for j := range f {
		named.FeatureNames = append(named.FeatureNames, strings.Repeat("é", j%3+1))
	}
	dense := *g
	x := g.Features.ToDense()
	dense.Features = graph.Features{Dense: &x}
	for what, g := range map[string]*graph.Graph{"sparse": &named, "dense": &dense} {
		for members := 1; members <= 2; members++ {
			c := Small()
			c.Epochs, c.Members, c.K = 6, members, laplacian.InverseLambdaMax
			r := MustTrain(t, g, c, Options{})
			path := filepath.Join(t.TempDir(), "an encoder.npz")
			testutil.NoError(t, r.Encoder.Save(path))
			loaded := testutil.Value(Load(path)).OrFatal(t)
			if !reflect.DeepEqual(loaded, r.Encoder) {
				t.Errorf("%s, %d members: loaded filter %+v and %d names", what, members, loaded.Filter, len(loaded.FeatureNames))
			}
			if loaded.Filter.K != 1/r.LambdaMax || loaded.Filter.Layers != c.Layers {
				t.Errorf("%s, %d members: loaded filter %+v, want k %v and t %d", what, members, loaded.Filter, 1/r.LambdaMax, c.Layers)
			}
			z := testutil.Value(loaded.Embed(t.Context(), g)).OrFatal(t)
			for i := range g.N() {
				if !slices.Equal(z.Data[i*z.Stride:][:z.Cols], r.Embedding.Data[i*r.Embedding.Stride:][:z.Cols]) {
					t.Fatalf("%s, %d members: the embedding of node %d differs", what, members, i)
				}
			}
		}
	}
}

// TestEncoderEmbedsOtherGraphs compares the embedding of another graph, which is a single node
// without neighbors, with its definition in float64 ([EmbedRow]). The node's smoothed features
// are its features.
func TestEncoderEmbedsOtherGraphs(t *testing.T) {
	g := SmallGraph(t)
	c := Small()
	c.Epochs = 2
	e := MustTrain(t, g, c, Options{}).Encoder
	_, f := g.Features.Dims()
	x := blas32.General{Rows: 1, Cols: f, Stride: f, Data: make([]float32, f)}
	x.Data[3], x.Data[50] = 1, 0.5 // any two
	alone := testutil.Value(graph.Adjacency(1, nil, nil, nil)).OrFatal(t)
	z := testutil.Value(e.Embed(t.Context(), &graph.Graph{Adjacency: alone, Features: graph.Features{Dense: &x}})).OrFatal(t)
	for k, want := range EmbedRow(x.Data, e.Weights[0]) {
		if d := float64(z.Data[k]) - want; d > 1e-6 || d < -1e-6 {
			t.Errorf("ẑ[%d] is %v, want %v", k, z.Data[k], want)
		}
	}
}

// TestEncoderErrors: an encoder refuses a graph with another name of a feature, or with another
// number of features.
func TestEncoderErrors(t *testing.T) {
	g := SmallGraph(t)
	const features, dims = 120, 8 // the features are SmallGraph's
	names := func(first string) []string {
		all := slices.Repeat([]string{"word"}, features)
		all[0] = first
		return all
	}
	e := &Encoder{Filter: laplacian.Filter{K: 0.5, Layers: 1}, Features: features, Weights: []Weights{step.NewWeights(features, dims)}, FeatureNames: names("a")}
	other := *g
	other.FeatureNames = names("b")
	testutil.Value(e.Embed(t.Context(), &other)).Fails(t, `feature 0 is "b": want "a", as in training`)
	e.Features, e.Weights[0] = 7, step.NewWeights(7, dims)
	testutil.Value(e.Embed(t.Context(), g)).Fails(t, "120 features, but the encoder was trained on 7")
}

// TestLoadErrors: an archive that lacks an array, or has a wrong value in one, is an error that
// begins with the file and says what is wrong. So are a folder and a file that is no archive.
func TestLoadErrors(t *testing.T) {
	matrix := func(rows, cols int) blas32.General {
		return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float32, rows*cols)}
	}
	whole := map[string]any{"W": matrix(3, 2), "b": matrix(1, 2), "k": []float64{0.5}, "t": []int64{2}, "unit": []float64{1}}
	for _, test := range []struct {
		array string
		value any // in place of the valid one; nil leaves the array out
		want  string
	}{
		{"W", nil, "no weights"},
		{"b", nil, "has no array b"},
		{"k", nil, "has no array k"},
		{"k", []float64{-3}, "k is -3"},
		{"k", []float64{1, 2}, "array k has 2 numbers"},
		{"t", []float64{2}, "array t: values of type float64: want integers"},
		{"t", []int64{-1}, "layers is -1"},
		{"b", matrix(2, 2), "array b has 2 rows"},
		{"b", matrix(1, 3), "b has 3 numbers"},
		{"feature_names", []uint8("a\nb"), "2 feature names for 3 features"},
		{"feature_names", []uint8("a\nb\n\xff"), "array feature_names: want UTF-8 text"},
		{"W", blas32.General{Rows: 3, Cols: 2, Stride: 2, Data: []float32{0, 0, 0, float32(math.NaN()), 0, 0}}, "a weight is NaN"},
		{"k", []float64{math.NaN()}, "k is NaN"},
		{"W2", matrix(3, 2), `array "W2": want only k, t, unit, feature_names, W, b`},
	} {
		var arrays []npy.NamedArray
		for _, name := range []string{"W", "b", "k", "t", "unit", "feature_names", "W2"} {
			value := whole[name]
			if name == test.array {
				value = test.value
			}
			if value != nil {
				arrays = append(arrays, npy.NamedArray{Name: name, Value: value})
			}
		}
		var b bytes.Buffer
		testutil.NoError(t, npy.WriteArchive(&b, arrays...))
		path := filepath.Join(t.TempDir(), "model.npz")
		testutil.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s = %v: error %v, want one with the path and %q", test.array, test.value, err, test.want)
		}
	}
	testutil.Value(Load(t.TempDir())).Fails(t, "is a folder: want a regular file")
	path := filepath.Join(t.TempDir(), "no.npz")
	testutil.NoError(t, os.WriteFile(path, []byte("PK nothing"), 0o600))
	testutil.Value(Load(path)).Fails(t, "not an .npz archive")
}
