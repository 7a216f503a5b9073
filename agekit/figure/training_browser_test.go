package figure_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// fivePairs returns pairs of the path's five nodes with each other and with one other node,
// which is number 5, in a graph of 10 nodes. At the first stage, the rank of a pair is 1 plus
// twice the distance of its nodes' numbers; at the second stage it is ten times as high. The
// first stage has the second of PosShares and the first of NegShares, and the second stage
// the first of PosShares and the second of NegShares.
func fivePairs() figure.Pairs {
	p := figure.Pairs{
		Drawing: figure.Draw(5, path), Others: []string{"far <&>"}, Nodes: 10,
		PosShares: []float64{0.05, 0.25}, NegShares: []float64{0.3, 0.6},
	}
	p.Drawing.Names = []string{"a", "b", "c", "d", "e"}
	for k, factor := range []float64{1, 10} {
		s := figure.PairStage{Name: fmt.Sprint("stage ", k), PosThresholds: []float64{0.9, 0.7}, NegThresholds: []float64{0.6, 0.2},
			SameClass: []float64{math.NaN(), 0.75}, Pos: 1 - k, Neg: k}
		for i := range 5 {
			var similarities, ranks []float64
			for j := range 6 {
				distance := math.Abs(float64(i - j))
				similarities, ranks = append(similarities, 1-distance/5), append(ranks, factor*(1+2*distance))
			}
			s.Similarity, s.Rank = append(s.Similarity, similarities), append(s.Rank, ranks)
		}
		p.Stages = append(p.Stages, s)
	}
	return p
}

// TestPairsInBrowser moves the figure's controls and compares the states of the chosen node's
// pairs on the page with the rule: positive up to rank r_pos·n², negative beyond r_neg·n². The
// numbers of all positive and negative pairs in the text are these shares of the 100 pairs.
func TestPairsInBrowser(t *testing.T) {
	p := fivePairs()
	const allPairs = 100 // 10²
	f := figure.PairsExplorer("pairs <of> a path", p)
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	for test, page := range afterScripts(t, f.HTML, []struct {
		script                   string
		stage, pos, neg, node    int    // what the script leaves chosen; pos and neg are indices
		positives, negatives, of string // texts on the page
		score                    string // the share of the same class
	}{
		{`click(0)`, 0, 1, 0, 0, "25 positive", "70 negative", "of 100", "75.0 %"},
		{`click(4); set("r_pos", 0); set("r_neg", 1)`, 0, 0, 1, 4, "5 positive", "40 negative", "of 100", "no positive pair"},
		{`click(0); set("training", 1)`, 1, 0, 1, 0, "5 positive", "40 negative", "of 100", "no positive pair"}, // follows the schedule
		{`set("training", 1); set("axis", 1); set("r_pos", 1); set("r_neg", 0); click(2)`, 1, 1, 0, 2, "25 positive", "70 negative", "of 100", "75.0 %"},
	}) {
		want := map[string]string{}
		for j, rank := range p.Stages[test.stage].Rank[test.node] {
			state := "unused"
			if rank <= p.PosShares[test.pos]*allPairs {
				state = "positive"
			} else if rank > p.NegShares[test.neg]*allPairs {
				state = "negative"
			}
			if j != test.node {
				want[fmt.Sprint(j)] = state
			}
		}
		got := map[string]string{}
		for _, m := range regexp.MustCompile(`data-pair="(\d+)" data-state="(\w+)"`).FindAllStringSubmatch(page, -1) {
			got[m[1]] = m[2]
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: the page has %v, want %v", test.script, got, want)
		}
		for _, text := range []string{test.positives, test.negatives, test.of, test.score} {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the page does not say %q", test.script, text)
			}
		}
	}
}

