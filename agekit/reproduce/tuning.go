package reproduce

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/pairs"
)

// tuning shows which t and which thresholds the Davies–Bouldin index would choose, by which the paper tuned
// them (§4.3), and what the clusters are worth there.
var tuning = Item{
	Name: "tuning", Title: "Tuning: what the index without labels would choose", Datasets: []string{"cora", "citeseer", "wiki"},
	Methods: []string{method.AGE},
	runs: func(s Selection) []Run {
		var runs []Run
		for _, d := range s.Datasets {
			for _, t := range tunings(d, s.Quick) {
				runs = append(runs, s.tuned(d, t.kinds)...)
			}
		}
		return runs
	},
	render: renderTuning,
}

// tried are settings that are compared with those of table 5.
type tried struct {
	name  string
	kinds []Run // table 5's is the one without settings of its own, and so a run of table 2
}

// tunings returns what is tried on a data set: numbers of filter layers, and thresholds of which one
// is halved or doubled.
func tunings(dataset string, quick bool) []tried {
	paper, _ := encoder.PaperOptions(dataset)
	var layers []Run
	for t := 1; t <= max(6, paper.Layers+2); t++ {
		switch {
		case t == paper.Layers:
			layers = append(layers, Run{Task: Clustering})
		case t == 1 || !quick:
			layers = append(layers, Run{Task: Clustering, Layers: t})
		}
	}
	changed := []Run{{Task: Clustering}}
	for i := range thresholdNames {
		for _, factor := range []float64{0.5, 2} {
			own := paper.Thresholds
			p := thresholds(&own)[i]
			*p *= factor
			if *p >= 1 { // there must be negative pairs
				*p = 0.75
			}
			changed = append(changed, Run{Task: Clustering, Thresholds: own})
		}
	}
	if quick {
		changed = changed[:2]
	}
	return []tried{{"t", layers}, {"thresholds", changed}}
}

// tuned returns the runs of the given kinds on a data set, all in paper mode, with each seed.
func (s Selection) tuned(dataset string, kinds []Run) []Run {
	s.Datasets, s.Modes = []string{dataset}, []Mode{Paper}
	return s.runsOf(kinds...)
}

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

// isTuned reports whether the run r has settings that differ from the paper's.
func (r Run) isTuned() bool { return r.Layers != 0 || r.Thresholds != (pairs.Thresholds{}) }

// trial is a setting with what its runs have.
type trial struct {
	Run
	index, acc summary // of the Davies–Bouldin index, and of the ACC
}

// trials returns those of the kinds that have results. Their summaries are over the seeds that they all have: indices
// of one setting differ more between seeds than those of one seed between settings.
func (s source) trials(kinds []Run) []trial {
	var all []trial
	var found []seedRecords
	var common map[uint64]bool // seeds
	for _, kind := range kinds {
		records := s.find(kind)
		if len(records) == 0 {
			continue
		}
		seeds := map[uint64]bool{}
		for _, record := range records {
			seeds[record.Run.Seed] = common == nil || common[record.Run.Seed]
		}
		common = seeds
		all, found = append(all, trial{Run: kind}), append(found, records)
	}
	for i, records := range found {
		records = slices.DeleteFunc(records, func(r Record) bool { return !common[r.Run.Seed] })
		all[i].index, all[i].acc = records.score("DBI"), records.score("ACC")
	}
	return all
}

// says returns "t = 3", or the threshold that is changed, or "table 5".
func (t trial) says() string {
	if !t.isTuned() {
		return "table 5"
	}
	name, value := t.change()
	return name + " = " + number(value)
}

// renderTuning makes, for each data set, a table of the index and the ACC for each t and one for each changed
// threshold, and a figure of both over t.
func renderTuning(_ Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "setting", "value", "score", "seeds", "mean", "deviation", "best"}}}
	var panels []*figure.Figure
	one := s.Selection
	one.Seeds = 1
	for _, d := range s.Datasets {
		for _, tried := range tunings(d, s.Quick) {
			trials := s.trials(one.tuned(d, tried.kinds))
			if len(trials) < 2 || trials[0].acc.count == 0 {
				continue
			}
			table := table{
				Caption: fmt.Sprintf("%s, %s; the other settings are table 5's: mean ± standard deviation over seeds", DatasetTitle(d), tried.name),
				Header:  []string{"setting", "value", "seeds", "Davies–Bouldin", "ACC"},
			}
			lines := make([]figure.Series, 2) // over t
			for _, t := range trials {
				name, value := t.change()
				text := number(value)
				out.addData(t.index, d, name, text, "DBI")
				out.addData(t.acc, d, name, text, "ACC")
				if !t.isTuned() {
					text += " (table 5)"
				}
				table.Rows = append(table.Rows, []string{name, text, strconv.Itoa(t.acc.count), t.index.text(), t.acc.text()})
				t.index.appendTo(&lines[0], "Davies–Bouldin", value)
				t.acc.appendTo(&lines[1], "ACC", value)
			}
			out.addTable(table)
			out.Notes = append(out.Notes, chosen(trials, DatasetTitle(d)+", "+tried.name))
			if tried.name == "t" {
				panels = append(panels, figure.Lines(DatasetTitle(d), "t", "", lines...))
			}
		}
	}
	if panels != nil {
		out.draw("tuning", "The Davies–Bouldin index and ACC over t, paper mode", figure.Row(panels...))
	}
	out.Notes = append(out.Notes, "Each row is a training in paper mode; a table compares the seeds that all its rows have. The index is that of the epoch that AGE returns, which has the lowest of its training. Labels are used for the ACC alone.")
	return out, nil
}

// chosen says which of the trials has the lowest index, and what its clusters are worth beside those of
// table 5 and of the highest ACC.
func chosen(trials []trial, what string) string {
	lowest, best, own := trials[0], trials[0], trial{}
	for _, t := range trials {
		if t.index.mean < lowest.index.mean {
			lowest = t
		}
		if t.acc.mean > best.acc.mean {
			best = t
		}
		if !t.isTuned() {
			own = t
		}
	}
	text := fmt.Sprintf("%s: of %d settings, the index is lowest, %s, at %s, with ACC %s", what, len(trials), fixed(lowest.index.mean, 3), lowest.says(), fixed(lowest.acc.mean, 3))
	if lowest.isTuned() && own.acc.count > 0 {
		text += fmt.Sprintf("; table 5 has %s and ACC %s", fixed(own.index.mean, 3), fixed(own.acc.mean, 3))
	}
	return text + fmt.Sprintf(". The highest ACC, by the labels, is %s, at %s.", fixed(best.acc.mean, 3), best.says())
}
