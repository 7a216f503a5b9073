package reproduce

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/method"
	"gonum.org/v1/gonum/blas/blas32"
)

var figure3 = Item{
	Name: "fig3", Title: "Figure 3: filters and weights entangled (GAE) or not (LS+RA)", Datasets: paperDatasets,
	Methods: methodsOf("fig3"),
	runs: func(s Selection) []Run {
		var kinds []Run
		for _, t := range layersShown(s) {
			kinds = append(kinds, Run{Task: Clustering, Layers: t})
		}
		return s.runsOf(kinds...)
	},
	render: renderLayers,
}

var figure4 = Item{
	Name: "fig4", Title: "Figure 4: the eigenvalues of the Laplacian", Datasets: paperDatasets,
	runs:   eachDataset(Spectrum),
	render: renderSpectra,
}

var figure5 = Item{
	Name: "fig5", Title: "Figure 5: the choice of k", Datasets: paperDatasets, Methods: []string{method.AGE},
	runs: func(s Selection) []Run {
		var kinds []Run
		for _, k := range ksShown(s) {
			kinds = append(kinds, Run{Task: Clustering, K: k})
		}
		return s.runsOf(kinds...)
	},
	render: renderKs,
}

var figure6 = Item{
	Name: "fig6", Title: "Figure 6: maps of the ablation's embeddings", Datasets: []string{"cora"},
	Methods: table4.Methods,
	runs: func(s Selection) []Run {
		s.Seeds = 1
		return s.runsOf(Run{Task: mapTask})
	},
	render: renderMaps,
}

// layersShown returns the numbers of filter layers in figure 3.
func layersShown(s Selection) []int {
	if s.Quick {
		return []int{1, 4, 8}
	}
	return []int{1, 2, 3, 4, 5, 6, 7, 8}
}

// ksShown returns the values of k in figure 5. The 0 is the mode's own k, 2/3, so that
// figure 5 shares those runs with table 2.
func ksShown(s Selection) []float64 {
	if s.Quick {
		return []float64{0.5, 0, laplacian.InverseLambdaMax, 1}
	}
	return []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, laplacian.InverseLambdaMax, 0.7, 0.8, 0.9, 1}
}

// renderLayers draws NMI over the number of filter layers: for each mode a figure with a panel per data
// set, and a line per method.
func renderLayers(_ Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "mode", "layers", "method", "seeds", "NMI", "deviation", "best"}}}
	table := table{
		Caption: "NMI over filter layers (hidden width 64, embedding 16): mean ± standard deviation over seeds",
		Header:  append([]string{"", "mode", "layers", "seeds"}, s.Methods...),
	}
	for _, mode := range s.Modes {
		var panels []*figure.Figure
		for _, d := range s.Datasets {
			lines := make([]figure.Series, len(s.Methods))
			for _, t := range layersShown(s.Selection) {
				const seedsCell = 3
				row := []string{DatasetTitle(d), string(mode), strconv.Itoa(t), ""}
				seeds := 0 // the smallest number of seeds of a method in the row; 0 if there are no results
				for i, m := range s.Methods {
					sum := s.find(Run{Task: Clustering, Dataset: d, Method: m, Mode: mode, Layers: t}).score("NMI")
					row = append(row, sum.text())
					if sum.count == 0 {
						continue
					}
					if seeds == 0 || sum.count < seeds {
						seeds = sum.count
					}
					sum.appendTo(&lines[i], strings.TrimSuffix(m, "-64"), float64(t))
					out.addData(sum, d, string(mode), strconv.Itoa(t), m)
				}
				if seeds > 0 {
					row[seedsCell] = strconv.Itoa(seeds)
					table.Rows = append(table.Rows, row)
				}
			}
			lines = slices.DeleteFunc(lines, func(l figure.Series) bool { return l.Y == nil })
			if len(lines) > 0 {
				panels = append(panels, figure.Lines(DatasetTitle(d), "filter layers", "NMI", lines...))
			}
		}
		if panels != nil {
			out.draw("fig3-"+string(mode), "NMI over filter layers, "+string(mode)+" mode", figure.Row(panels...))
		}
	}
	out.addTable(table)
	return out, nil
}

// renderSpectra draws the eigenvalues of each data set and the amplitudes of the filters
// with k = 1 and k = 1/λmax.
func renderSpectra(_ Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "from", "to", "eigenvalues"}}}
	table := table{
		Caption: "The paper: all λmax are around 3/2, and k = 2/3 is used throughout.",
		Header:  []string{"", "λmax", "1/λmax", "1 or above", "method"},
	}
	for _, d := range s.Datasets {
		record, ok := s.results.Get(Run{Task: Spectrum, Dataset: d})
		if !ok {
			continue
		}
		lambda, counts := record.Scores["lambda_max"], record.Series["counts"]
		var all, upper float64            // the number of eigenvalues, and of those from 1 to 2
		width := 2 / float64(len(counts)) // of a bar
		for b, count := range counts {
			all += count
			if 2*b >= len(counts) {
				upper += count
			}
			out.Data = append(out.Data, []string{d, number(float64(b) * width), number(float64(b+1) * width), number(count)})
		}
		method := "all eigenvalues"
		if record.Scores["exact"] == 0 {
			method = fmt.Sprintf("estimated density, standard error of a bar at most %.0f", slices.Max(record.Series["errors"]))
		}
		table.Rows = append(table.Rows, []string{DatasetTitle(d), fixed(lambda, 5), fixed(1/lambda, 4), fmt.Sprintf("%.1f %%", 100*upper/all), method})
		out.draw("fig4-"+fileName(d), "Eigenvalues of "+DatasetTitle(d), figure.EigenvalueHistogram(
			DatasetTitle(d), figure.Bins{Lo: 0, Hi: 2, Counts: counts}, lambda,
			figure.Response{K: 1, Layers: 1}, figure.Response{K: 1 / lambda, Layers: 1}))
	}
	out.addTable(table)
	return out, nil
}

