package reproduce

import (
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/method"
)

// field compares AGE with methods that the paper could not know or left out.
var field = Item{
	Name: "field", Title: "The field today", Datasets: []string{"cora", "citeseer", "wiki", "pubmed", "gostd"},
	Methods: append(methodsOf("field"), method.AGE),
	runs:    fieldRuns,
	render:  renderField,
}

// fieldRuns lists the runs of each method in paper mode and, if it has that, in published mode, and those
// of AGE in best mode, too. The selection's modes do not count.
func fieldRuns(s Selection) []Run {
	s.Modes = []Mode{Paper, Published}
	var runs []Run
	for _, r := range s.runsOf(Run{Task: Clustering}) {
		runs = append(runs, r)
		if r.Method == "AGE" && r.Mode == Paper {
			r.Mode = Best
			runs = append(runs, r)
		}
	}
	return runs
}

// fieldScores are the scores in the table's columns. The last two need no labels.
var fieldScores = []string{"ACC", "NMI", "ARI", "modularity", "conductance"}

// renderField makes, for each data set, a table of scores, seconds and memory, and a figure
// of ACC over seconds, which has the methods of table 2 as well.
func renderField(i Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "method", "mode", "score", "seeds", "mean", "deviation", "best"}}}
	for _, d := range s.Datasets {
		table := table{
			Caption: DatasetTitle(d) + ": mean ± standard deviation over seeds; seconds and memory of one run",
			Header:  append(append([]string{"", "mode", "seeds"}, fieldScores...), "seconds", "MB"),
		}
		const firstScore = 3 // column, after the method, the mode and the seeds
		for k, score := range fieldScores {
			if slices.Contains(clusteringScores, score) {
				table.Ranked = append(table.Ranked, firstScore+k)
			}
		}
		for _, kind := range i.kinds(s.Selection, d) {
			records := s.find(kind)
			if len(records) == 0 {
				continue
			}
			add := func(score string, sum summary) {
				if sum.count > 0 {
					out.addData(sum, d, kind.Method, kind.modeName(), score)
				}
			}
			row := []string{kind.Method, kind.modeName(), strconv.Itoa(len(records))}
			for _, score := range fieldScores {
				row = append(row, records.score(score).text())
				add(score, records.score(score))
			}
			took, memory := records.timedAlone()
			digits := 1
			if took.mean < 0.1 { // seconds, of the fastest methods
				digits = 3
			}
			table.Rows = append(table.Rows, append(row, fixed(took.mean, digits), fixed(memory.mean, 0)))
			add("seconds", took)
			add("MB", memory)
		}
		if table.Rows == nil {
			continue
		}
		out.Tables = append(out.Tables, table)
		racing := s
		if len(s.Methods) == len(i.Methods) { // all: then those of table 2, too
			others := slices.DeleteFunc(slices.Clone(table2.Methods), func(m string) bool { return slices.Contains(s.Methods, m) })
			racing.Methods = append(others, s.Methods...)
		}
		i.addRace(out, racing, d, "ACC")
	}
	return out, nil
}
