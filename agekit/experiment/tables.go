package experiment

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/agekit/age/agekit/paper"
)

var table1 = Item{
	Name: "table1", Title: "Table 1: the data sets", Datasets: paperDatasets,
	runs:   eachDataset(statisticsTask),
	render: renderStatistics,
}

var table3 = Item{
	Name: "table3", Title: "Table 3: node clustering", Datasets: paperDatasets,
	Methods: append(methodsOf("table3"), ageName),
	runs:    eachMethod(Clustering),
	render: func(i Item, s Selection, from source) (*Output, error) {
		return i.renderScores(s, from, scoreTable{Clustering, clusteringScores, 3})
	},
}

var table4 = Item{
	Name: "table4", Title: "Table 4: link prediction", Datasets: []string{"cora", "citeseer"},
	Methods: append(methodsOf("table4"), ageName),
	runs:    eachMethod(Links),
	render: func(i Item, s Selection, from source) (*Output, error) {
		return i.renderScores(s, from, scoreTable{Links, linkScores, 4})
	},
}

var table5 = Item{
	Name: "table5", Title: "Table 5: the steps of the method", Datasets: []string{"cora"},
	Methods: append(methodsOf("table5"), "+Encoder", "+Adaptive", ageName),
	runs:    eachMethod(Clustering),
	render: func(i Item, s Selection, from source) (*Output, error) {
		return i.renderScores(s, from, scoreTable{Clustering, clusteringScores, ablationTable})
	},
}

// renderStatistics makes table 1, with edges counted in both ways.
func renderStatistics(_ Item, s Selection, from source) (*Output, error) {
	out := &Output{Notes: []string{"The paper's number of edges is that of the entries in the source files, with duplicates, both directions and self loops; methods see the distinct edges."}}
	columns := []string{"nodes", "listed edges", "edges", "features", "classes", "isolated", "zero rows", "components"}
	table := Table{
		Caption: "The paper's values, where it prints any, are in parentheses.",
		Header:  []string{"", "nodes", "edges as listed", "distinct, no loops", "features", "classes", "isolated nodes", "nodes without features", "components"},
	}
	out.Data = append(out.Data, append([]string{"dataset"}, columns...))
	for _, d := range s.shown() {
		record, ok := from.results.Get(Run{Task: statisticsTask, Dataset: d})
		if !ok {
			continue
		}
		row, data := []string{displayName(d)}, []string{d}
		for _, c := range columns {
			value := strconv.Itoa(int(record.Scores[c]))
			data = append(data, value)
			if printed, ok := paper.Printed(1, "", d, c); ok {
				value += fmt.Sprintf(" (%.0f)", printed)
			}
			row = append(row, value)
		}
		table.Rows, out.Data = append(table.Rows, row), append(out.Data, data)
	}
	out.addTable(table)
	return out, nil
}

// scoreTable describes a table of methods' scores.
type scoreTable struct {
	task   string
	scores []string
	number int // in the paper
}

// ablationTable is the table whose rows are steps of one method.
const ablationTable = 5

// name returns the name of a method's row.
func (t scoreTable) name(method string) string {
	if t.number == ablationTable {
		return cmp.Or(paper.Step(method), method)
	}
	return method
}

// renderScores makes, for each data set, a table of scores next to the printed
// ones and, for clustering, a table of the measures that need no labels.
func (i Item) renderScores(s Selection, from source, t scoreTable) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "method", "mode", "score", "seeds", "mean", "deviation", "best", "paper", "difference"}}}
	for _, d := range s.shown() {
		table := Table{Caption: displayName(d) + ": mean ± standard deviation over seeds, best seed, the paper's value, mean − the paper's value", Header: []string{"", "mode", "seeds"}}
		for _, score := range t.scores {
			table.Header = append(table.Header, score, "best", "paper", "diff.")
		}
		for _, m := range s.Methods {
			for _, mode := range s.Modes {
				runs := s.seeds(Run{Task: t.task, Dataset: d, Method: m, Mode: mode})
				if row := t.row(out, from, runs); row != nil {
					table.Rows = append(table.Rows, row)
				}
			}
		}
		if table.Rows == nil {
			continue
		}
		out.Tables = append(out.Tables, table)
		if t.task == Clustering {
			out.Tables = append(out.Tables, t.structure(s, from, d))
			addReruns(out, s, d, from)
		}
		if t.number != ablationTable { // steps of one method do not race
			i.addRace(out, s, d, t.scores[0], from)
		}
	}
	return out, nil
}

// row makes the row of one kind of run and adds its values to the data. It
// returns nil if there is no result.
func (t scoreTable) row(out *Output, from source, runs []Run) []string {
	r := runs[0]
	var row []string
	for _, score := range t.scores {
		sum := from.summarize(runs, score)
		if sum.count == 0 {
			return nil
		}
		printed, ok := paper.Printed(t.number, r.Method, r.Dataset, score)
		if !ok {
			printed = math.NaN()
		}
		if row == nil {
			row = []string{t.name(r.Method), r.modeName(), strconv.Itoa(sum.count)}
		}
		row = append(row, sum.text(3), fixed(sum.best, 3), fixed(printed, 3), difference(sum.mean-printed))
		line := append([]string{r.Dataset, t.name(r.Method), r.modeName(), score}, sum.numbers()...)
		out.Data = append(out.Data, append(line, number(printed), number(sum.mean-printed)))
	}
	return row
}

// structure makes the table of a data set's measures that need no labels.
func (t scoreTable) structure(s Selection, from source, dataset string) Table {
	measures := []string{"modularity", "conductance", "DBI"}
	table := Table{
		Caption: displayName(dataset) + ": measures that need no labels, and seconds per run",
		Header:  []string{"", "mode", "modularity", "conductance", "Davies–Bouldin", "seconds"},
	}
	for _, m := range s.Methods {
		for _, mode := range s.Modes {
			runs := s.seeds(Run{Task: t.task, Dataset: dataset, Method: m, Mode: mode})
			took := from.seconds(runs)
			if took.count == 0 {
				continue
			}
			if alone, _ := from.alone(runs); alone.count > 0 {
				took = alone
			}
			row := []string{t.name(m), runs[0].modeName()}
			for _, measure := range measures {
				row = append(row, from.summarize(runs, measure).text(3))
			}
			table.Rows = append(table.Rows, append(row, fixed(took.mean, 1)))
		}
	}
	return table
}
