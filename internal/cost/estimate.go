package cost

import "math"

// Estimate has the number of operations of each kind in a part of a run.
type Estimate [operations]float64

// Of returns an estimate of so many operations of one kind.
func Of(o Operation, count float64) (e Estimate) {
	e[o] = count
	return e
}

// Add counts more operations.
func (e *Estimate) Add(o Operation, count float64) { e[o] += count }

// Plus returns the operations of both.
func (e Estimate) Plus(other Estimate) Estimate {
	for o, count := range other {
		e[o] += count
	}
	return e
}

// Times returns the operations of a part that is done so many times.
func (e Estimate) Times(factor float64) Estimate {
	for o := range e {
		e[o] *= factor
	}
	return e
}

// Cost returns the sum of all operations' costs.
func (e Estimate) Cost() (sum float64) {
	for o, count := range e {
		sum += count * table[o].cost
	}
	return sum
}

// Seconds returns the time of so many cores, each of the rate ([Rate]).
func (e Estimate) Seconds(rate float64, cores int) float64 { return e.Cost() / rate / float64(cores) }

// DenseStep returns the operations of a step on so many positive pairs of n nodes, and as many
// negative ones, with f smoothed features and d dimensions: products forward and backward for the
// nodes of the pairs, of which random ones have n(1 − exp(−ends/n)).
func DenseStep(n, f, d, positives, tries float64) (e Estimate) {
	rows := -n * math.Expm1(-4*positives/n)
	e.Add(Step, 2*rows*f*d)
	return e.Plus(stepPairs(rows, d, positives, tries))
}

// FilteredStep returns the operations of a step on n nodes that filters: forward and backward, a
// column of each dimension takes all entries of X, and those of H once for each layer.
func FilteredStep(n, entries, d, positives, tries float64) Estimate {
	return Of(StepEntry, 2*entries*d).Plus(stepPairs(n, d, positives, tries))
}

// stepPairs returns the operations of a step that are no products: each row is scaled, as is its
// gradient, and each pair has a similarity and two rows of the gradient, besides the similarities of
// tries for each negative one.
func stepPairs(rows, d, positives, tries float64) (e Estimate) {
	e.Add(StepRow, rows*d)
	e.Add(StepPair, 2*positives*(3+tries)*d)
	return e
}

// DenseColumns returns the number of columns of a dense matrix of n rows by which a step multiplies
// in the time that so many entries take.
func DenseColumns(entries, n float64) float64 {
	return Of(StepEntry, entries).Cost() / Of(Step, n).Cost()
}

// Embedding returns the operations of embedding n rows of f features in d dimensions.
func Embedding(n, f, d float64) (e Estimate) {
	e.Add(Embed, n*f*d)
	e.Add(Entry, n*d)
	return e
}

// GramMatrix returns the operations of the Gram matrix ZᵀZ of n rows with d columns.
func GramMatrix(n, d float64) (e Estimate) {
	e.Add(Gram, n*d*d/2)
	e.Add(GramEntry, n*d)
	return e
}

// Lengths returns the operations of the lengths of n rows with d columns, multiplied by a triangle.
func Lengths(n, d float64) (e Estimate) {
	e.Add(Length, n*d*d/2)
	e.Add(LengthEntry, n*d)
	return e
}

// Index returns the operations of the Davies–Bouldin index of n rows in memory with d columns: the
// Gram matrix and the lengths.
func Index(n, d float64) Estimate { return GramMatrix(n, d).Plus(Lengths(n, d)) }

// Spectral returns the operations of dividing n rows in memory with d columns into k clusters by
// the eigenvectors of their similarities: 12 blocks of 8 vectors, or 4·k vectors if that is more,
// each multiplied by Zᵀ and by Z, and k-means.
func Spectral(n, d, k float64) (e Estimate) {
	e.Add(Vector, 2*max(12*8, 4*k)*n*d)
	return e.Plus(KMeans(n, n, k))
}

// KMeans returns the operations of ten runs of k-means of n rows with k centers. Only one run sees
// more than the sampled rows.
func KMeans(n, sampled, k float64) Estimate {
	sampled = min(n, sampled)
	return Of(Distance, (sampled+(n-sampled)/10)*k)
}
