package lab

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/reproduce"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

var (
	paperSets  = []string{"cora", "citeseer", "wiki", "pubmed"}
	onFeatures = []string{"K-means", "Spectral-F"}
	onEdges    = []string{"Spectral-G", "DeepWalk"}
	onBoth     = []string{"TADW", "GAE", "VGAE", "MGAE", "ARGA", "ARVGA", "AGC", "DAEGC", "GALA"}
)

// clusteringOf is a run of table 2.
func clusteringOf(dataset, method string, mode reproduce.Mode) reproduce.Run {
	return reproduce.Run{Task: reproduce.Clustering, Dataset: dataset, Method: method, Mode: mode}
}

// meanOf returns the mean of a score over the seeds of a run, NaN if nothing is stored.
func meanOf(r reproduce.Run, score string) float64 {
	values, err := SeedScores(r, score)
	if err != nil {
		return math.NaN()
	}
	return stat.Mean(values, nil)
}

// acc returns the mean ACC of a method in paper mode, which tables call fair where it is another's.
func acc(dataset, method string) float64 {
	return meanOf(clusteringOf(dataset, method, reproduce.Paper), "ACC")
}

// layered returns the NMI of each seed of figure 3.
func layered(dataset, method string, layers int) []float64 {
	r := clusteringOf(dataset, method, reproduce.Paper)
	r.Layers = layers
	return must(SeedScores(r, "NMI"))
}

// overK returns the values of a score for a k of figure 5, by seed; 0 is 2/3.
func overK(dataset, score string, mode reproduce.Mode, k float64) []float64 {
	r := clusteringOf(dataset, "AGE", mode)
	r.K = k
	return must(SeedScores(r, score))
}

// ksOfFigure5 are the k that the paper's figure 5 has, and 1/λmax; 0 is 2/3.
var ksOfFigure5 = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, agekit.InverseLambdaMax, 0.7, 0.8, 0.9, 1}

// storedSeconds returns the mean time of the runs of r with the seeds 1 to 10. alone leaves out those that shared
// the machine.
func storedSeconds(t *testing.T, r reproduce.Run, alone bool) float64 {
	t.Helper()
	var seconds []float64
	for r.Seed = 1; r.Seed <= 10; r.Seed++ {
		if record, ok := must(Results()).Get(r); ok && (record.Bytes > 0 || !alone) {
			seconds = append(seconds, record.Seconds)
		}
	}
	if seconds == nil {
		t.Errorf("no times of %v", r)
	}
	return stat.Mean(seconds, nil)
}

// bestBaseline returns the method of table 2 besides AGE and its variants with the highest ACC, in either mode.
func bestBaseline(dataset string) (best reproduce.Run, highest float64) {
	for _, method := range slices.Concat(onFeatures, onEdges, onBoth) {
		for _, mode := range []reproduce.Mode{reproduce.Paper, reproduce.Published} {
			r := clusteringOf(dataset, method, mode)
			if mean := meanOf(r, "ACC"); mean > highest {
				best, highest = r, mean
			}
		}
	}
	return best, highest
}

// changes returns, for each seed, what a step of table 4 adds to the ACC on Cora, and with how many seeds it rises.
func changes(before, after string) (mean float64, rises int) {
	d := must(SeedScores(clusteringOf("cora", after, reproduce.Paper), "ACC"))
	floats.Sub(d, must(SeedScores(clusteringOf("cora", before, reproduce.Paper), "ACC"))[:len(d)])
	return stat.Mean(d, nil), floats.Count(func(v float64) bool { return v > 0 }, d)
}

// paperTable is the table of docs/reproduction.md on the paper's statements.
type paperTable struct {
	t    *testing.T
	rows map[string][]string // the three cells of each row that was not checked yet, by the first one
}

// notFigures matches what looks like a number in a row: the end of GAE-64, and targets of links.
var notFigures = regexp.MustCompile(`-64\b|\]\([^)]*\)`)

// check compares the row on a statement, which is its first cell: the second cell must be the verdict, and each
// number of the third one must be that of figures in its place, rounded. holds says whether the stored results
// agree with the verdict.
func (p *paperTable) check(statement, verdict string, holds bool, figures ...float64) {
	p.t.Helper()
	cells := p.rows[statement]
	if cells == nil {
		p.t.Errorf("no row on %q", statement)
		return
	}
	delete(p.rows, statement)
	var c Claims
	c.Say(notFigures.ReplaceAllString(cells[2], ""), figures...).
		True(cells[1] == verdict, "the verdict is %q, want %q", cells[1], verdict).
		True(holds, "the stored results do not say so")
	if err := c.err(); err != nil {
		p.t.Errorf("%s: %v", statement, err)
	}
}

