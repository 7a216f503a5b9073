package encoder_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/linalg"
	. "github.com/agekit/age/internal/modeltest"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
)

// sampleOf returns settings for [SmallGraph], which has 400 nodes, with a sample of that many.
func sampleOf(nodes int) Options {
	c := Small()
	c.Sample = nodes
	return c
}

// TestSample: after a training on half the nodes, the embedding of all nodes is that of the weights
// by its definition in float64 ([EmbedRow]), and its clusters find the planted classes with an
// accuracy of .9. The bytes are the same on one core and, but for the index's rounding, in blocks,
// and others with another seed.
func TestSample(t *testing.T) {
	const size = 200
	g, c := SmallGraph(t), sampleOf(size)
	for _, members := range []int{1, 2} {
		c.Members = members
		want := MustTrain(t, g, c, Options{})
		if want.Sample != size || want.Embedding.Rows != g.N() || len(want.Labels) != g.N() {
			t.Fatalf("sample %d, %d rows, %d labels", want.Sample, want.Embedding.Rows, len(want.Labels))
		}
		x := testutil.Value(want.Encoder.Filter.Smooth(t.Context(), laplacian.New(g.Adjacency), g.Features)).OrFatal(t)
		for i := range g.N() {
			row := want.Embedding.Data[i*want.Embedding.Stride:][:want.Embedding.Cols]
			for m, w := range want.Encoder.Weights {
				for k, v := range EmbedRow(x.Data[i*x.Stride:][:x.Cols], w) {
					v /= math.Sqrt(float64(members)) // members stand side by side in a row of length 1
					if got := float64(row[m*c.Dims+k]); math.Abs(got-v) > 1e-5 {
						t.Fatalf("%d members: ẑ[%d,%d] is %v, want %v", members, i, k, got, v)
					}
				}
			}
		}
		if acc := metric.Accuracy(g.Labels, want.Labels); acc < 0.9 {
			t.Errorf("%d members: accuracy %.3f, want .9 or more, as of the whole graph", members, acc)
		}
		cores := runtime.GOMAXPROCS(1)
		SameResult(t, "on one core", MustTrain(t, g, c, Options{}), want)
		runtime.GOMAXPROCS(cores)
		blocks := MustTrain(t, g, c, Options{Running: Running{InBlocks: true}})
		if blocks.Embedding.Rows != 0 || !slices.Equal(blocks.Labels, want.Labels) {
			t.Errorf("%d members: in blocks, %d rows, want none and the same clusters", members, blocks.Embedding.Rows)
		}
		if math.Abs(blocks.DaviesBouldin-want.DaviesBouldin) > 1e-8*want.DaviesBouldin {
			t.Errorf("%d members: in blocks, index %v, want %v", members, blocks.DaviesBouldin, want.DaviesBouldin)
		}
		testutil.NoError(t, linalg.EachBlockInOrder(t.Context(), blocks.Rows(), func(first int, block blas32.General) {
			for i := range block.Rows {
				if !slices.Equal(block.Data[i*block.Stride:][:block.Cols], want.Embedding.Data[(first+i)*want.Embedding.Stride:][:block.Cols]) {
					t.Fatalf("%d members: another row %d in blocks", members, first+i)
				}
			}
		}))
		other := c
		other.Seed++
		if slices.Equal(MustTrain(t, g, other, Options{}).Embedding.Data, want.Embedding.Data) {
			t.Errorf("%d members: the same embedding with another seed", members)
		}
	}
}

// TestSampleResumes: a training on a sample that was stopped resumes, as its log says, to the bytes
// of an uninterrupted one. A training on a larger sample does not resume from its checkpoint.
func TestSampleResumes(t *testing.T) {
	g, c, larger := SmallGraph(t), sampleOf(200), sampleOf(250)
	want, wantLarger := MustTrain(t, g, c, Options{}), MustTrain(t, g, larger, Options{})
	for _, stop := range []int{3, 12, 22} {
		checkpoints := StopAfter(t, g, c, Options{}, stop)
		resumed := false
		again := Options{Running: Running{Checkpoints: checkpoints, Progress: func(e Event) { resumed = resumed || strings.HasPrefix(e.Line, "resumed") }}}
		SameResult(t, "another sample", MustTrain(t, g, larger, again), wantLarger)
		if resumed {
			t.Error("another sample resumed")
		}
		SameResult(t, "resumed", MustTrain(t, g, c, again), want)
		if !resumed {
			t.Errorf("stopped after epoch %d: not resumed", stop)
		}
	}
}

// TestInputSample: a sample of 100 nodes has 100 different rows of X̃, in the order of X̃, and a
// sample of all nodes has all rows.
func TestInputSample(t *testing.T) {
	const size = 100
	g := SmallGraph(t)
	input := testutil.Value(Prepare(t.Context(), g, Options{})).OrFatal(t)
	defer input.Close()
	x := input.Smoothed
	next := 0 // the row of the sample that is looked for next
	all := input.Sample(g.N(), rand.New(rand.NewPCG(1, 1)))
	some := input.Sample(size, rand.New(rand.NewPCG(1, 1)))
	for i := range g.N() {
		row := x.Data[i*x.Stride:][:x.Cols]
		if !slices.Equal(row, all.Smoothed.Data[i*all.Smoothed.Stride:][:x.Cols]) {
			t.Fatalf("row %d of all differs", i)
		}
		if next < size && slices.Equal(row, some.Smoothed.Data[next*some.Smoothed.Stride:][:x.Cols]) {
			next++
		}
	}
	if next != size {
		t.Errorf("%d of %d rows are those of X̃, in order", next, size)
	}
}

// TestSampleErrors: a sample with fewer than two nodes per cluster and a negative one are errors.
// With a judge, any sample is replaced by all 400 nodes.
func TestSampleErrors(t *testing.T) {
	g := SmallGraph(t)
	for sample, want := range map[int]string{
		7: "sample is 7: want 8 or more, for 4 clusters", -2: "sample is -2: want 1 or more, all or auto",
	} {
		if _, err := Train(t.Context(), g, sampleOf(sample), Options{}); err == nil || err.Error() != want {
			t.Errorf("sample %d: error %v, want %s", sample, err, want)
		}
	}
	judge := &Judge{Name: "judge", Score: func(context.Context, blas32.General) (float64, error) { return 0, nil }}
	for _, sample := range []int{0, AllNodes, 200, 500} {
		if r := MustTrain(t, g, sampleOf(sample), Options{Judge: judge}); r.Sample != 400 {
			t.Errorf("sample %d with a judge: %d", sample, r.Sample)
		}
	}
}
