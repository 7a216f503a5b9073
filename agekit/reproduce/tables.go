package reproduce

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/pairs"
)

var table1 = Item{
	Name: "table1", Title: "Table 1: the data sets", Datasets: paperDatasets,
	runs:   eachDataset(statisticsTask),
	render: renderStatistics,
}

var table2 = Item{
	Name: "table2", Title: "Table 2: node clustering", Datasets: paperDatasets,
	Methods: append(methodsOf("table2"), method.AGE),
	runs:    eachMethod(Clustering),
	render:  scoreTable{2, clusteringScores}.render,
}

var table3 = Item{
	Name: "table3", Title: "Table 3: link prediction", Datasets: []string{"cora", "citeseer"},
	Methods: append(methodsOf("table3"), method.AGE),
	runs:    eachMethod(Links),
	render:  scoreTable{linkTable, linkScores}.render,
}

var table4 = Item{
	Name: "table4", Title: "Table 4: the steps of the method", Datasets: []string{"cora"},
	Methods: append(methodsOf("table4"), "+Encoder", "+Adaptive", method.AGE),
	runs:    eachMethod(Clustering),
	render:  scoreTable{ablationTable, clusteringScores}.render,
}

// table5 shows the settings with which the stored runs of AGE in paper mode were made.
var table5 = Item{
	Name: "table5", Title: "Table 5: the settings", Datasets: paperDatasets,
	Methods: []string{method.AGE},
	runs: func(s Selection) []Run {
		s.Seeds, s.Modes = 1, []Mode{Paper}
		return s.runsOf(Run{Task: Clustering})
	},
	render: renderSettings,
}

// renderSettings makes a table of the layers and thresholds of AGE's stored runs in paper mode,
// beside those that the paper prints.
func renderSettings(_ Item, s source) (*Output, error) {
	columns := []string{"t", "r_pos/n² at first", "at last", "r_neg/n² at first", "at last"}
	out := &Output{
		Data:  [][]string{append([]string{"dataset"}, columns...)},
		Notes: []string{"All k are 2/3. The shares are of all n² pairs."},
	}
	table := table{Caption: "The settings of the stored runs, with those that the paper prints in parentheses", Header: append([]string{""}, columns...)}
	for _, d := range s.Datasets {
		record, ok := s.results.Get(Run{Task: Clustering, Dataset: d, Method: method.AGE, Mode: Paper, Seed: 1, Quick: s.Quick})
		if !ok {
			continue
		}
		var used struct {
			Method struct {
				Filters []struct{ Layers int }
				Config  struct{ Thresholds pairs.Thresholds }
			}
		}
		if err := json.Unmarshal(record.Settings, &used); err != nil || len(used.Method.Filters) == 0 {
			return nil, fmt.Errorf("the settings of a stored run on %s cannot be read: %v", d, err)
		}
		inColumns := func(layers int, t pairs.Thresholds) []float64 {
			return []float64{float64(layers), t.PosStart, t.PosEnd, t.NegStart, t.NegEnd}
		}
		paper, known := encoder.PaperOptions(d)
		printed := inColumns(paper.Layers, paper.Thresholds)
		row, data := []string{DatasetTitle(d)}, []string{d}
		for k, v := range inColumns(used.Method.Filters[0].Layers, used.Method.Config.Thresholds) {
			data = append(data, number(v))
			cell := strconv.FormatFloat(v, 'g', -1, 64)
			if known {
				cell += fmt.Sprintf(" (%v)", printed[k])
			}
			row = append(row, cell)
		}
		table.Rows = append(table.Rows, row)
		out.Data = append(out.Data, data)
	}
	out.addTable(table)
	return out, nil
}

