package agekit

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/experiment"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/agekit/spectrum"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/stat"
)

// A notice is a statement in the text of a notebook about numbers, with the
// computation that shows whether it is true.
type notice struct {
	notebook, text string
	check          func(*testing.T)
}

var notices = []notice{
	{"01", "On Cora, a word (0.65 on average) is closer to noise (0.72) than to a class (0.25 for class 0)", func(t *testing.T) {
		g, l := cora(), Laplacian(cora())
		rounds(t, "a word", stat.Mean(RayleighQuotients(g, g.Features.ToDense()), nil), 0.65, 2)
		rounds(t, "class 0", l.RayleighQuotient(class(g, 0)), 0.25, 2)
		// The mean over all noise is the mean of the eigenvalues. The notebook
		// draws one signal, whose deviation is about √(2·variance/n) = 0.01.
		near(t, "noise", stat.Mean(eigenvalues(t), nil), 0.72, 0.02)
		rnd := rand.New(rand.NewPCG(1, 0))
		noise := make([]float64, g.N())
		for i := range noise {
			noise[i] = rnd.NormFloat64()
		}
		rounds(t, "the notebook's noise", l.RayleighQuotient(noise), 0.72, 2)
	}},
	{"01", "On Cora, every feature is smoother than before, and all of them are now smoother than class 0 was in the first figure.", func(t *testing.T) {
		g := cora()
		before, after := RayleighQuotients(g, g.Features.ToDense()), RayleighQuotients(g, must(Smooth(g, 2.0/3, 8)))
		if len(before) != len(after) {
			t.Fatalf("%d features before, %d after", len(before), len(after))
		}
		for j := range before {
			if after[j] >= before[j] {
				t.Errorf("feature %d: %v before, %v after", j, before[j], after[j])
			}
		}
		below(t, "the roughest feature", slices.Max(after), Laplacian(g).RayleighQuotient(class(g, 0)))
	}},
	{"01", "On Cora, the figure above seems to favor $k = 1$.", func(t *testing.T) {
		g, values := cora(), map[float64]float64{}
		for _, k := range []float64{0.5, 2.0 / 3, InverseLambdaMax, 1} {
			values[k] = stat.Mean(RayleighQuotients(g, must(Smooth(g, k, 8))), nil)
		}
		for k, v := range values {
			if k != 1 {
				below(t, fmt.Sprintf("k = 1 against k = %v", k), values[1], v)
			}
		}
	}},
	{"01", "with $k = 1$ about half of it remains on Cora, with its sign flipped.", func(t *testing.T) {
		near(t, "1 − λmax", 1-must(LambdaMax(cora())), -0.5, 0.05)
	}},
	{"01", "$k = 2/3$, which the paper uses on all its data sets, is close to $1/\\lambda_{max}$, because $\\lambda_{max}$ is around $3/2$ on all of them.", func(t *testing.T) {
		for _, d := range []string{"cora", "citeseer", "wiki"} {
			near(t, "λmax of "+d, record(t, experiment.Run{Task: experiment.Spectrum, Dataset: d}).Scores["lambda_max"], 1.5, 0.11)
		}
	}},
	{"02", "on Cora the largest eigenvalue is 1.48.", func(t *testing.T) {
		rounds(t, "λmax", slices.Max(eigenvalues(t)), 1.48, 2)
	}},
	{"02", "Four of the bars on Cora stand out from their neighbors: those that hold 0, ½, 2/3 and 1.", func(t *testing.T) {
		counts := figure.BinValues(eigenvalues(t), 40, 0, 2).Counts
		var peaks []int
		counts = append([]float64{0}, counts...) // nothing to the left of 0
		for i, c := range counts[1:30] {
			if c > 1.2*max(counts[i], counts[i+2]) {
				peaks = append(peaks, i)
			}
		}
		if !slices.Equal(peaks, []int{0, 10, 13, 20}) {
			t.Errorf("bars %v stand out of %v", peaks, counts[1:])
		}
	}},
	{"02", "73 of the 76 eigenvalues at ½ come from leaves, such as papers that cite the same single paper, and 26 of the 27 at 2/3 from papers with the same two neighbors. 118 of the 139 eigenvalues at 1 come from linked twins, and 57 of these 118 from isolated pairs", func(t *testing.T) {
		table := Peaks(cora(), eigenvalues(t)).Text
		for _, row := range []string{`(?m)^0 +78 +78 +conn`, `(?m)^0\.5 +76 +73 +leaves`, `(?m)^0\.6667 +27 +26 +twins of degree 2`, `(?m)^1 +139 +118 +linked`, `(?m)^ +57 +of these, isolated pairs`} {
			if !regexp.MustCompile(row).MatchString(table) {
				t.Errorf("no row %q in\n%s", row, table)
			}
		}
	}},
	{"02", "On Cora, components and twins explain nearly all of the four peaks.", func(t *testing.T) {
		below(t, "share not explained", 1-float64(78+73+26+118)/(78+76+27+139), 0.1)
	}},
	{"02", "(One layer with $k = 1$ removes the whole peak at 1: it gives linked twins the same features.)", func(t *testing.T) {
		g := cora()
		x := must(Smooth(g, 1, 1))
		for _, c := range spectrum.Twins(g.Adjacency) {
			if !c.Adjacent {
				continue
			}
			for _, node := range c.Nodes[1:] {
				a, b := int(c.Nodes[0])*x.Stride, int(node)*x.Stride
				if !slices.Equal(x.Data[a:a+x.Cols], x.Data[b:b+x.Cols]) {
					t.Errorf("nodes %d and %d are linked twins with different features", c.Nodes[0], node)
				}
			}
		}
	}},
	{"02", "On Cora, the two columns differ by at most 1 %", func(t *testing.T) {
		g, l, values := cora(), Laplacian(cora()), eigenvalues(t)
		noise := blas32.General{Rows: g.N(), Cols: 256, Stride: 256, Data: make([]float32, g.N()*256)}
		rnd := rand.New(rand.NewPCG(1, 0))
		for i := range noise.Data {
			noise.Data[i] = float32(rnd.NormFloat64())
		}
		for _, k := range []float64{0.5, 1 / must(LambdaMax(g)), 1} {
			for _, layers := range []int{1, 2, 4, 8} {
				above, all := 0.0, 0.0
				for _, lambda := range values {
					power := math.Pow(1-k*lambda, 2*float64(layers))
					above, all = above+lambda*power, all+power
				}
				filtered := must(laplacian.Filter{K: k, Layers: layers}.Smooth(t.Context(), l, graph.Features{Dense: &noise}))
				energies := make([]float64, filtered.Cols)
				for i := range filtered.Rows {
					for j, v := range filtered.Data[i*filtered.Stride:][:filtered.Cols] {
						energies[j] += float64(v) * float64(v)
					}
				}
				measured := stat.Mean(l.RayleighQuotients(filtered), energies)
				near(t, fmt.Sprintf("measured over predicted, k = %.3f, t = %d", k, layers), measured/(above/all), 1, 0.01)
			}
		}
	}},
	{"03", "On Cora, there are about eighty times as many.", func(t *testing.T) {
		c := Settings(cora())
		positives, negatives := pairs.Counts(cora().N(), c.Thresholds.PosStart, c.Thresholds.NegStart)
		near(t, "negatives for a positive", float64(negatives)/float64(positives), 80, 2)
	}},
	{"03", "On Cora, training has moved most pairs to the two ends, above all to the left one: less than 5 % of them were there before, and most are now.", func(t *testing.T) {
		if testing.Short() {
			t.Skip("trains")
		}
		c := Settings(cora())
		// A smaller encoder takes two seconds. The notebook's moves more pairs.
		c.Seed, c.Epochs, c.Dims, c.LearningRate = 1, 100, 100, 0.003
		x := must(Smooth(cora(), c.K, c.Layers))
		before := must(Select(x, c.Thresholds.PosStart, c.Thresholds.NegStart)).Histogram
		r := must(Train(cora(), c))
		after := must(Select(r.Embedding, c.Thresholds.PosEnd, c.Thresholds.NegEnd)).Histogram
		share := func(part []int) float64 {
			sum := 0
			for _, count := range part {
				sum += count
			}
			return float64(sum) / float64(cora().N()*cora().N())
		}
		tenth := len(after) / 10
		below(t, "ends before training", share(before[:tenth])+share(before[9*tenth:]), 0.05)
		left, right := share(after[:tenth]), share(after[9*tenth:])
		below(t, "the middle after it", 1-left-right, 0.5)
		below(t, "right end", right, left)
	}},
	{"05", "LS matches the printed row to within 0.001", func(t *testing.T) {
		for score, printed := range map[string]float64{"ACC": 0.638, "NMI": 0.493, "ARI": 0.373} {
			near(t, score+" of LS", mean(t, score, "cora", "LS", experiment.Paper), printed, 0.0015)
		}
	}},
	{"05", "The graph alone fails on Cora: it has 78 components, most of them tiny, and spectral clustering separates some of those.", func(t *testing.T) {
		for _, score := range []string{"ACC", "NMI", "ARI"} {
			below(t, score+" of the graph alone", mean(t, score, "cora", "Spectral-G", experiment.Paper), mean(t, score, "cora", "K-means", experiment.Paper))
		}
		below(t, "edges between clusters", mean(t, "conductance", "cora", "Spectral-G", experiment.Paper), 0.0005)
		sizes := componentSizes(cora())
		slices.Sort(sizes)
		if len(sizes) != 78 || sizes[60] > 5 {
			t.Errorf("sizes of components: %v", sizes)
		}
	}},
	{"05", "AGE is well ahead of LS", func(t *testing.T) {
		for _, score := range []string{"ACC", "NMI", "ARI"} {
			below(t, score+" of LS", mean(t, score, "cora", "LS", experiment.Paper)+0.08, mean(t, score, "cora", "AGE", experiment.Paper))
		}
	}},
	{"05", "In paper mode, AGE stays behind its printed row on Cora, by about 0.04 in ACC, and so do the re-runs that others have published, with about .735 / .576 / .501. Best mode reaches the printed NMI and comes within 0.01 of the printed ACC, but not of the printed ARI.", func(t *testing.T) {
		printed := map[string]float64{"ACC": 0.768, "NMI": 0.607, "ARI": 0.565}
		for score, want := range printed {
			below(t, "paper mode's "+score, mean(t, score, "cora", "AGE", experiment.Paper), want)
		}
		near(t, "paper mode's ACC", mean(t, "ACC", "cora", "AGE", experiment.Paper), printed["ACC"]-0.04, 0.005)
		below(t, "printed NMI", printed["NMI"], mean(t, "NMI", "cora", "AGE", experiment.Best))
		near(t, "best mode's ACC", mean(t, "ACC", "cora", "AGE", experiment.Best), printed["ACC"], 0.01)
		below(t, "best mode's ARI", mean(t, "ARI", "cora", "AGE", experiment.Best), printed["ARI"]-0.01)
	}},
	{"07", "On Cora and Citeseer, the scores differ by about 0.01 at most between k = 0.6 and k = 0.8, so using 2/3 instead of $1/\\lambda_{max}$ costs nothing there.", func(t *testing.T) {
		for _, d := range []string{"cora", "citeseer"} {
			for _, score := range []string{"ACC", "NMI", "ARI"} {
				means, _ := overK(t, score, d, 0.6, 0.8)
				below(t, "range of "+score+" on "+d, slices.Max(means)-slices.Min(means), 0.0125)
			}
		}
	}},
	{"07", "On Wiki, ACC differs by up to 0.04 in this range, but the seeds differ as much.", func(t *testing.T) {
		means, deviations := overK(t, "ACC", "wiki", 0.6, 0.8)
		near(t, "range", slices.Max(means)-slices.Min(means), 0.04, 0.005)
		below(t, "0.04 against the largest deviation", 0.04, slices.Max(deviations)+0.001)
	}},
	{"07", "On Cora, the scores fluctuate below k = 1/2", func(t *testing.T) {
		low, _ := overK(t, "ACC", "cora", 0.1, 0.4)
		high, _ := overK(t, "ACC", "cora", 0.5, 1)
		below(t, "range from 1/2 on, doubled", 2*(slices.Max(high)-slices.Min(high)), slices.Max(low)-slices.Min(low))
	}},
	{"07", "two or three seeds, and ten at 2/3", func(t *testing.T) {
		for _, d := range []string{"cora", "citeseer", "wiki"} {
			for _, k := range ks {
				seeds, want := len(scores(t, "ACC", experiment.Run{Dataset: d, Method: "AGE", Mode: experiment.Paper, K: k})), []int{2, 3}
				if k == 0 {
					want = []int{10}
				}
				if !slices.Contains(want, seeds) {
					t.Errorf("%s, k = %v: %d seeds, want one of %v", d, k, seeds, want)
				}
			}
		}
	}},
}