// TestPaperStatements compares what docs/reproduction.md says of the paper's statements with the stored results: each
// number of a row is computed, and its verdict rests on a comparison. No row is left out.
func TestPaperStatements(t *testing.T) {
	p := &paperTable{t, map[string][]string{}}
	section := textBetween(t, "../../docs/reproduction.md", "## What the paper says, and what these runs say", "\n## ")
	for line := range strings.SplitSeq(section, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) == 3 && cells[0] != "the paper" {
			p.rows[cells[0]] = cells
		}
	}
	checkSettings(p)
	checkClustering(p)
	checkEntanglement(p)
	checkAblation(p)
	checkFilter(p)
	checkFurther(p)
	for statement := range p.rows {
		t.Errorf("no test of the row on %q", statement)
	}
}

// onAll returns the mean ACC of a method on each of the paper's data sets.
func onAll(method string) (means []float64) {
	for _, dataset := range paperSets {
		means = append(means, acc(dataset, method))
	}
	return means
}

// checkSettings checks the rows on §3 and §4.
func checkSettings(p *paperTable) {
	p.check("§3.4: embeddings are scaled to [0, 1] by a min–max scaler", "open", true)

	// The k with the lowest index, and the highest ACC, over the seeds 1 to 3.
	var chosen, withIt, highest []float64
	for _, dataset := range paperSets[:3] {
		lowest, k, best, top := math.Inf(1), 0., 0., 0.
		for _, tried := range ksOfFigure5 {
			mean := func(score string) float64 { return stat.Mean(overK(dataset, score, reproduce.Paper, tried)[:3], nil) }
			if index := mean("DBI"); index < lowest {
				lowest, k, best = index, tried, mean("ACC")
			}
			top = max(top, mean("ACC"))
		}
		chosen, withIt, highest = append(chosen, k), append(withIt, best), append(highest, top)
	}
	// Constant and changing thresholds, which are the last step of table 4.
	constant, changing := clusteringOf("cora", "+Adaptive", reproduce.Paper), clusteringOf("cora", "AGE", reproduce.Paper)
	of := func(r reproduce.Run, score string) []float64 { return must(SeedScores(r, score)) }
	agrees := len(of(changing, "DBI")) == 10
	for i, index := range of(changing, "DBI") {
		agrees = agrees && index < of(constant, "DBI")[i]
	}
	// The t of the lowest index, and the paper's, with their ACC, by seed 1.
	var chosenT, paperT, chosenACC, paperACC []float64
	for _, dataset := range paperSets[:3] {
		lowest, t, best := math.Inf(1), 0., 0.
		settings, _ := encoder.PaperOptions(dataset)
		own := settings.Layers
		for layers := 1; layers <= 10; layers++ {
			r := clusteringOf(dataset, "AGE", reproduce.Paper)
			if layers != own {
				r.Layers = layers
			}
			indices, err := SeedScores(r, "DBI")
			if err != nil { // not run
				continue
			}
			if indices[0] < lowest {
				lowest, t, best = indices[0], float64(layers), of(r, "ACC")[0]
			}
			if layers == own {
				paperT, paperACC = append(paperT, float64(own)), append(paperACC, of(r, "ACC")[0])
			}
		}
		chosenT, chosenACC = append(chosenT, t), append(chosenACC, best)
		agrees = agrees && t != float64(own)
	}
	narrow, wide := make([]float64, 5), make([]float64, 5) // columns of notebook 03's table: 2 is the index, 4 the share that is right
	for _, column := range []int{2, 4} {
		narrow[column], wide[column] = storedNumber(p.t, "03", "1.1 %", 5, column), storedNumber(p.t, "03", "5.5 %", 5, column)
	}
	p.check("§4.3: t and the thresholds are tuned by the Davies–Bouldin index", "agrees for changing thresholds, not for t", agrees && wide[2] < narrow[2] && wide[4] < narrow[4],
		slices.Concat([]float64{meanOf(changing, "DBI"), meanOf(constant, "DBI"), meanOf(changing, "ACC"), meanOf(constant, "ACC"), 1}, chosenT, chosenACC,
			paperT, paperACC, []float64{3, wide[2], narrow[2], 5, 1, 3}, chosen, withIt, highest)...)
}