// TestPairsRefuses: pairs without a stage, with rank 0 or with a number that is not finite are
// errors when they are shown.
func TestPairsRefuses(t *testing.T) {
	for what, spoil := range map[string]func(*figure.Pairs){
		"no stage":   func(p *figure.Pairs) { p.Stages = nil },
		"rank 0":     func(p *figure.Pairs) { p.Stages[0].Rank[1][2] = 0 },
		"similarity": func(p *figure.Pairs) { p.Stages[1].Similarity[0][3] = math.NaN() },
		"threshold":  func(p *figure.Pairs) { p.Stages[0].PosThresholds[0] = math.Inf(1) },
	} {
		p := fivePairs()
		spoil(&p)
		if figure.PairsExplorer("x", p).Show() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// threeEpochs returns a training of 4 epochs with maps of three nodes before it and after
// epochs 2 and 4.
func threeEpochs() figure.Epochs {
	return figure.Epochs{
		Loss: []float64{1, 0.5, 0.25, 0.125}, Saved: []int{2, 4}, Index: []float64{1.5, 0.75}, Chosen: 4,
		At:   []int{0, 2, 4},
		Maps: []*mat.Dense{mat.NewDense(3, 2, []float64{0, 0, 1, 0, 0, 1}), mat.NewDense(3, 2, []float64{0, 0, 2, 0, 0, 2}), mat.NewDense(3, 2, []float64{-1, 0, 3, 0, 0, 3})},
		Colorings: []figure.Coloring{
			{Name: "class", Numbers: []int{0, 1, 1}, Labels: []string{"one", "two <&>"}},
			{Name: "cluster", Numbers: []int{0, 0, 1}, Labels: []string{"cluster 0", "cluster 1"}},
		},
	}
}

// TestEpochsInBrowser moves the slider and compares with the numbers of [threeEpochs] what the
// page says, where the mark on the curves stands, and what color the nodes' places have. At
// epoch 3, between two maps, the places are by hand the middle of those of epochs 2 and 4.
func TestEpochsInBrowser(t *testing.T) {
	f := figure.EpochsExplorer("training <&>", threeEpochs())
	if f.Show() != nil {
		t.Fatal(f.Show())
	}
	// The maps span x from −1 to 3 and y from 0 to 3.
	const colors = `<script>function colors(places) {
		var dots = document.querySelector("canvas"), sharp = dots.width / document.querySelector(".agekit-map").clientWidth;
		var w = dots.width / sharp, h = dots.height / sharp, scale = Math.min((w - 24) / 4, (h - 24) / 3), names = { "0,114,178": "blue", "213,94,0": "orange" };
		var shown = places.map(function (at) {
			var x = w / 2 + (at[0] - 1) * scale, y = h / 2 - (at[1] - 1.5) * scale;
			return names[Array.from(dots.getContext("2d").getImageData(Math.round(x * sharp), Math.round(y * sharp), 1, 1).data.slice(0, 3)).join(",")];
		});
		document.body.insertAdjacentHTML("beforeend", "<i>" + shown.join(" ") + "</i>");
	}</script>`
	for test, page := range afterScripts(t, f.HTML+colors, []struct {
		script string
		says   []string
		epoch  float64 // at which the mark stands
		colors string  // of nodes 0, 1 and 2 at the places that the script names
	}{
		{`colors([[0, 0], [1, 0], [0, 1]])`, []string{"Before training", "one</span>", "two &lt;&amp;&gt;</span>"}, 0, "blue orange orange"},
		{`set("epoch", 3); colors([[-0.5, 0], [2.5, 0], [0, 2.5]])`, []string{"Epoch 3: loss 0.2500; Davies–Bouldin index 1.500 after epoch 2."}, 3, "blue orange orange"},
		{`press("chosen epoch"); set("color", 1); colors([[-1, 0], [3, 0], [0, 3]])`, []string{"Epoch 4: loss 0.1250; Davies–Bouldin index 0.750 after epoch 4, the lowest", "cluster 1</span>"}, 4, "blue blue orange"},
	}) {
		if !strings.Contains(page, "<i>"+test.colors+"</i>") {
			t.Errorf("%q: the points are not %s", test.script, test.colors)
		}
		for _, text := range test.says {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the page does not say %q", test.script, text)
			}
		}
		mark := numbersIn(t, page, `d="M([0-9.]+) 8V148"`)
		// The curves go from 58, for epoch 0, to 264, for epoch 4.
		if want := []float64{58 + 206*test.epoch/4}; !floats.EqualApprox(mark, want, 0.06) {
			t.Errorf("%q: the mark is at %v, want %v", test.script, mark, want)
		}
	}
}

// TestEpochsRefuses: a training without losses or colorings, with a loss that is negative or
// not a number, or with an infinite place is an error when it is shown.
func TestEpochsRefuses(t *testing.T) {
	for what, spoil := range map[string]func(*figure.Epochs){
		"no loss":       func(e *figure.Epochs) { e.Loss = nil },
		"no coloring":   func(e *figure.Epochs) { e.Colorings = nil },
		"loss":          func(e *figure.Epochs) { e.Loss[1] = math.NaN() },
		"negative loss": func(e *figure.Epochs) { e.Loss[1] = -1 },
		"place":         func(e *figure.Epochs) { e.Maps[1].Set(0, 0, math.Inf(1)) },
	} {
		e := threeEpochs()
		e.Loss = slices.Clone(e.Loss)
		spoil(&e)
		if figure.EpochsExplorer("x", e).Show() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
