package play

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
)

// predictAsked is a question of the page Predict, and the planted graph that it is about: 300 nodes in four groups,
// with this share of the edges within groups and this share of the words about the group.
type predictAsked struct {
	Question         string // "curve", "share" or "method"
	Homophily, Topic float64
	Seed             uint64
}

// Predicted is the answer to a question of the page Predict.
type Predicted struct {
	// Values are the accuracies of LS for layersAsked, of predictedMethods in this order, or the share of
	// same-group pairs among the positive ones that the page shows, with smoothing and without.
	Values []float64
	// Chance is what chance alone gives: the mean accuracy of random clusters, matched to the groups, or
	// the share of same-group pairs among all pairs.
	Chance float64
	Inside float64 // the share of the edges within groups
	Why    string  // sentences that follow from the values
}

// layersAsked are the numbers of layers of the question "curve", and predictedMethods the methods of "method".
var (
	layersAsked      = []int{0, 1, 2, 4, 8, 16}
	predictedMethods = []string{"K-means", "Leiden", "LS", "LS+RA", "AGE"}
)

// differs is the least difference between accuracies, or shares, that the page explains.
const differs = 0.03

// predict computes the answer to a question of the page Predict. The graph becomes the page's graph.
func (p *Player) predict(ctx context.Context, r Request) (Reply, error) {
	a := predictAsked{Homophily: 0.8, Topic: 0.2, Seed: 4}
	if err := arguments(r, &a); err != nil {
		return Reply{}, err
	}
	g, err := dataset.Planted(ctx, dataset.PlantedConfig{
		Nodes: 300, Classes: 4, MeanDegree: 4, Homophily: a.Homophily, Features: 200, Words: 12, Topic: a.Topic, Seed: a.Seed,
	})
	if err != nil {
		return Reply{}, err
	}
	p.use(&input.Data{Graph: g})
	answer := Predicted{Chance: chanceAccuracy(g), Inside: shareInside(g, g.Labels)}
	switch a.Question {
	case "curve":
		for _, layers := range layersAsked {
			acc, err := p.accuracy(ctx, methodAsked{Method: "LS", Layers: layers, Seed: 1})
			if err != nil {
				return Reply{}, err
			}
			answer.Values = append(answer.Values, acc)
		}
		answer.Why = whyCurve(answer.Values, answer.Inside)
	case "share":
		for _, filter := range []laplacian.Filter{{Layers: 3}, {K: 1}} {
			share, err := p.positivesOfSameGroup(ctx, filter)
			if err != nil {
				return Reply{}, err
			}
			answer.Values = append(answer.Values, share)
		}
		answer.Chance = sameGroup(g)
		answer.Why = whyShare(answer.Values[0], answer.Values[1])
	case "method":
		for _, name := range predictedMethods {
			acc, err := p.accuracy(ctx, methodAsked{Method: name, Layers: 3, Dims: 32, Epochs: 60, Seed: 1})
			if err != nil {
				return Reply{}, err
			}
			answer.Values = append(answer.Values, acc)
		}
		answer.Why = whyMethod(answer.Values, answer.Chance, answer.Inside)
	default:
		return Reply{}, fmt.Errorf("predict: question %q: want curve, share or method", a.Question)
	}
	return Reply{Value: answer}, nil
}

// accuracy returns the accuracy of a method on the page's graph.
func (p *Player) accuracy(ctx context.Context, a methodAsked) (float64, error) {
	a.Clusters = cmp.Or(a.Clusters, p.g.Classes)
	clusters, _, err := p.fit(ctx, a, new(Found))
	if err != nil {
		return 0, err
	}
	return metric.Accuracy(p.g.Labels, clusters), nil
}

// positivesOfSameGroup returns the share of same-group pairs among the positive pairs, of those that the page
// shows, that a training with this filter begins with.
func (p *Player) positivesOfSameGroup(ctx context.Context, f laplacian.Filter) (float64, error) {
	o := defaultOptions()
	o.Filter, o.Dims, o.Ranking = f, 32, pairs.Exact
	reply, err := p.start(ctx, o)
	if err != nil {
		return 0, err
	}
	return *reply.Value.(Epoch).Selected.PosSame, nil
}