// checkClustering checks the rows on §5.1.
func checkClustering(p *paperTable) {
	ahead, pairs := 0., 0.
	var leads []float64 // how many of onBoth the best with one source is ahead of
	for _, dataset := range paperSets {
		best, count := 0., 0.
		for _, one := range slices.Concat(onFeatures, onEdges) {
			best = max(best, acc(dataset, one))
			for _, both := range onBoth {
				pairs++
				if acc(dataset, both) > acc(dataset, one) {
					ahead++
				}
			}
		}
		for _, both := range onBoth {
			if best > acc(dataset, both) {
				count++
			}
		}
		leads = append(leads, count)
	}
	deepWalk := acc("cora", "DeepWalk")
	six := []string{"GAE", "VGAE", "MGAE", "ARGA", "ARVGA", "GALA"}
	onlySix := true
	for _, method := range onBoth {
		onlySix = onlySix && slices.Contains(six, method) == (acc("cora", method) < deepWalk)
	}
	p.check("§5.1: methods with features and graph are usually better than those with one of the two",
		"right for most pairs, not against the best", onlySix && ahead > pairs/2,
		slices.Concat([]float64{ahead, pairs, deepWalk}, leads)...)

	age := onAll("AGE")
	margins, baselines := []float64{}, []string{}
	for i, dataset := range paperSets {
		r, mean := bestBaseline(dataset)
		margins, baselines = append(margins, age[i], mean), append(baselines, nameOfRun(r))
	}
	p.check("§5.1: AGE is ahead of all baselines by a considerable margin", "right, except on Pubmed",
		slices.Equal(baselines, []string{"DAEGC, published", "AGC, published", "GALA", "AGC"}) &&
			min(margins[0]-margins[1], margins[2]-margins[3], margins[4]-margins[5]) > 0.02 && margins[6]-margins[7] < 0.005, margins...)

}

// checkEntanglement checks the rows on §5.3, which are about figure 3.
func checkEntanglement(p *paperTable) {
	points, wins := 0., 0.
	clear := map[string]bool{} // where GAE-64 leads by more than the range of its seeds or of the other's
	nmi := func(dataset, method string, layers int) float64 {
		return stat.Mean(layered(dataset, method, layers), nil)
	}
	width := func(values []float64) float64 { return slices.Max(values) - slices.Min(values) }
	for _, dataset := range paperSets {
		for layers := 1; layers <= 8; layers++ {
			points++
			entangled, separate := layered(dataset, "GAE-64", layers), layered(dataset, "LS+RA-64", layers)
			lead := stat.Mean(entangled, nil) - stat.Mean(separate, nil)
			if lead < 0 {
				wins++
			} else if lead > max(width(entangled), width(separate)) {
				clear[fmt.Sprint(dataset, layers)] = true
			}
		}
	}
	p.check("§5.3, **H1**: entanglement of filters and weights does not improve embeddings", "right",
		len(clear) == 1 && clear["wiki1"], 3, wins, points, nmi("wiki", "GAE-64", 1), nmi("wiki", "LS+RA-64", 1))
	var twoAndEight []float64
	for _, dataset := range paperSets {
		for _, method := range []string{"GAE-64", "LS+RA-64"} {
			twoAndEight = append(twoAndEight, nmi(dataset, method, 2), nmi(dataset, method, 8))
		}
	}
	falls := func(dataset string) bool { // from each number of layers to the next
		all := true
		for layers := 3; layers <= 8; layers++ {
			all = all && nmi(dataset, "GAE-64", layers) < nmi(dataset, "GAE-64", layers-1)
		}
		return all
	}
	p.check("§5.3: with more layers GAE gets worse, and LS+RA is stable", "right on Cora",
		falls("cora") && !falls("citeseer") && !falls("wiki") && twoAndEight[15] < twoAndEight[14]-0.05, twoAndEight...)
	slower := func(dataset, method string) float64 {
		one, eight := clusteringOf(dataset, method, reproduce.Paper), clusteringOf(dataset, method, reproduce.Paper)
		one.Layers, eight.Layers = 1, 8
		return storedSeconds(p.t, eight, false) / storedSeconds(p.t, one, false)
	}
	p.check("§5.3: a deep network trains less efficiently", "right", slower("wiki", "LS+RA-64") < 1.05,
		slower("cora", "GAE-64"), slower("citeseer", "GAE-64"), slower("wiki", "GAE-64"), slower("citeseer", "LS+RA-64"))

}