// ks are the values of k in figure 5. The k of 0 is 2/3.
var ks = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, experiment.InverseLambdaMax, 0.7, 0.8, 0.9, 1}

// TestNotices holds what the notebooks say about numbers against the numbers.
// When a text or a result changes, so must the other.
func TestNotices(t *testing.T) {
	texts := markdown(t)
	for i, n := range notices {
		t.Run(fmt.Sprintf("%s/%02d", n.notebook, i), func(t *testing.T) {
			if !strings.Contains(texts[n.notebook], n.text) {
				t.Errorf("notebook %s does not say %q", n.notebook, n.text)
			}
			n.check(t)
		})
	}
}

var (
	noticed  = regexp.MustCompile(`\*\*What to notice\.\*\*[^\n]*`)
	formulas = regexp.MustCompile("\\$[^$]*\\$|`[^`]*`") // and code
	claims   = regexp.MustCompile(`[0-9½]|Cora|Citeseer|Wiki|Pubmed`)
)

// TestNoticesAreChecked: a "what to notice" says nothing about numbers or data
// sets that TestNotices does not check. Where numbers depend on the data set,
// it must name the data set, since the notebooks run on any.
func TestNoticesAreChecked(t *testing.T) {
	texts := markdown(t)
	for _, notebook := range slices.Sorted(maps.Keys(texts)) {
		found := noticed.FindAllString(texts[notebook], -1)
		if len(found) == 0 {
			t.Errorf("notebook %s has no \"what to notice\"", notebook)
		}
		for _, text := range found {
			for _, n := range notices {
				if n.notebook == notebook {
					text = strings.ReplaceAll(text, n.text, "…")
				}
			}
			if claim := claims.FindString(formulas.ReplaceAllString(text, "")); claim != "" {
				t.Errorf("notebook %s speaks of %q, which no notice checks: %s", notebook, claim, text)
			}
		}
	}
}
