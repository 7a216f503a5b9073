package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/palette"
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
	for _, d := range s.shown() {
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
			left, err := methodMap(s, record, points)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", r, err)
			}
			out.Data = append(out.Data, []string{d, r.Method, r.modeName()})
			out.draw("maps-"+fileName(d)+"-"+fileName(r.Method), displayName(d)+": "+r.Method+" beside AGE, colors are classes", figure.Row(left, right))
		}
	}
	return out, nil
}

// methodMap draws the map of a method or, if it has none, its clusters on the given map.
func methodMap(s source, record Record, other blas32.General) (*figure.Figure, error) {
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
	labels, names := largestClusters(clusters, palette.Distinct-1)
	return figure.Scatter2D(name+": clusters on AGE's map", other, labels, names), nil
}

// largestClusters numbers the largest clusters by size and gives all others one number
// more. A single other cluster gets its own name.
func largestClusters(clusters []float64, most int) (labels []int, names []string) {
	size := map[float64]int{}
	var order []float64
	for _, c := range clusters {
		if size[c] == 0 {
			order = append(order, c)
		}
		size[c]++
	}
	slices.SortStableFunc(order, func(a, b float64) int { return cmp.Compare(size[b], size[a]) })
	if len(order) == most+1 {
		most++
	}
	for k, c := range order[:min(most, len(order))] {
		names = append(names, fmt.Sprintf("cluster %d: %d nodes", k+1, size[c]))
	}
	if len(order) > most {
		names = append(names, fmt.Sprintf("%d smaller ones", len(order)-most))
	}
	for _, c := range clusters {
		labels = append(labels, min(most, slices.Index(order, c)))
	}
	return labels, names
}
