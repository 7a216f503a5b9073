package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// peekingTask clusters the nodes after every few epochs of a training ([method.Planned.Watch]).
const peekingTask = "peeking"

// peeking shows what the epochs of each trained method are worth, and what it buys to choose one by
// the labels.
var peeking = Item{
	Name: "peeking", Title: "Peeking: the epoch that labels would choose", Datasets: paperDatasets,
	Methods: trainedMethods(),
	runs:    peekingRuns,
	render:  renderPeeking,
}

// trainedMethods lists the trained methods of this table, of table 2 and of the field, and AGE.
func trainedMethods() []string {
	var names []string
	for _, name := range method.Names() {
		m, _ := method.Find(name)
		inTable := func(table string) bool { return slices.Contains(m.Tables, table) }
		if m.Trained && (inTable("table2") || inTable("field") || inTable("peeking")) {
			names = append(names, name)
		}
	}
	return append(names, method.AGE)
}

// peekingRuns lists the runs of each method in one mode: the protocol of its own public code, whose
// printed scores are in question, or else fair or paper mode. GALA's published mode, with 1,000 epochs
// of four times the width in place of 55, was never run, and fair mode stands for it. The selection's modes do not count.
func peekingRuns(s Selection) []Run {
	var runs []Run
	for _, d := range s.Datasets {
		for _, m := range s.Methods {
			r := Run{Task: peekingTask, Dataset: d, Method: m, Mode: Paper}
			if Published.has(m) && m != "GALA" {
				r.Mode = Published
			}
			runs = append(runs, s.withSeeds(r)...)
		}
	}
	return runs
}

// noIndex stands for a Davies–Bouldin index of fewer than two clusters, which there is none of.
const noIndex = 1e9

// peek runs a method and returns the scores of its clusters after every few epochs as series, and
// those after the last as scores. Labels are read once the training has ended.
func peek(ctx context.Context, m method.Method, g *graph.Graph, r Run, o method.Options) (*outcome, error) {
	o.Checkpoints = nil // what was seen before a checkpoint would be missing
	p, err := method.Plan(m, g, r.options(g, o))
	if err != nil {
		return nil, err
	}
	series := map[string][]float64{}
	var seen [][]int // the clusters at each look
	fitted, err := p.Watch(ctx, func(epoch int, out *method.Output) error {
		index, known := out.Measures["DBI"]
		if !known {
			index = noIndex
		}
		series["epoch"] = append(series["epoch"], float64(epoch))
		series["DBI"] = append(series["DBI"], round4(index))
		seen = append(seen, slices.Clone(out.Clusters))
		return nil
	})
	if err != nil {
		return nil, err
	}
	scores := map[string]float64{}
	for _, clusters := range seen {
		addScores(scores, metric.Score(g, clusters))
		for _, name := range append([]string{"modularity"}, clusteringScores...) {
			if value, known := scores[name]; known {
				series[name] = append(series[name], round4(value))
			}
		}
	}
	return &outcome{backend: fitted.Backend, scores: scores, series: series, release: fitted.Release}, nil
}

// round4 keeps four decimals, one more than tables show.
func round4(v float64) float64 { return math.Round(1e4*v) / 1e4 }

// The epochs that a table compares, as indices of a run's series.
func lastLook(r Record) int          { return len(r.Series["epoch"]) - 1 }
func lowestIndex(r Record) int       { return floats.MinIdx(r.Series["DBI"]) }
func highestModularity(r Record) int { return floats.MaxIdx(r.Series["modularity"]) }
func bestByLabels(r Record) int      { return floats.MaxIdx(r.Series["ACC"]) }

// peekingColumns are the choices of an epoch, in the order of the table.
var peekingColumns = []struct {
	name  string
	index func(Record) int
}{
	{"last epoch", lastLook},
	{"lowest DBI", lowestIndex},
	{"highest modularity", highestModularity},
	{"best, by labels", bestByLabels},
}

// renderPeeking makes, for each data set, a table of the ACC at the last epoch, at the epochs that two
// criteria without labels choose, and at the best by the labels, and of the last's difference to the first.
func renderPeeking(i Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "method", "mode", "epoch", "seeds", "mean", "deviation", "best"}}}
	for _, d := range s.Datasets {
		table := table{Caption: DatasetTitle(d) + ": ACC, mean ± standard deviation over seeds", Header: []string{"", "mode", "seeds", "epochs", "looks"}}
		for k, c := range peekingColumns {
			table.Header = append(table.Header, c.name)
			table.Ranked = append(table.Ranked, 5+k)
		}
		table.Header = append(table.Header, "peeking buys")
		gains := make([][]float64, len(peekingColumns)) // of each choice over the last epoch, by method
		for _, kind := range i.kinds(s.Selection, d) {
			records := slices.DeleteFunc(s.find(kind), func(r Record) bool { return len(r.Series["ACC"]) == 0 })
			if len(records) == 0 {
				continue
			}
			at := func(choose func(Record) int) summary {
				return records.summarize(func(r Record) (float64, bool) { return r.Series["ACC"][choose(r)], true })
			}
			epochs := records.summarize(func(r Record) (float64, bool) { return r.Series["epoch"][lastLook(r)], true })
			looks := records.summarize(func(r Record) (float64, bool) { return float64(len(r.Series["epoch"])), true })
			row := []string{kind.Method, kind.modeName(), strconv.Itoa(len(records)), fixed(epochs.mean, 0), fixed(looks.mean, 0)}
			last := at(lastLook)
			for k, c := range peekingColumns {
				reached := at(c.index)
				row = append(row, reached.text())
				out.addData(reached, d, kind.Method, kind.modeName(), c.name)
				gains[k] = append(gains[k], reached.mean-last.mean)
			}
			bought := records.summarize(func(r Record) (float64, bool) {
				return r.Series["ACC"][bestByLabels(r)] - r.Series["ACC"][lastLook(r)], true
			})
			out.addData(bought, d, kind.Method, kind.modeName(), "peeking buys")
			table.Rows = append(table.Rows, append(row, bought.text()))
		}
		out.addTable(table)
		if table.Rows != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: on average over these %d methods, the epoch chosen by the labels has %s ACC beside the last epoch, that of the lowest Davies–Bouldin index %s, and that of the highest modularity %s.",
				DatasetTitle(d), len(table.Rows), difference(stat.Mean(gains[3], nil)), difference(stat.Mean(gains[1], nil)), difference(stat.Mean(gains[2], nil))))
		}
	}
	out.Notes = append(out.Notes, "Each training is looked at after every 10 epochs, or after each if it has fewer than 100, and at its end. "+
		"*Last epoch* is what the method returns (DGI: the epoch of its lowest loss), but AGE returns that of the lowest index. "+
		"DBI is the Davies–Bouldin index of the rows of the cosines' matrix. *Peeking buys* is the best ACC by the labels minus that of the last epoch: "+
		"a gain that no user has, whose graph has no labels. It is at least 0, and noise alone makes it larger: of looks at the same embedding with other starts of k-means, the best is above the mean, too.")
	return out, nil
}