// renderKs draws the three scores over k: one figure with a panel per score, as in the
// paper, and one per data set that marks its 1/λmax.
func renderKs(_ Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "mode", "k", "score", "seeds", "mean", "deviation", "best"}}}
	table := table{Caption: "Mean ± standard deviation over seeds", Header: append([]string{"", "mode", "k", "seeds"}, clusteringScores...)}
	for _, mode := range s.Modes {
		panels := make([][]figure.Series, len(clusteringScores))
		var single []drawing // the figures of one data set each
		for _, d := range s.Datasets {
			lines, inverse := kLines(out, &table, s, d, mode)
			if lines == nil {
				continue
			}
			for i, l := range lines {
				panels[i] = append(panels[i], figure.Series{Name: DatasetTitle(d), X: l.X, Y: l.Y, Deviation: l.Deviation})
			}
			single = append(single, drawing{
				"fig5-" + fileName(d) + "-" + string(mode),
				"Scores over k on " + DatasetTitle(d) + ", " + string(mode) + " mode",
				markKs(figure.Lines(DatasetTitle(d), "k", "score", lines...), inverse),
			})
		}
		if single == nil {
			continue
		}
		var row []*figure.Figure
		for i, score := range clusteringScores {
			row = append(row, markKs(figure.Lines(score, "k", score, panels[i]...), 0))
		}
		out.draw("fig5-"+string(mode), "Scores over k, "+string(mode)+" mode", figure.Row(row...))
		out.Figures = append(out.Figures, single...)
	}
	out.addTable(table)
	return out, nil
}

// kLines returns a line over k for each of the three scores of AGE on a data set in a mode, and 1/λmax, 0
// if there is no result for it. It adds a row for each k to the table, and the scores to out.Data. If
// fewer than two values of k have results, it adds nothing and returns nil.
func kLines(out *Output, table *table, s source, dataset string, mode Mode) (lines []figure.Series, inverse float64) {
	var all []seedRecords // one for each k
	for _, k := range ksShown(s.Selection) {
		records := s.find(Run{Task: Clustering, Dataset: dataset, Method: method.AGE, Mode: mode, K: k})
		used := records.score("k") // the number that k, such as 1/λmax, stands for
		if used.count == 0 {
			continue
		}
		all = append(all, records)
		if k == laplacian.InverseLambdaMax {
			inverse = used.mean
		}
	}
	if len(all) < 2 {
		return nil, 0
	}
	slices.SortFunc(all, func(a, b seedRecords) int { return cmp.Compare(a.score("k").mean, b.score("k").mean) })
	lines = make([]figure.Series, len(clusteringScores))
	for _, records := range all {
		k := records.score("k")
		row := []string{DatasetTitle(dataset), string(mode), fixed(k.mean, 4), strconv.Itoa(k.count)}
		for i, score := range clusteringScores {
			sum := records.score(score)
			sum.appendTo(&lines[i], score, k.mean)
			row = append(row, sum.text())
			out.addData(sum, dataset, string(mode), number(k.mean), score)
		}
		table.Rows = append(table.Rows, row)
	}
	return lines, inverse
}

// markKs draws vertical lines in f at the k 1/2, 2/3, 1 and, unless it is 0, inverse, which is 1/λmax. It
// returns f. The lines at 2/3 and 1/λmax share a label where two labels would overlap.
func markKs(f *figure.Figure, inverse float64) *figure.Figure {
	const (
		twoThirds = 2.0 / 3
		// The widths of the labels of 1/λmax and of 2/3, in units of k: a label is to the right of its line.
		inverseWidth, twoThirdsWidth = 0.12, 0.04
	)
	f.VLine(0.5, "1/2").VLine(1, "1")
	switch difference := inverse - twoThirds; {
	case inverse == 0:
		f.VLine(twoThirds, "2/3")
	case difference > -inverseWidth && difference < 0:
		f.VLine(inverse, "").VLine(twoThirds, "1/λmax, 2/3")
	case difference >= 0 && difference < twoThirdsWidth:
		f.VLine(twoThirds, "").VLine(inverse, "2/3, 1/λmax")
	default:
		f.VLine(twoThirds, "2/3").VLine(inverse, "1/λmax")
	}
	return f
}

// storedMap returns the map in a record: the place of each node, n×2, and its class, nil without labels.
func storedMap(record Record) (points blas32.General, classes []int, err error) {
	x, y, class := record.Series["x"], record.Series["y"], record.Series["class"]
	if len(x) != len(y) || class != nil && len(class) != len(x) {
		return points, nil, errors.New("a map's coordinates and classes have different lengths")
	}
	points = blas32.General{Rows: len(x), Cols: 2, Stride: 2}
	for i := range x {
		points.Data = append(points.Data, float32(x[i]), float32(y[i]))
		if class != nil {
			classes = append(classes, int(class[i]))
		}
	}
	return points, classes, nil
}

// classNames returns the names of a data set's classes. It returns nil if the data set cannot be loaded:
// then figures number the classes.
func (s source) classNames(dataset string) []string {
	if s.load != nil {
		if g, err := s.load(dataset); err == nil {
			return g.ClassNames
		}
	}
	return nil
}
