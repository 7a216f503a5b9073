package pairs

import (
	"cmp"
	"fmt"
	"slices"
)

// Ranking determines which pairs a selection ranks.
type Ranking int

const (
	// Auto is Exact for graphs of up to SampledAbove nodes and Sampled for
	// larger ones.
	Auto Ranking = iota
	// Exact ranks all n² ordered pairs, as the paper does, and every epoch
	// trains on every positive pair. Time grows as n², with millions of
	// positive pairs at 30,000 nodes.
	Exact
	// Sampled ranks the pairs of some random nodes, the anchors, with all n
	// nodes. Each selection draws new anchors, and an epoch trains on a
	// bounded number of random positives among their pairs. Time and memory
	// grow as n.
	Sampled
)

// SampledAbove is the number of nodes above which Auto means Sampled. At this
// size, an epoch on all positives has about a thousand steps with the paper's
// thresholds.
const SampledAbove = 30000

var rankingNames = []string{"auto", "exact", "sampled"}

// String returns the ranking's name.
func (r Ranking) String() string {
	if r < 0 || int(r) >= len(rankingNames) {
		return fmt.Sprintf("Ranking(%d)", int(r))
	}
	return rankingNames[r]
}

// MarshalText returns the ranking's name.
func (r Ranking) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a ranking's name. An empty name means Auto.
func (r *Ranking) UnmarshalText(text []byte) error {
	at := slices.Index(rankingNames, cmp.Or(string(text), "auto"))
	if at < 0 {
		return fmt.Errorf("ranking %q: want auto, exact or sampled", text)
	}
	*r = Ranking(at)
	return nil
}

// For returns the ranking for a graph of n nodes: Exact or Sampled.
func (r Ranking) For(n int) Ranking {
	switch {
	case r != Auto:
		return r
	case n > SampledAbove:
		return Sampled
	}
	return Exact
}
