// Package cost predicts what the parts of a run take: it counts operations ([Estimate]) and weighs
// them by one table. The unit is one multiply-add of a Gram matrix on one core, as [Rate] measures
// it: a cost divided by a rate is seconds of a core.
package cost

// Operation is what a run does many times.
type Operation int

const (
	// The step of a training.

	Step      Operation = iota // multiply-add of the products with W, forward and backward
	StepEntry                  // nonzero entry of X or H by a column, where a step filters
	TileEntry                  // the same in the lists of a step that XLA compiles
	StepRow                    // entry of an embedding, which a step scales, and of its gradient
	StepPair                   // multiply-add of two rows of a batch, which come from anywhere

	// The selection of pairs.

	Rank // multiply-add of a similarity that is computed, counted and, if it is high, kept

	// Embeddings, and passes over their rows.

	Embed         // multiply-add of an embedding
	Entry         // entry of an embedding in any pass
	UnitEntry     // the same, more, where rows are scaled to length 1
	Gram          // multiply-add of a Gram matrix, of which a triangle is computed
	GramEntry     // entry of the rows of a Gram matrix
	GramAdded     // number of a Gram matrix that a task writes, and one process adds up
	Length        // multiply-add of lengths by a triangle
	LengthEntry   // entry that a pass of lengths copies
	Product       // multiply-add of a product in float64
	Degree        // multiply-add of degrees, where rows are too short for more
	Vector        // multiply-add of eigenvectors in float64, with their orthogonalization
	Distance      // row and center of k-means, with its runs and iterations
	JudgedEdge    // edge, where clusters are judged
	FeatureNumber // number of X that is read, checked and written

	// Smoothing.

	Fetch         // entry of H with the row that it fetches from a cache
	FetchColumn   // column of this row
	FetchDoubling // doubling of the rows beyond [CacheBytes]
	Task          // task of another process

	operations
)

// CacheBytes is the size of the rows that fit into a cache while H fetches them.
const CacheBytes = 32e6

// table has the name and the cost of each operation. Those of passes, k-means, smoothing and tasks
// were fitted to stages of the engine on 100,000 to 3,000,000 nodes, and to smoothing up to
// 10,000,000 (docs/log/scale.md); the others to BenchmarkCosts, on two cores of an AMD EPYC with
// AVX-512, and to the stages of docs/bench/jobs.md. A changed cost can change how pairs are ranked
// and how many nodes are sampled, and so results on large graphs.
//
// Alone on two cores of an EPYC without AVX-512, the medians of BenchmarkCosts are: step 1.03, row of
// a step 163, pair 20.7, ranked pair 1.24, embedding 0.51, length 3.0, distance 45,000, eigenvector
// 4.0, and Gram matrix 1.41, entry of a length 113, degree 31, product 4.9, where these four passes
// are over rows that a cache holds, unlike the stages of the engine that the table was fitted to.
var table = [operations]struct {
	name string
	cost float64
}{
	Step:      {"step", 0.75},
	StepEntry: {"entry of a step", 4 * 0.75},
	TileEntry: {"entry of a step in tiles", 8 * 0.75},
	StepRow:   {"row of a step", 130},
	StepPair:  {"pair of a step", 13},

	Rank: {"ranked pair", 1.7},

	Embed:         {"embedding", 0.94},
	Entry:         {"entry", 84},
	UnitEntry:     {"entry of length 1", 81},
	Gram:          {"Gram matrix", 1.48},
	GramEntry:     {"entry of a Gram matrix", 47},
	GramAdded:     {"added number", 1700},
	Length:        {"length", 0.67},
	LengthEntry:   {"entry of a length", 200},
	Product:       {"product", 2},
	Degree:        {"degree", 5},
	Vector:        {"eigenvector", 4.5},
	Distance:      {"distance", 4.2e4},
	JudgedEdge:    {"judged edge", 3e4},
	FeatureNumber: {"feature", 1100},

	Fetch:         {"fetch", 275},
	FetchColumn:   {"fetched column", 22},
	FetchDoubling: {"doubling", 310},
	Task:          {"task", 1.7e8},
}

// String returns the operation's name.
func (o Operation) String() string { return table[o].name }

// Cost returns what one operation costs.
func (o Operation) Cost() float64 { return table[o].cost }
