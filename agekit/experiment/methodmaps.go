package experiment

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"gonum.org/v1/gonum/blas/blas32"
)

// methodMaps shows what each method makes of a data set.
var methodMaps = Item{
	Name: "maps", Title: "Maps of all methods", Datasets: []string{"cora"},
	Methods: append(slices.Clone(table2.Methods[:len(table2.Methods)-1]), field.Methods...),
	runs: func(s Selection) []Run {
		s.Seeds, s.Modes = 1, []Mode{Paper}
		runs := s.each(Run{Task: mapTask})
		s.Methods = []string{ageName} // which the others stand beside
		return append(runs, s.each(Run{Task: mapTask})...)
	},
	render: renderMethodMaps,
}

// renderMethodMaps draws each method's map, or its clusters on AGE's map if it makes no
// embedding, with AGE's at the end.
func renderMethodMaps(i Item, s source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "method", "mode"}}}
	for _, d := range s.Datasets {
		kinds := i.kinds(s.Selection, d)
		age, ok := s.results.Get(kinds[len(kinds)-1])
		if !ok {
			continue
		}
		points, classes, err := mapOf(age)
		if err != nil {
			return nil, err
		}
		if classes == nil {
			classes = make([]int, points.Rows)
		}
		var panels []*figure.Figure
		for k, r := range kinds {
			record, ok := s.results.Get(r)
			if !ok || r.Method == ageName && k < len(kinds)-1 {
				continue
			}
			view, err := methodMap(s, record, points, classes)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", r, err)
			}
			out.Data = append(out.Data, []string{d, r.Method, r.modeName()})
			out.Maps = append(out.Maps, view)
			panels = append(panels, figure.Scatter2D(view.Name, view.Points, view.Coloring.Labels, view.Coloring.Names))
		}
		out.draw("maps-"+fileName(d), DatasetTitle(d)+": the map of each method, colors are classes", figure.Row(panels...))
	}
	return out, nil
}

// methodMap returns the map of a method or, if it has none, its clusters on the given map,
// in the colors of the classes that they match.
func methodMap(s source, record Record, other blas32.General, classes []int) (figure.MapView, error) {
	points, _, err := mapOf(record)
	if err != nil {
		return figure.MapView{}, err
	}
	coloring := &figure.Coloring{Name: "class", Labels: classes, Names: s.classNames(record.Run.Dataset)}
	for len(coloring.Names) <= slices.Max(classes) { // a graph without names
		coloring.Names = append(slices.Clip(coloring.Names), fmt.Sprint("class ", len(coloring.Names)))
	}
	if points.Rows == 0 {
		clusters := record.Series["cluster"]
		if len(clusters) != other.Rows {
			return figure.MapView{}, errors.New("neither a map nor a cluster for each node")
		}
		points, coloring.Name, coloring.Labels = other, "cluster, by class", matchedClusters(clusters, classes)
	}
	return figure.MapView{Name: record.Run.Method, Points: points, Coloring: coloring}, nil
}

// matchedClusters gives each node the most frequent class of its cluster, the first one of
// equally frequent ones.
func matchedClusters(clusters []float64, classes []int) (labels []int) {
	counts := map[float64][]int{}
	for i, c := range clusters {
		if counts[c] == nil {
			counts[c] = make([]int, slices.Max(classes)+1)
		}
		counts[c][classes[i]]++
	}
	for _, c := range clusters {
		labels = append(labels, slices.Index(counts[c], slices.Max(counts[c])))
	}
	return labels
}