// renderStatistics makes table 1, with edges counted in both ways.
func renderStatistics(_ Item, s source) (*Output, error) {
	out := &Output{Notes: []string{"The paper's number of edges is that of the entries in the source files, with duplicates, both directions and self loops; methods see the distinct edges."}}
	columns := []string{"nodes", "listed edges", "edges", "features", "classes", "isolated", "zero rows", "components"}
	table := table{
		Caption: "The paper's values, where it prints any, are in parentheses.",
		Header:  []string{"", "nodes", "edges as listed", "distinct, no loops", "features", "classes", "isolated nodes", "nodes without features", "components"},
	}
	out.Data = append(out.Data, append([]string{"dataset"}, columns...))
	for _, d := range s.Datasets {
		record, ok := s.results.Get(Run{Task: statisticsTask, Dataset: d})
		if !ok {
			continue
		}
		row, data := []string{DatasetTitle(d)}, []string{d}
		for _, c := range columns {
			value := strconv.Itoa(int(record.Scores[c]))
			data = append(data, value)
			if printed, ok := Printed(1, "", d, c); ok {
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
	number int // in the paper
	scores []string
}

const (
	linkTable     = 3
	ablationTable = 4 // its rows are steps of one method
)

// name returns the name of a method's row.
func (t scoreTable) name(method string) string {
	if t.number == ablationTable {
		return cmp.Or(paperSteps[method], method)
	}
	return method
}

// render makes, for each data set, a table of scores next to the printed
// ones and, for clustering, a table of the measures that need no labels.
func (t scoreTable) render(i Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "method", "mode", "score", "seeds", "mean", "deviation", "best", "paper", "difference"}}}
	for _, d := range s.Datasets {
		scores := table{Caption: DatasetTitle(d) + ": mean ± standard deviation over seeds, best seed, the paper's value, mean − the paper's value; the highest is bold, the second highest underlined", Header: []string{"", "mode", "seeds"}}
		for _, score := range t.scores {
			// The means and, as in the paper, the printed values.
			scores.Ranked = append(scores.Ranked, len(scores.Header), len(scores.Header)+2)
			scores.Header = append(scores.Header, score, "best", "paper", "diff.")
		}
		structure := table{
			Caption: DatasetTitle(d) + ": measures that need no labels, and seconds per run",
			Header:  []string{"", "mode", "modularity", "conductance", "Davies–Bouldin", "seconds"},
		}
		for _, kind := range i.kinds(s.Selection, d) {
			f := s.find(kind)
			seeds := f.score(t.scores[0]).count
			if seeds == 0 {
				continue
			}
			name, mode := t.name(kind.Method), kind.modeName()
			scores.Rows = append(scores.Rows, append([]string{name, mode, strconv.Itoa(seeds)}, t.cells(out, kind, f)...))
			took := f.seconds()
			if alone, _ := f.timedAlone(); alone.count > 0 {
				took = alone
			}
			structure.Rows = append(structure.Rows, []string{
				name, mode, f.score("modularity").text(), f.score("conductance").text(), f.score("DBI").text(), fixed(took.mean, 1),
			})
		}
		if scores.Rows == nil {
			continue
		}
		out.Tables = append(out.Tables, scores)
		if t.number != linkTable {
			out.Tables = append(out.Tables, structure)
		}
		if t.number != ablationTable { // steps of one method do not race
			i.addRace(out, s, d, t.scores[0])
		}
	}
	return out, nil
}

// cells returns the scores of one kind of run next to the printed ones, and adds them
// to the data.
func (t scoreTable) cells(out *Output, kind Run, f seedRecords) []string {
	var cells []string
	for _, score := range t.scores {
		sum := f.score(score)
		printed, ok := Printed(t.number, kind.Method, kind.Dataset, score)
		if !ok {
			printed = math.NaN()
		}
		cells = append(cells, sum.text(), fixed(sum.best, 3), fixed(printed, 3), difference(sum.mean-printed))
		line := append([]string{kind.Dataset, t.name(kind.Method), kind.modeName(), score}, sum.numbers()...)
		out.Data = append(out.Data, append(line, number(printed), number(sum.mean-printed)))
	}
	return cells
}
