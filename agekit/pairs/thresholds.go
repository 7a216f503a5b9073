package pairs

import (
	"math"

	"github.com/agekit/age/internal/message"
)

// Thresholds holds the ranks r_pos and r_neg at the start and at the end of training,
// as fractions of all n² ordered pairs (paper, §3.4.1 and §3.4.2). With pairs ranked by
// decreasing similarity, those up to r_pos are positive and those after r_neg negative.
type Thresholds struct {
	PosStart float64 `json:"pos_start" group:"training" more:"" zero:"0.011" range:"(0..1]" want:"a fraction of all pairs, above 0 and up to 1" chosen:"" of:"AGE" help:"Share of all pairs that are positive at the start."`
	PosEnd   float64 `json:"pos_end" group:"training" more:"" zero:"0.001" range:"(0..1]" want:"a fraction of all pairs, above 0 and up to 1" chosen:"" of:"AGE" help:"Share of all pairs that are positive at the end."`
	NegStart float64 `json:"neg_start" group:"training" more:"" zero:"0.1" range:"(0..1)" want:"a fraction of all pairs, above 0 and below 1" chosen:"" of:"AGE" help:"Share of all pairs that rank above the negatives at the start."`
	NegEnd   float64 `json:"neg_end" group:"training" more:"" zero:"0.5" range:"(0..1)" want:"a fraction of all pairs, above 0 and below 1" chosen:"" of:"AGE" help:"Share of all pairs that rank above the negatives at the end."`
}

// Names of the thresholds, as in JSON.
const (
	posStart message.Option = "pos_start"
	posEnd   message.Option = "pos_end"
	negStart message.Option = "neg_start"
	negEnd   message.Option = "neg_end"
)

// Check returns an error that names the option if a threshold is outside [0, 1], if there would be no
// positives or no negatives, or if a pair would be both: r_pos above r_neg.
func (t Thresholds) Check() error {
	for _, f := range []struct {
		name  message.Option
		value float64
	}{{posStart, t.PosStart}, {posEnd, t.PosEnd}, {negStart, t.NegStart}, {negEnd, t.NegEnd}} {
		if !(f.value >= 0 && f.value <= 1) {
			return message.Errorf("%s is %v: want a fraction of all pairs, from 0 to 1", f.name, f.value)
		}
	}
	switch {
	case t.PosStart == 0 || t.PosEnd == 0:
		return message.Errorf("%s is %v and %s %v: want both above 0, otherwise there are no positive pairs", posStart, t.PosStart, posEnd, t.PosEnd)
	case t.PosStart > t.NegStart:
		return message.Errorf("the thresholds cross: %s %v is above %s %v", posStart, t.PosStart, negStart, t.NegStart)
	case t.PosEnd > t.NegEnd:
		return message.Errorf("the thresholds cross: %s %v is above %s %v", posEnd, t.PosEnd, negEnd, t.NegEnd)
	case t.NegStart == 1 || t.NegEnd == 1:
		return message.Errorf("%s is %v and %s %v: want both below 1, otherwise there are no negative pairs", negStart, t.NegStart, negEnd, t.NegEnd)
	}
	return nil
}

// At returns the fractions r_pos and r_neg of a selection. Selection 0 is made before the first epoch;
// after it, each of the given number of updates makes one. A step from the start toward the end is
// (end − start)/updates (paper, equations 16 and 17). As in the published code, selection s > 0 is s+1
// steps from the start: one step follows the first selection, and one precedes every later one. At
// does not step past the end.
func (t Thresholds) At(selection, updates int) (pos, neg float64) {
	if selection == 0 || updates == 0 {
		return t.PosStart, t.NegStart
	}
	share := min(1, float64(selection+1)/float64(updates))
	return t.PosStart + share*(t.PosEnd-t.PosStart), t.NegStart + share*(t.NegEnd-t.NegStart)
}

// Counts returns how many of the n² ordered pairs of n nodes are positive and negative, at r_pos = pos
// and r_neg = neg. Counts are rounded, halves to even, to at least one each, because the paper's
// fractions of the pairs of a few nodes would be none.
func Counts(n int, pos, neg float64) (positives, negatives int) {
	return counts(float64(n)*float64(n), pos, neg)
}

// counts is Counts for the given number of ordered pairs, instead of n².
func counts(pairs, pos, neg float64) (positives, negatives int) {
	return max(1, int(math.RoundToEven(pos*pairs))), max(1, int(math.RoundToEven((1-neg)*pairs)))
}

// Ranking determines which pairs a selection ranks.
type Ranking string

const (
	// Auto leaves the choice to package encoder, which predicts the cost of both or goes by the
	// number of nodes.
	Auto Ranking = "auto"
	// Exact ranks all n² ordered pairs, as the paper does, and every epoch trains on
	// every positive one. Time grows as n², with millions of positives at 30,000 nodes.
	Exact Ranking = "exact"
	// Sampled ranks the pairs of some random nodes, the anchors, with all n nodes. Each
	// selection draws new anchors, and an epoch trains on a bounded number of random
	// positives among their pairs. Time and memory grow as n.
	Sampled Ranking = "sampled"
)
