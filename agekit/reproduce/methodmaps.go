package reproduce

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/method"
	"gonum.org/v1/gonum/blas/blas32"
)

// methodMaps shows what each method makes of a data set, with AGE at the end.
var methodMaps = Item{
	Name: "maps", Title: "Maps of all methods", Datasets: []string{"cora"},
	Methods: append(slices.Clone(table2.Methods[:len(table2.Methods)-1]), field.Methods...),
	runs: func(s Selection) []Run {
		s.Seeds, s.Modes = 1, []Mode{Paper}
		s.Methods = append(slices.DeleteFunc(slices.Clone(s.Methods), func(m string) bool { return m == method.AGE }), method.AGE)
		return s.runsOf(Run{Task: mapTask})
	},
	render: renderMaps,
}

// renderMaps draws the maps of an item's methods, or the ablation's steps, next to each
// other, for each data set and mode. Where a method makes no embedding, it draws its
// clusters on the last map.
func renderMaps(i Item, s source) (*Output, error) {
	isAblation, column := i.Name == "fig6", "method"
	if isAblation {
		column = "step"
	}
	out := &Output{Data: [][]string{{"dataset", column, "mode", "node", "x", "y", "class"}}}
	for _, d := range s.Datasets {
		for _, mode := range s.Modes {
			var records []Record
			for _, r := range i.kinds(s.Selection, d) {
				if record, ok := s.results.Get(r); ok && r.Mode == mode {
					records = append(records, record)
				}
			}
			if records == nil {
				continue
			}
			points, classes, err := storedMap(records[len(records)-1]) // for methods without an embedding
			if err != nil {
				return nil, err
			}
			if classes == nil { // no labels: all nodes get the same color
				classes = make([]int, points.Rows)
			}
			var panels []*figure.Figure
			for _, record := range records {
				r := record.Run
				view, err := methodMap(s, record, points, classes)
				if err != nil {
					return nil, fmt.Errorf("%v: %w", r, err)
				}
				if isAblation {
					view.Name = paperSteps[r.Method]
				}
				for node, x := range record.Series["x"] {
					class := ""
					if classes := record.Series["class"]; classes != nil {
						class = strconv.Itoa(int(classes[node]))
					}
					out.Data = append(out.Data, []string{d, view.Name, r.modeName(), strconv.Itoa(node), number(x), number(record.Series["y"][node]), class})
				}
				if isAblation && r.Method == method.AGE {
					view.Name = "Full model" // as in the paper's figure, since the step's name is too long
				}
				out.Maps = append(out.Maps, view)
				panels = append(panels, figure.Scatter2D(view.Name, view.Points, view.Coloring.Numbers, view.Coloring.Labels))
			}
			out.draw(i.Name+"-"+fileName(d)+"-"+string(mode), "Maps of "+DatasetTitle(d)+", colors are classes", figure.Row(panels...))
		}
	}
	return out, nil
}

// methodMap returns the map in a method's record, in the colors of the classes. If the record has no map,
// it returns the map other instead, in the colors of the classes that the method's clusters match.
func methodMap(s source, record Record, other blas32.General, classes []int) (figure.MapView, error) {
	points, _, err := storedMap(record)
	if err != nil {
		return figure.MapView{}, err
	}
	coloring := &figure.Coloring{Name: "class", Numbers: classes, Labels: s.classNames(record.Run.Dataset)}
	for len(coloring.Labels) <= slices.Max(classes) { // a graph without names
		coloring.Labels = append(slices.Clip(coloring.Labels), fmt.Sprint("class ", len(coloring.Labels)))
	}
	if points.Rows == 0 {
		clusters := record.Series["cluster"]
		if len(clusters) != other.Rows {
			return figure.MapView{}, errors.New("neither a map nor a cluster for each node")
		}
		points, coloring.Name, coloring.Numbers = other, "cluster, by class", matchedClusters(clusters, classes)
	}
	return figure.MapView{Name: record.Run.Method, Points: points, Coloring: coloring}, nil
}

// matchedClusters returns for each node the most frequent class in its cluster, the first of several that
// are equally frequent. clusters and classes have the cluster and the class of each node.
func matchedClusters(clusters []float64, classes []int) (labels []int) {
	counts := map[float64][]int{} // of each class, by cluster
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
