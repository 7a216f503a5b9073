package recipe

import (
	"math"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// twinOf returns how many values of column k of a table, of a kind, tell the class of each node, and 0 if they do
// not. Labels has the class of each row. Values tell the class if each occurs with one class only, in so many rows
// that it is no chance, and in half of the rows with a class at least. Categories may be finer than the classes, as
// towns are than countries. Of numbers and dates there are as many as classes: a measure with more values, of which
// each range has its class, is a feature that separates them. Columns is the number of columns that are compared.
func twinOf(t *table.Table, k int, kind string, labels []int, columns int) (values int) {
	if labels == nil {
		return 0
	}
	c := &t.Columns[k]
	rowsOf := map[int]int{} // the rows of each class
	labeled := 0
	for _, label := range labels {
		if label != graph.Unknown {
			rowsOf[label]++
			labeled++
		}
	}
	type value struct{ class, rows int }
	of := map[float64]*value{} // the number, or the code of the word
	present := 0               // rows with a value and a class
	for row, label := range labels {
		number, ok := valueOf(c, row)
		if label == graph.Unknown || !ok {
			continue
		}
		present++
		v := of[number]
		if v == nil {
			if !isFewFor(len(of)+1, t.Rows) {
				return 0
			}
			v = &value{class: label}
			of[number] = v
		}
		if v.class != label {
			return 0
		}
		v.rows++
	}
	classes := map[int]bool{} // that have a value
	// The logarithm of the probability that all rows of a value have the class of its first one by chance.
	chance := 0.
	for _, v := range of {
		classes[v.class] = true
		chance += float64(v.rows-1) * math.Log(float64(rowsOf[v.class])/float64(labeled))
	}
	const unlikely = 0.05
	isMeasure := kind == kindNumber || kind == kindDate
	switch {
	case 2*present < labeled, len(classes) < 2, chance+math.Log(float64(columns)) > math.Log(unlikely):
		return 0
	case isMeasure && len(of) != len(classes):
		return 0
	}
	return len(of)
}

// asTwin returns why a column of a kind is left out of which so many values tell the classes.
func asTwin(kind string, values int) message.Message {
	why := message.Sprintf("left out, it repeats the classes: each of its %d values occurs in one class only", values)
	return why.Advise("%s keeps it", optionOf(kind), "")
}
