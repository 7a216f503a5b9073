package reproduce

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
)

// Item is a table or figure of the paper.
type Item struct {
	Name     string   // short: "table2", "fig5"
	Title    string   // what it shows
	Datasets []string // of the paper's table or figure
	Methods  []string // in order, if it has any

	runs   func(Selection) []Run               // the runs of the selected part
	render func(Item, source) (*Output, error) // makes the item's tables, figures and data from results
}

// Selection selects a part of an item. The zero value of a field means its default.
type Selection struct {
	// Datasets are the data sets to include. Default: the item's. Those of the paper's
	// four that the item does not have are ignored.
	Datasets []string
	// Methods are the names to include, case-insensitive. Default: all.
	Methods []string
	Modes   []Mode // as separate rows; default: Paper and Published
	Seeds   int    // the number of runs of each kind, with the seeds 1, 2, …; default 10
	Quick   bool   // shortens all runs, with a single seed and fewer settings
}

var (
	paperDatasets    = []string{"cora", "citeseer", "wiki", "pubmed"} // in the paper's order
	clusteringScores = []string{"ACC", "NMI", "ARI"}
	linkScores       = []string{"AUC", "AP"}
)

// Items lists the tables and figures, in the paper's order.
func Items() []Item {
	return []Item{table1, table2, table3, table4, table5, figure3, figure4, figure5, figure6, field, peeking, tuning, methodMaps}
}

// ItemByName returns the item with the given name.
func ItemByName(name string) (Item, error) {
	var names []string
	for _, i := range Items() {
		if i.Name == name {
			return i, nil
		}
		names = append(names, i.Name)
	}
	return Item{}, fmt.Errorf("unknown table or figure %q: want one of %s", name, strings.Join(names, ", "))
}

// Runs lists the runs that the selected part of the item is made of: none if the selection
// and the item have no data set or no method in common.
func (i Item) Runs(s Selection) []Run { return i.runs(i.selected(s)) }

// Render makes the tables and figures from the available results. It calls load, which may
// be nil, for a data set whose class names it needs.
func (i Item) Render(s Selection, results *Results, load func(dataset string) (*graph.Graph, error)) (*Output, error) {
	from := source{Selection: i.selected(s), results: results, load: load}
	out, err := i.render(i, from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name, err)
	}
	out.Name, out.Title = i.Name, i.Title
	if out.Manifest, err = results.manifest(i.Runs(s)); err != nil {
		return nil, fmt.Errorf("%s: %w", i.Name, err)
	}
	for _, d := range from.Datasets {
		if !slices.ContainsFunc(out.Data[1:], func(line []string) bool { return line[0] == d }) {
			out.Notes = append(out.Notes, fmt.Sprintf("No results on %s.", DatasetTitle(d)))
		}
	}
	if s.Quick {
		out.Notes = append(out.Notes, "Shortened runs (quick): they show that everything works, not what the methods achieve.")
	}
	return out, nil
}

// kinds lists the item's kinds of runs on a data set: its runs with a single seed.
func (i Item) kinds(s Selection, dataset string) []Run {
	s.Datasets, s.Seeds = []string{dataset}, 1
	return i.runs(s)
}

// selected returns s with its defaults filled in, and without data sets and methods that the item does not
// have. A quick selection has one seed.
func (i Item) selected(s Selection) Selection {
	if s.Datasets == nil {
		s.Datasets = i.Datasets
	}
	s.Datasets = slices.DeleteFunc(slices.Clone(s.Datasets), func(d string) bool {
		return slices.Contains(paperDatasets, d) && !slices.Contains(i.Datasets, d)
	})
	wanted := s.Methods // nil for all
	s.Methods = nil
	for _, m := range i.Methods {
		if wanted == nil || slices.ContainsFunc(wanted, func(w string) bool { return strings.EqualFold(w, m) }) {
			s.Methods = append(s.Methods, m)
		}
	}
	if s.Modes == nil {
		s.Modes = []Mode{Paper, Published}
	}
	if s.Seeds == 0 {
		s.Seeds = 10
	}
	if s.Quick {
		s.Seeds = 1
	}
	return s
}

// runsOf returns runs of the given kinds for each selected data set, method, mode and seed.
func (s Selection) runsOf(kinds ...Run) []Run {
	var runs []Run
	for _, d := range s.Datasets {
		for _, m := range s.Methods {
			for _, mode := range s.Modes {
				if !mode.has(m) {
					continue
				}
				for _, r := range kinds {
					r.Dataset, r.Method, r.Mode = d, m, mode
					runs = append(runs, s.withSeeds(r)...)
				}
			}
		}
	}
	return runs
}

// eachMethod returns the function that lists runs of a task for each data set, method,
// mode and seed.
func eachMethod(task string) func(Selection) []Run {
	return func(s Selection) []Run { return s.runsOf(Run{Task: task}) }
}

// eachDataset returns the function that lists one run of a task for each data set.
func eachDataset(task string) func(Selection) []Run {
	return func(s Selection) []Run {
		var runs []Run
		for _, d := range s.Datasets {
			runs = append(runs, Run{Task: task, Dataset: d})
		}
		return runs
	}
}

// withSeeds returns r with each seed, 1 to s.Seeds.
func (s Selection) withSeeds(r Run) []Run {
	r.Quick = s.Quick
	runs := make([]Run, s.Seeds)
	for k := range runs {
		runs[k] = r
		runs[k].Seed = uint64(k + 1)
	}
	return runs
}

// DatasetTitle is a data set's name in tables and figures.
func DatasetTitle(name string) string {
	for _, d := range dataset.List() {
		if d.Name == name {
			return cmp.Or(d.Title, name)
		}
	}
	return name
}
