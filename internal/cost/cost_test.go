package cost

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near fails the test if an estimate differs from what was counted by more than a share of it.
func near(t *testing.T, what string, got, counted, share float64) {
	t.Helper()
	if math.Abs(got-counted) > share*counted {
		t.Errorf("%s: %.4g operations estimated, %.4g counted", what, got, counted)
	}
}

// TestStepCounts compares the estimate of a step with counters in plain loops over random pairs. The
// number of nodes in the pairs is random, with a standard deviation below 1 %. Each try is one more
// similarity for each pair.
func TestStepCounts(t *testing.T) {
	const f, d = 5, 3   // features and dimensions
	const exact = 1e-12 // the share by which rounding may change a count
	rnd := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{100, 1000, 20_000} {
		for _, positives := range []int{500, 5000} {
			met := map[int]bool{} // the nodes of the pairs
			similarities, gradients := 0, 0
			for range 2 * positives { // and as many negative pairs
				met[rnd.IntN(n)], met[rnd.IntN(n)] = true, true
				for range d {
					similarities++
					gradients += 2 // for both nodes of a pair
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
			near(t, "pairs", e[StepPair], float64(similarities+gradients), exact)
		}
	}
	const nodes, positives, tries = 100, 500, 4
	e := DenseStep(nodes, f, d, positives, tries)
	near(t, "pairs with tries", e[StepPair], 2*positives*(3+tries)*d, exact)
}

// TestPassCounts compares the estimates of Gram matrices and lengths, n·d²/2 products of a triangle,
// with counters in plain loops, which count the diagonal whole: they differ by a share of 1/d. The
// estimate of an embedding is compared with the formula.
func TestPassCounts(t *testing.T) {
	const n, d, f = 30, 200, 7 // rows, columns of an embedding, features
	products := 0
	for range n {
		for row := range d {
			products += row + 1
		}
	}
	near(t, "Gram matrix", GramMatrix(n, d)[Gram], float64(products), 1./d)
	near(t, "lengths", Lengths(n, d)[Length], float64(products), 1./d)
	near(t, "embedding", Embedding(n, f, d)[Embed], n*f*d, 1e-12)
}

// TestKMeans: each of ten runs of k-means compares all rows with k centers, but of more rows than are
// sampled, nine runs compare the sampled ones alone. The cost of a distance is that of ten runs.
func TestKMeans(t *testing.T) {
	const runs, k, sampled = 10, 3, 1000
	const few, many = 500, 5000 // rows
	near(t, "few rows", runs*KMeans(few, sampled, k)[Distance], runs*few*k, 1e-12)
	near(t, "many rows", runs*KMeans(many, sampled, k)[Distance], (runs*sampled+many-sampled)*k, 1e-12)
}

// TestEstimate: each operation has a name of its own and a cost. The cost of an estimate is the sum
// over its operations, added up by hand here, and follows Plus and Times; its seconds are the cost
// divided by the rate and the number of cores.
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
	rate, cores := want/10, 5 // ten seconds of one core
	near(t, "the seconds", all.Seconds(rate, cores), 2, 1e-12)
}

// TestDenseColumns: a step with the dense columns that DenseColumns returns costs as much as one with
// the entries.
func TestDenseColumns(t *testing.T) {
	const entries, n = 12_000, 50
	columns := DenseColumns(entries, n)
	near(t, "the cost of entries", Of(Step, n*columns).Cost(), Of(StepEntry, entries).Cost(), 1e-12)
}
