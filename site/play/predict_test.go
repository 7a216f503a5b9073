package play

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPredict: on ten graphs, from edges within groups to edges between them, the page's reasons say what was
// computed. The accuracies are those that the request method gives (of the trained methods, on two of the graphs), each sentence is there if and only if the
// figures are as it says, and chance is what random clusters have, matched to the groups in the best of
// the 24 ways.
func TestPredict(t *testing.T) {
	const differs = 0.03
	for i, graph := range []struct{ homophily, topic float64 }{
		{0.8, 0.2}, {0.3, 0.45}, {0.95, 0.05}, {0.25, 0.9}, {0.1, 0.3}, {0.6, 0.6}, {0.5, 0.1}, {0.05, 0.7}, {0.7, 0.45}, {0.4, 0.3},
	} {
		of := fmt.Sprintf(`"Homophily": %v, "Topic": %v, "Seed": 4`, graph.homophily, graph.topic)
		var p Player
		answer := func(question string) Predicted {
			return ask(t, &p, "predict", fmt.Sprintf(`{"Question": %q, %s}`, question, of)).Value.(Predicted)
		}
		accuracy := func(args string) float64 { return *ask(t, &p, "method", args).Value.(Found).ACC }
		says := func(what, why, sentence string, holds bool) {
			t.Helper()
			if strings.Contains(why, sentence) != holds {
				t.Errorf("graph %d, %s: %q: want %q to be there: %v", i, what, why, sentence, holds)
			}
		}

		curve := answer("curve")
		for k, layers := range []int{0, 1, 2, 4, 8, 16} {
			if acc := accuracy(fmt.Sprintf(`{"Method": "LS", "Layers": %d, "Seed": 1}`, layers)); acc != curve.Values[k] {
				t.Errorf("graph %d: %d layers have %v, want %v", i, layers, curve.Values[k], acc)
			}
		}
		best := slices.Max(curve.Values)
		says("curve", curve.Why, "cancels the words", best-curve.Values[0] >= differs && curve.Inside >= 0.5)
		says("curve", curve.Why, "still cancels more words", best-curve.Values[0] >= differs && curve.Inside < 0.5)
		says("curve", curve.Why, "does not help", best-curve.Values[0] < differs)
		says("curve", curve.Why, "Each layer reaches further", best-curve.Values[5] >= differs)
		if math.Abs(curve.Chance-matchedChance(p.g.Labels)) > 0.01 {
			t.Errorf("graph %d: chance %v, want %v", i, curve.Chance, matchedChance(p.g.Labels))
		}

		share := answer("share")
		more := share.Values[0] - share.Values[1]
		says("share", share.Why, "more of the most similar pairs are right", more >= differs)
		says("share", share.Why, "fewer of the most similar pairs are right", more <= -differs)
		says("share", share.Why, "changes little", math.Abs(more) < differs)
		says("share", share.Why, "The others are wrong", share.Values[0] < 1)

		method := answer("method")
		acc := map[string]float64{}
		for k, name := range []string{"K-means", "Leiden", "LS", "LS+RA", "AGE"} {
			acc[name] = method.Values[k]
			if i > 1 {
				continue
			}
			if want := accuracy(fmt.Sprintf(`{"Method": %q, "Seed": 1}`, name)); acc[name] != want {
				t.Errorf("graph %d: %s has %v, want %v", i, name, acc[name], want)
			}
		}
		says("method", method.Why, "The words alone say more", acc["K-means"] >= acc["LS"]+differs)
		says("method", method.Why, "these edges helps", acc["LS"] >= acc["K-means"]+differs)
		says("method", method.Why, "these edges changes little", math.Abs(acc["LS"]-acc["K-means"]) < differs)
		says("method", method.Why, "hardly more than chance", acc["Leiden"] < method.Chance+0.1)
		for _, trained := range []struct{ name, before string }{{"LS+RA", "are wrong: "}, {"AGE", "pairs instead: "}} {
			gain := acc[trained.name] - acc["LS"]
			says(trained.name, method.Why, trained.before+"training on them is better", gain >= differs)
			says(trained.name, method.Why, trained.before+"training on them is worse", gain <= -differs)
			says(trained.name, method.Why, trained.before+"training on them is about as good", math.Abs(gain) < differs)
		}
	}
	var p Player
	refused(t, &p, "predict", `{"Question": "weather"}`, "weather", "curve")
}

// matchedChance returns the mean share of nodes, over 200 draws, whose random cluster of four is their class, after
// the clusters are given to classes in the best of all ways.
func matchedChance(classes []int) float64 {
	const draws = 200
	random := rand.New(rand.NewPCG(3, 4))
	var ways [][]int
	for code := range 256 {
		way := []int{code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6}
		if sorted := slices.Sorted(slices.Values(way)); slices.Equal(sorted, []int{0, 1, 2, 3}) {
			ways = append(ways, way)
		}
	}
	sum := 0.
	for range draws {
		var count [4][4]int
		for _, class := range classes {
			count[random.IntN(4)][class]++
		}
		most := 0
		for _, way := range ways {
			most = max(most, count[0][way[0]]+count[1][way[1]]+count[2][way[2]]+count[3][way[3]])
		}
		sum += float64(most) / float64(len(classes))
	}
	return sum / draws
}
