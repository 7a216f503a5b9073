package cost

import "math"

// Estimate has the number of operations of each kind in a part of a run.
type Estimate [operations]float64

// Of returns an estimate of count operations of the kind o, and no others.
func Of(o Operation, count float64) (e Estimate) {
	e[o] = count
	return e
}

// Add adds count operations of the kind o to the estimate.
func (e *Estimate) Add(o Operation, count float64) { e[o] += count }

// Plus returns the sum of two estimates.
func (e Estimate) Plus(other Estimate) Estimate {
	for o, count := range other {
		e[o] += count
	}
	return e
}

// Times returns the estimate of a part that is done factor times.
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

// Seconds returns the time in seconds on a number of cores, each with a rate in units of cost per
// second ([Rate]).
func (e Estimate) Seconds(rate float64, cores int) float64 { return e.Cost() / rate / float64(cores) }

// DenseStep returns the operations of a step on a batch of positive pairs of n nodes, and as many
// negative ones, with f smoothed features and d dimensions: forward and backward products for the
// nodes of the pairs, and what stepPairs counts of the pairs and the tries for negative ones.
func DenseStep(n, f, d, positives, tries float64) (e Estimate) {
	ends := 4 * positives            // two of each pair
	rows := -n * math.Expm1(-ends/n) // of n nodes, random ends meet n(1 − exp(−ends/n))
	e.Add(Step, 2*rows*f*d)
	return e.Plus(stepPairs(rows, d, positives, tries))
}

// FilteredStep returns the operations of a step that filters, on all n nodes: forward and backward,
// each of d columns is multiplied by all entries, which are those of X and, once for each layer,
// those of H. The pairs are as for DenseStep.
func FilteredStep(n, entries, d, positives, tries float64) Estimate {
	return Of(StepEntry, 2*entries*d).Plus(stepPairs(n, d, positives, tries))
}

// stepPairs returns the operations of a step that are not products with W: each of the rows of d
// dimensions is scaled, as is its gradient. Each of the 2·positives pairs has a similarity and two
// rows of the gradient, and as many similarities more as there are tries: where negative pairs are
// drawn, drawn ones are ranked, too.
func stepPairs(rows, d, positives, tries float64) (e Estimate) {
	e.Add(StepRow, rows*d)
	e.Add(StepPair, 2*positives*(3+tries)*d)
	return e
}

// DenseColumns returns the number of columns of a dense matrix of n rows that cost a step as much
// as the given number of entries of a sparse one.
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
	vectors := max(12*8, 4*k)
	e.Add(Vector, 2*vectors*n*d)
	return e.Plus(KMeans(n, n, k))
}

// KMeans returns the operations of ten runs of k-means of n rows with k centers: a [Distance] counts
// for ten runs. Of more rows than sampled, only one of the ten runs sees the others.
func KMeans(n, sampled, k float64) Estimate {
	sampled = min(n, sampled)
	return Of(Distance, (sampled+(n-sampled)/10)*k)
}
