package reproduce

import (
	"strconv"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/pairs"
)

// tuning shows which t and which thresholds the Davies–Bouldin index would choose, by which the paper tuned
// them (§4.3), and what the clusters are worth there.
var tuning = Item{
	Name: "tuning", Title: "Tuning: the t and the thresholds that the Davies–Bouldin index would choose", Datasets: []string{"cora", "citeseer", "wiki"},
	Methods: []string{method.AGE},
	runs: func(s Selection) []Run {
		s.Modes = []Mode{Paper}
		var runs []Run
		for _, d := range s.Datasets {
			one := s
			one.Datasets = []string{d}
			runs = append(runs, one.runsOf(tunings(d, s.Quick)...)...)
		}
		return runs
	},
	render: renderTuning,
}

// tunings returns the runs that differ from the paper's settings in t or in one threshold. Where t is the paper's
// it is 0: that run is table 2's.
func tunings(dataset string, quick bool) []Run {
	paper, _ := encoder.PaperOptions(dataset)
	var kinds []Run
	for t := 1; t <= max(6, paper.Layers+2); t++ {
		switch {
		case t == paper.Layers:
			kinds = append(kinds, Run{Task: Clustering})
		case t == 1 || !quick:
			kinds = append(kinds, Run{Task: Clustering, Layers: t})
		}
	}
	for i := range thresholdNames {
		for _, factor := range []float64{0.5, 2} {
			tried := paper.Thresholds
			p := thresholds(&tried)[i]
			*p *= factor
			if *p >= 1 { // there must be negative pairs
				*p = 0.75
			}
			kinds = append(kinds, Run{Task: Clustering, Thresholds: tried})
			if quick {
				return kinds
			}
		}
	}
	return kinds
}

// isTuned reports whether the run r has settings that differ from the paper's.
func (r Run) isTuned() bool { return r.Layers != 0 || r.Thresholds != (pairs.Thresholds{}) }

// thresholdNames are the names of table 5 for what thresholds returns.
var thresholdNames = []string{"r_pos at first", "r_pos at last", "r_neg at first", "r_neg at last"}

// thresholds returns the four numbers of t.
func thresholds(t *pairs.Thresholds) []*float64 {
	return []*float64{&t.PosStart, &t.PosEnd, &t.NegStart, &t.NegEnd}
}

// change says in what the run r differs from the paper's settings for its data set: in "t", or in one of
// thresholdNames, and its value there. For the paper's own settings, it is t.
func (r Run) change() (name string, value float64) {
	paper, _ := encoder.PaperOptions(r.Dataset)
	for i, p := range thresholds(&r.Thresholds) {
		if *p != 0 && *p != *thresholds(&paper.Thresholds)[i] {
			return thresholdNames[i], *p
		}
	}
	return "t", float64(r.filter(paper.Filter).Layers)
}

// renderTuning makes, for each data set, a table of the index and the ACC for each t and each changed
// threshold, and a figure of both over t.
func renderTuning(i Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "setting", "value", "score", "seeds", "mean", "deviation", "best"}}}
	var panels []*figure.Figure
	for _, d := range s.Datasets {
		table := table{
			Caption: DatasetTitle(d) + ": the other settings are table 5's; mean ± standard deviation over seeds",
			Header:  []string{"setting", "value", "seeds", "Davies–Bouldin", "ACC"},
		}
		lines := make([]figure.Series, 2) // over t
		for _, kind := range i.kinds(s.Selection, d) {
			records := s.find(kind)
			index, acc := records.score("DBI"), records.score("ACC")
			if acc.count == 0 {
				continue
			}
			name, value := kind.change()
			text := number(value)
			out.addData(index, d, name, text, "DBI")
			out.addData(acc, d, name, text, "ACC")
			if !kind.isTuned() {
				text += " (table 5)"
			}
			table.Rows = append(table.Rows, []string{name, text, strconv.Itoa(acc.count), index.text(), acc.text()})
			if name == "t" {
				index.appendTo(&lines[0], "Davies–Bouldin", value)
				acc.appendTo(&lines[1], "ACC", value)
			}
		}
		out.addTable(table)
		if len(lines[0].X) > 1 {
			panels = append(panels, figure.Lines(DatasetTitle(d), "t", "", lines...))
		}
	}
	if panels != nil {
		out.draw("tuning", "The Davies–Bouldin index and ACC over t, paper mode", figure.Row(panels...))
	}
	out.Notes = append(out.Notes, "Each row is a training in paper mode. The index is that of the epoch that AGE returns, which has the lowest of its training. Labels are used for the ACC alone.")
	return out, nil
}