// chanceAccuracy returns the mean accuracy of clusters that are drawn at random, as many as classes, over 50 draws.
// Accuracy matches clusters to classes in the best way, and so is above one divided by their number.
func chanceAccuracy(g *graph.Graph) float64 {
	const draws = 50
	random := rng.New(0, rng.Only)
	clusters := make([]int, g.N())
	sum := 0.
	for range draws {
		for i := range clusters {
			clusters[i] = random.IntN(g.Classes)
		}
		sum += metric.Accuracy(g.Labels, clusters)
	}
	return sum / draws
}

// sameGroup returns the share of the pairs of two nodes that are of the same class.
func sameGroup(g *graph.Graph) float64 {
	sizes := make([]int, g.Classes)
	for _, class := range g.Labels {
		sizes[class]++
	}
	same := 0
	for _, size := range sizes {
		same += size * (size - 1)
	}
	return float64(same) / float64(g.N()*(g.N()-1))
}

// whyCurve says why the accuracies of layersAsked rise and fall. inside is the share of the edges within groups.
func whyCurve(acc []float64, inside float64) string {
	best, last := slices.Max(acc), acc[len(acc)-1]
	var why []string
	switch rises := best-acc[0] >= differs; {
	case rises && inside >= 0.5:
		why = append(why, fmt.Sprintf("%.0f %% of the edges are within groups, so a mean over neighbors cancels the words that are there by chance.", 100*inside))
	case rises:
		why = append(why, fmt.Sprintf("Only %.0f %% of the edges are within groups, but a mean over neighbors still cancels more words that are there by chance than it mixes groups.", 100*inside))
	default:
		why = append(why, fmt.Sprintf("Smoothing does not help: %.0f %% of the edges lead to another group, so a mean over neighbors mixes groups as much as it cancels chance.", 100*(1-inside)))
	}
	if best-last >= differs {
		why = append(why, "Each layer reaches further, and in the end it is a mean over all groups.")
	} else {
		why = append(why, "Sixteen layers are not yet too many here; with ever more, it would be a mean over all groups.")
	}
	return strings.Join(why, " ")
}

// whyShare says why that share of the positive pairs is of the same group, with smoothing and without.
func whyShare(smoothed, plain float64) string {
	why := "smoothing changes little here."
	switch {
	case smoothed-plain >= differs:
		why = "after smoothing, nodes of a group share their neighbors' words, so more of the most similar pairs are right."
	case plain-smoothed >= differs:
		why = "smoothing makes neighbors alike, also those of other groups, so fewer of the most similar pairs are right."
	}
	if smoothed < 1 {
		why += " The others are wrong: an edge between two groups mixes words, too."
	}
	return why
}

// whyMethod says what the accuracies of predictedMethods tell, beside those of chance. inside is the share of the
// edges within groups.
func whyMethod(acc []float64, chance, inside float64) string {
	words, edges, smoothed, adjacent, trained := acc[0], acc[1], acc[2], acc[3], acc[4]
	var why []string
	add := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	number := func(v float64) string { return strings.TrimPrefix(message.Decimals(v, 3), "0") }
	if edges-chance < 0.1 {
		add("Edges alone find hardly more than chance, which is %s: %.0f %% of the edges lead out of a group.", number(chance), 100*(1-inside))
	} else {
		add("Edges alone find more than chance, which is %s: %.0f %% of the edges are within groups.", number(chance), 100*inside)
	}
	switch {
	case smoothed-words >= differs:
		add("Smoothing the words over these edges helps (%s, and %s without): a mean over neighbors cancels more words that are there by chance than it mixes groups.", number(smoothed), number(words))
	case words-smoothed >= differs:
		add("Smoothing the words over these edges harms (%s, and %s without): a mean over neighbors mixes groups. The words alone say more.", number(smoothed), number(words))
	default:
		add("Smoothing the words over these edges changes little (%s, and %s without).", number(smoothed), number(words))
	}
	add("LS+RA takes each edge as a pair of similar nodes, of which %.0f %% are wrong: %s.", 100*(1-inside), comparedWith(adjacent, smoothed))
	add("AGE takes the most similar pairs instead: %s.", comparedWith(trained, smoothed))
	return strings.Join(why, " ")
}

// comparedWith says how the accuracy of a training compares with that of smoothing alone.
func comparedWith(trained, smoothed float64) string {
	switch {
	case trained-smoothed >= differs:
		return "training on them is better than smoothing alone"
	case smoothed-trained >= differs:
		return "training on them is worse than smoothing alone"
	}
	return "training on them is about as good as smoothing alone"
}
