package recipe

import (
	"math"
	"slices"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// unlikely is the probability of an agreement among all columns that is taken for chance.
const unlikely = 0.05

// twinOf returns how many values of column k of a table, of a kind, tell the class of each node, and 0 if they do
// not. Labels has the class of each row. Values tell the class if each occurs with one class only, in so many rows
// that it is no chance, and in half of the rows with a class at least. Categories may be finer than the classes, as
// towns are than countries. Of other kinds there are as many values as classes: a measure with more, of which
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
	switch {
	case 2*present < labeled, len(classes) < 2, chance+math.Log(float64(columns)) > math.Log(unlikely):
		return 0
	case kind != kindCategory && len(of) != len(classes):
		return 0
	}
	return len(of)
}

// asTwin returns why a column of a kind is left out of which so many values tell the classes.
func asTwin(kind string, values int) message.Message {
	what := "values"
	if kind == kindCategory {
		what = "categories"
	}
	why := message.Sprintf("%d %s, left out since they repeat the classes: each is in one class only", values, what)
	return why.Advise("%s keeps it", optionOf(kind), "")
}

// marksOf returns the columns of a table, by their index, that mark one class each, and tell together the class of
// each row with a label, as the columns of pandas' get_dummies do. A column of two values marks a class if one of
// them is in all of its rows and in no others. One class of three or more may have no mark. Columns that mark
// only some of the classes are features that happen to do so, as feathers mark birds.
func marksOf(t *table.Table, labels []int) map[int]bool {
	classes, marked := map[int]bool{}, map[int]bool{}
	for _, label := range labels {
		if label != graph.Unknown {
			classes[label] = true
		}
	}
	marks := map[int]bool{}
	if len(classes) < 3 { // of two, a mark is a twin
		return marks
	}
	for k := range t.Columns {
		if class, ok := markedBy(&t.Columns[k], labels); ok && arrangements(&t.Columns[k]) > math.Log(float64(len(t.Columns))/unlikely) {
			marks[k], marked[class] = true, true
		}
	}
	if len(marked) < len(classes)-1 {
		return nil
	}
	return marks
}

// markedBy returns the class that a column of two values marks ([marksOf]), and false if it marks none.
func markedBy(c *table.Column, labels []int) (class int, ok bool) {
	var values []float64
	classes := [2]map[int]bool{{}, {}} // in which each of the values is
	for row, label := range labels {
		value, ok := valueOf(c, row)
		if label == graph.Unknown || !ok {
			continue
		}
		k := slices.Index(values, value)
		if k < 0 {
			if k = len(values); k == len(classes) {
				return 0, false
			}
			values = append(values, value)
		}
		classes[k][label] = true
	}
	for k, with := range classes {
		for class := range with {
			if len(with) == 1 && !classes[1-k][class] && len(classes[1-k]) > 1 {
				return class, true
			}
		}
	}
	return 0, false
}

// asMark is why a column of [marksOf] is left out.
func asMark(kind string) message.Message {
	return message.Sprintf("left out since it marks one class, and others like it the others").Advise("%s keeps it", optionOf(kind), "")
}
