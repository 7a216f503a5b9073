package cost

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near reports whether an estimate differs from what was counted by a share at most.
func near(t *testing.T, what string, got, counted, share float64) {
	t.Helper()
	if math.Abs(got-counted) > share*counted {
		t.Errorf("%s: %.4g operations estimated, %.4g counted", what, got, counted)
	}
}

// TestStepCounts compares a step with the operations of plain loops over random pairs. The number
// of their nodes has a standard deviation below 1 %.
func TestStepCounts(t *testing.T) {
	const f, d = 5, 3
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{100, 1000, 20_000} {
		for _, positives := range []int{500, 5000} {
			met := map[int]bool{}
			similarities, gradients := 0, 0
			for range 2 * positives {
				met[rnd.IntN(n)], met[rnd.IntN(n)] = true, true
				for range d {
					similarities++
					gradients += 2
				}
			}
			products := 0
			for range met {
				for range f * d {
					products += 2 // for z, and for the gradient of W
				}
			}
			e := DenseStep(float64(n), f, d, float64(positives), 0)
			near(t, "products", e[Step], float64(products), 0.05)
			near(t, "rows", e[StepRow], float64(len(met)*d), 0.05)
			near(t, "pairs", e[StepPair], float64(similarities+gradients), 1e-12)
		}
	}
	e := DenseStep(100, f, d, 500, 4)
	near(t, "pairs with tries", e[StepPair], 1000*(3+4)*d, 1e-12)
}

// TestPassCounts compares the products of triangles with the operations of plain loops: without the
// diagonal's halves they are n·d²/2.
func TestPassCounts(t *testing.T) {
	const n, d = 30, 200
	products := 0
	for range n {
		for row := range d {
			products += row + 1
		}
	}
	near(t, "Gram matrix", GramMatrix(n, d)[Gram], float64(products), 1./d)
	near(t, "lengths", Lengths(n, d)[Length], float64(products), 1./d)
	near(t, "embedding", Embedding(n, 7, d)[Embed], n*7*d, 1e-12)
}

// TestKMeans: ten runs see all rows up to the sample's number; of further ones, one run does.
func TestKMeans(t *testing.T) {
	const k, sampled = 3, 1000
	near(t, "few rows", 10*KMeans(500, sampled, k)[Distance], 10*500*k, 1e-12)
	near(t, "many rows", 10*KMeans(5000, sampled, k)[Distance], (10*1000+4000)*k, 1e-12)
}

// TestEstimate: the cost of an estimate is the sum over its operations, of which each has a name of
// its own and a cost, and seconds are those of the rate.
func TestEstimate(t *testing.T) {
	names := map[string]bool{}
	var all Estimate
	want := 0.
	for o := range operations {
		if names[o.String()] || o.String() == "" || !(o.Cost() > 0) {
			t.Errorf("operation %d is called %q and costs %v", o, o, o.Cost())
		}
		names[o.String()] = true
		all.Add(o, float64(o))
		want += float64(o) * o.Cost()
	}
	near(t, "the cost", all.Plus(all).Times(3).Cost(), 6*want, 1e-12)
	near(t, "the seconds", all.Seconds(want/10, 5), 2, 1e-12)
}

// TestDenseColumns: so many columns cost as much as the entries.
func TestDenseColumns(t *testing.T) {
	columns := DenseColumns(12_000, 50)
	near(t, "the cost of entries", Of(Step, 50*columns).Cost(), Of(StepEntry, 12_000).Cost(), 1e-12)
}