// checkAblation checks the rows on §5.4, which are about tables 2 and 4.
func checkAblation(p *paperTable) {
	age, ls, edges, features := onAll("AGE"), onAll("LS"), onAll("LS+RA"), onAll("LS+RX")
	var three []float64
	for i := range paperSets {
		three = append(three, age[i], edges[i], features[i])
	}
	right := age[0] < edges[0] && age[0] > features[0]
	for i := 1; i < 4; i++ {
		right = right && age[i] > max(edges[i], features[i])
	}
	p.check("§5.4, **H2**: adaptive learning is better than reconstruction", "right, except on Cora", right, three...)
	filter, filtered := changes("Spectral-F", "LS")
	encoder, encoded := changes("LS", "+Encoder")
	adaptive, adapted := changes("+Encoder", "+Adaptive")
	updates, updated := changes("+Adaptive", "AGE")
	deviation := func(method string) float64 {
		return stat.StdDev(must(SeedScores(clusteringOf("cora", method, reproduce.Paper), "ACC")), nil)
	}
	p.check("§5.4, **H2**: each mechanism contributes", "right for three, not shown for the thresholds", filtered == encoded,
		4, filter, encoder, float64(encoded), 10, adaptive, float64(adapted), updates, float64(updated), deviation("+Adaptive"), deviation("AGE"))
	p.check("§5.4: LS+RA is better than LS+RX on Cora, Wiki and Pubmed, and LS+RX on Citeseer", "right on Cora and Wiki, wrong on Citeseer and Pubmed",
		edges[0] > features[0] && edges[2] > features[2] && edges[1] > features[1] && edges[3] < features[3],
		edges[0], features[0], edges[2], features[2], edges[1], features[1], edges[3], features[3])
	p.check("§5.4: on Citeseer and Pubmed, reconstruction makes smoothed features worse", "right",
		ls[1] > max(edges[1], features[1]) && ls[3] > max(edges[3], features[3]), ls[1], ls[3])

}

// checkFilter checks the row on §5.5, which is about figure 5.
func checkFilter(p *paperTable) {
	var best, highestAt, inverse []float64
	deviations, same := 0., 0. // the largest; the mean on Wiki with 2/3 and three seeds
	for _, dataset := range paperSets[:3] {
		k, top := 0., 0.
		for _, tried := range ksOfFigure5 {
			values := overK(dataset, "ACC", reproduce.Paper, tried)
			if mean := stat.Mean(values, nil); mean > top {
				k, top = tried, mean
			}
		}
		at := overK(dataset, "ACC", reproduce.Paper, agekit.InverseLambdaMax)
		best, highestAt, inverse = append(best, k), append(highestAt, top), append(inverse, stat.Mean(at, nil))
		deviations = max(deviations, stat.StdDev(at, nil), stat.StdDev(overK(dataset, "ACC", reproduce.Paper, k), nil))
	}
	same = stat.Mean(overK("wiki", "ACC", reproduce.Paper, 0)[:3], nil)
	var flat []float64
	for _, k := range ksOfFigure5[5:] {
		flat = append(flat, overK("pubmed", "ACC", reproduce.Best, k)[0])
	}
	p.check("§5.5, **H3**: k = 1/λmax is best", "not shown", slices.Max(inverse) < slices.Max(highestAt),
		slices.Concat(best, highestAt, inverse, []float64{1}, []float64{deviations, 1, 3, 2, 3, same, slices.Min(flat), slices.Max(flat), 0.6})...)

}

// checkFurther checks the rows on §6 and on the appendix.
func checkFurther(p *paperTable) {
	p.check("§6, future work: no full computation of the similarities", "done",
		strings.Contains(string(must(os.ReadFile("../../docs/performance.md"))), "differ by at most .012 in the mean on the paper's data sets"), 1024, 10, .012)
	age := onAll("AGE")
	var alone, code []float64
	below := true
	for i, dataset := range paperSets[:3] {
		alone = append(alone, storedSeconds(p.t, clusteringOf(dataset, "AGE", reproduce.Paper), true))
		code = append(code, meanOf(clusteringOf(dataset, "AGE", reproduce.Code), "ACC"))
		below = below && code[i] < age[i]
	}
	p.check("Appendix: Xeon Gold 5218, RTX 2080 Ti, PyTorch 1.3.1, scikit-learn 0.21.3", "no seconds to compare", below,
		slices.Concat(alone, []float64{.21}, code)...)
}

// textBetween returns the text of a file after a heading, up to the next end.
func textBetween(t *testing.T, path, heading, end string) string {
	t.Helper()
	_, text, ok := strings.Cut(string(must(os.ReadFile(filepath.FromSlash(path)))), heading)
	if !ok {
		t.Fatalf("%s has no %q", path, heading)
	}
	text, _, _ = strings.Cut(text, end)
	return text
}
