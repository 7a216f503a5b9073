package experiment

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"gonum.org/v1/gonum/blas/blas32"
)

// methodMaps shows what each method makes of a data set, beside AGE.
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
// embedding, beside AGE's.
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
		right := figure.Scatter2D("AGE", points, classes, s.classNames(d))
		for _, r := range kinds {
			record, ok := s.results.Get(r)
			if !ok || r.Method == ageName {
				continue
			}
			left, err := methodMap(s, record, points, classes)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", r, err)
			}
			out.Data = append(out.Data, []string{d, r.Method, r.modeName()})
			out.draw("maps-"+fileName(d)+"-"+fileName(r.Method), DatasetTitle(d)+": "+r.Method+" beside AGE, colors are classes", figure.Row(left, right))
		}
	}
	return out, nil
}

// methodMap draws the map of a method or, if it has none, its clusters on the given map, in
// the colors of the classes that they match.
func methodMap(s source, record Record, other blas32.General, otherClasses []int) (*figure.Figure, error) {
	name := record.Run.Method
	points, classes, err := mapOf(record)
	if err != nil {
		return nil, err
	}
	if points.Rows > 0 {
		return figure.Scatter2D(name, points, classes, s.classNames(record.Run.Dataset)), nil
	}
	clusters := record.Series["cluster"]
	if len(clusters) != other.Rows {
		return nil, errors.New("neither a map nor a cluster for each node")
	}
	labels, names := matchedClusters(clusters, otherClasses, s.classNames(record.Run.Dataset))
	return figure.Scatter2D(name+": clusters by class, on AGE's map", other, labels, names), nil
}

// matchedClusters gives each node the most frequent class of its cluster, the first one of
// equally frequent ones, and adds to the names of the classes how many clusters each has.
func matchedClusters(clusters []float64, classes []int, classNames []string) (labels []int, names []string) {
	for len(classNames) <= slices.Max(classes) { // a graph without names
		classNames = append(slices.Clip(classNames), fmt.Sprint("class ", len(classNames)))
	}
	counts := map[float64][]int{}
	for i, c := range clusters {
		if counts[c] == nil {
			counts[c] = make([]int, len(classNames))
		}
		counts[c][classes[i]]++
	}
	match, of := map[float64]int{}, make([]int, len(classNames))
	for c, in := range counts {
		match[c] = slices.Index(in, slices.Max(in))
		of[match[c]]++
	}
	for _, c := range clusters {
		labels = append(labels, match[c])
	}
	for k, n := range of {
		names = append(names, fmt.Sprintf("%s: %d", classNames[k], n))
	}
	return labels, names
}
