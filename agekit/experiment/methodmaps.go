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
	Methods: append(slices.Clone(table3.Methods[:len(table3.Methods)-1]), field.Methods...),
	runs: func(_ Item, s Selection) []Run {
		s.Seeds, s.Modes = 1, []Mode{Paper}
		return append(s.each(Map), mapsOfAGE(s)...)
	},
	render: renderMethodMaps,
}

// mapsOfAGE are the runs of AGE that the other maps stand beside.
func mapsOfAGE(s Selection) []Run {
	s.Methods = []string{"AGE"}
	return s.each(Map)
}

// renderMethodMaps draws each method's map beside AGE's. A method without an
// embedding has its clusters on AGE's map instead.
func renderMethodMaps(_ Item, s Selection, from source) (*Output, error) {
	out := &Output{Data: [][]string{{"dataset", "method", "mode"}}}
	s.Seeds, s.Modes = 1, []Mode{Paper}
	drawn := map[string]bool{}
	for _, beside := range mapsOfAGE(s) {
		d := beside.Dataset
		age, ok := from.results.Get(beside)
		if !ok {
			continue
		}
		points, classes, err := mapOf(age)
		if err != nil {
			return nil, err
		}
		right := figure.Scatter2D("AGE", points, classes, from.classNames(d))
		one := s
		one.Datasets = []string{d}
		for _, r := range one.each(Map) {
			record, ok := from.results.Get(r)
			if !ok || r.Method == "AGE" {
				continue
			}
			left, err := methodMap(from, record, points)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", r, err)
			}
			drawn[d] = true
			out.Data = append(out.Data, []string{d, r.Method, r.modeName()})
			out.Figures = append(out.Figures, Drawing{"maps-" + fileName(d) + "-" + fileName(r.Method), displayName(d) + ": " + r.Method + " beside AGE, colors are classes", figure.Row(left, right)})
		}
	}
	out.missAllBut(drawn, s)
	return out, nil
}

// methodMap draws the map of a method or, if it has none, its clusters on the
// given map.
func methodMap(from source, record Record, other blas32.General) (*figure.Figure, error) {
	name := record.Run.Method
	points, classes, err := mapOf(record)
	if err != nil {
		return nil, err
	}
	if points.Rows > 0 {
		return figure.Scatter2D(name, points, classes, from.classNames(record.Run.Dataset)), nil
	}
	clusters := record.Series["cluster"]
	if len(clusters) != other.Rows {
		return nil, errors.New("neither a map nor a cluster for each node")
	}
	labels, names := largestClusters(clusters, palette.Distinct-1)
	return figure.Scatter2D(name+": clusters on AGE's map", other, labels, names), nil
}

// largestClusters numbers the largest clusters by size and gives all others one
// number more. If that is a single one, it gets its own name.
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
