package input

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// matrixInfo says how a table is an adjacency matrix, and where in it the reader is.
type matrixInfo struct {
	nodes    int      // as many rows and columns of numbers there are
	ids      []string // of the columns; nil if the nodes are known by their numbers, from 0
	names    int      // the column with the ids of the rows; −1 if they have none
	numbers  bool     // the first row has the numbers of the columns, and no weights
	weighted bool     // the numbers are weights, and not all 0 or 1
	// reciprocal says that the weights are 1 by the numbers.
	reciprocal bool
	block      [][]float64 // the numbers in the first rows; NaN for an empty cell
	places     []int       // the node of each of these rows

	row   int            // how many rows have been read, but that of numbers
	read  map[int]bool   // the nodes whose rows have been read, if the rows have names
	index map[string]int // the column of each id, if the rows have names
}

// matrixIn returns how a table is an adjacency matrix, nil if it is none. It is one if all columns, but perhaps
// the first or the last, have nothing but numbers, as far as its first rows show, and there are no more rows than such
// columns, and either the rows have the names of the columns, or there are four columns or more and the
// diagonal has the same number in all rows, and the numbers are the same on both sides of it, or 0 and 1.
func (r edgeReader) matrixIn(head table.Head) *matrixInfo {
	names, sample := head.Names, head.Sample
	if r.fixed || r.Source != "" || r.Target != "" || len(names) < 3 || len(sample) < 2 {
		return nil
	}
	m := &matrixInfo{nodes: len(names), names: noColumn}
	isNumber := func(field string) bool {
		_, ok := table.Notation(0).Number(field)
		return ok || table.IsMissing(field)
	}
	isSquare := false                            // the names of the rows are those of columns
	for _, k := range []int{0, len(names) - 1} { // pandas writes the names of rows as the last column to Parquet
		ids := map[string]bool{}
		for j, name := range names {
			ids[name] = j != k
		}
		isSquare = head.Header && table.All(sample, k, func(field string) bool { return ids[field] })
		if isSquare || k == 0 && !table.All(sample, k, isNumber) {
			m.names = k
			break
		}
	}
	var numbers []int // the columns of numbers
	for k := range names {
		if k == m.names {
			continue
		}
		if !table.All(sample, k, isNumber) {
			return nil
		}
		numbers = append(numbers, k)
	}
	m.nodes = len(numbers)
	if head.Header {
		for _, k := range numbers {
			m.ids = append(m.ids, names[k])
		}
	}
	if m.names < 0 && !head.Header { // perhaps 0, 1, 2, …, the columns of a frame without names
		m.numbers = true
		for k, field := range sample[0] {
			m.numbers = m.numbers && strings.TrimSpace(field) == strconv.Itoa(k)
		}
		if m.numbers {
			sample = sample[1:]
		}
	}
	if len(sample) > m.nodes {
		return nil
	}
	for _, row := range sample {
		values := make([]float64, m.nodes)
		for j, k := range numbers {
			values[j] = math.NaN()
			if v, ok := table.Notation(0).Number(strings.TrimSpace(row[k])); ok {
				values[j] = v
			}
		}
		m.block = append(m.block, values)
	}
	if m.names >= 0 && !isSquare { // the names of the rows are the ids
		if len(sample) < m.nodes || !m.looksSquare() {
			return nil
		}
		m.ids = nil
		for _, row := range sample {
			m.ids = append(m.ids, strings.TrimSpace(row[m.names]))
		}
	}
	if m.names < 0 && (slices.Contains(m.ids, "") || !m.looksSquare()) {
		return nil
	}
	if m.names >= 0 {
		m.index, m.read = make(map[string]int, m.nodes), make(map[int]bool, m.nodes)
		for k, id := range m.ids {
			m.index[id] = k
		}
		if len(m.index) < m.nodes {
			return nil
		}
	}
	for i := range sample {
		place := i
		if m.names >= 0 {
			place = m.index[strings.TrimSpace(sample[i][m.names])]
		}
		m.places = append(m.places, place)
	}
	return m
}

// looksSquare reports whether the first rows look like those of an adjacency matrix, by the rule of
// [edgeReader.matrixIn].
func (m *matrixInfo) looksSquare() bool {
	const fewest = 4
	if m.nodes < fewest || len(m.block) < fewest {
		return false
	}
	diagonal := m.block[0][0]
	isBinary, isSymmetric := true, true
	for i, row := range m.block {
		if row[i] != diagonal && !(math.IsNaN(row[i]) && math.IsNaN(diagonal)) {
			return false
		}
		for j, v := range row {
			isBinary = isBinary && (v == 0 || v == 1)
			if j < len(m.block) {
				other := m.block[j][i]
				isSymmetric = isSymmetric && (v == other || math.IsNaN(v) && math.IsNaN(other))
			}
		}
	}
	return isSymmetric || isBinary
}

// columns returns the indices of the columns that are read.
func (m *matrixInfo) columns() (all []int) {
	count := m.nodes
	if m.names >= 0 {
		count++
	}
	for k := range count {
		all = append(all, k)
	}
	return all
}

// checkMatrix decides how the numbers of the matrix become weights, and says so. Weight is what the user
// says of them, "value" or "1/value"; "" for nothing.
func (e *edgeInfo) checkMatrix(path, weight string) error {
	m := e.matrix
	what := fmt.Sprintf("the table is an adjacency matrix of %d nodes", m.nodes)
	if m.names >= 0 {
		what += " with names"
	}
	zeros, others, diagonal := 0, 0, [2]int{} // beside the diagonal, and how often 0 and 1 are on it
	isBinary := true
	for i, row := range m.block {
		for j, v := range row {
			if math.IsNaN(v) {
				v = 0
			}
			isDiagonal := m.places[i] == j
			switch {
			case isDiagonal && (v == 0 || v == 1):
				diagonal[int(v)]++
			case isDiagonal:
			case v < 0:
				return message.Errorf("%s: %s, and has the number %v: want weights, positive numbers, or 0 where there is no edge; for correlations or features, %s joins each row to its nearest", path, what, v, sourceNeighbors)
			case v == 0:
				zeros++
			default:
				others++
			}
			isBinary = isBinary && (v == 0 || v == 1)
		}
	}
	const mostZeros = .02 // the share of a dense matrix
	isDense := !isBinary && float64(zeros) <= mostZeros*float64(zeros+others)
	m.weighted = !isBinary || weight != ""
	switch weight {
	case "", "value":
	case reciprocalOf + "value":
		m.reciprocal = true
	default:
		return message.Errorf("%s: %s: want %s value, or 1/value for distances", path, what, edgeWeight)
	}
	switch {
	case isDense && diagonal[0] == len(m.block) && weight == "":
		err := message.Sprintf("%s: %s with 0 on the diagonal and nearly no other 0, as distances have, while a large weight means close", path, what)
		return &message.Error{Message: err.Advise("%s takes the reciprocals of distances", edgeWeight, reciprocalOf+"value").Advise("%s takes the numbers as weights", edgeWeight, "value")}
	case m.reciprocal:
		e.choices = append(e.choices, what+": the weights are 1 by its numbers")
	case isDense:
		e.choices = append(e.choices, what)
		w := message.Sprintf("%s, nearly all of whose numbers are positive, as similarities are: each pair of nodes is an edge, weighted", what)
		e.Warnings = append(e.Warnings, w.Advise("%s joins each row of features to its nearest alone", sourceNeighbors, ""))
	default:
		e.choices = append(e.choices, what+": numbers other than 0 are edges")
	}
	return nil
}

// id returns the id of a column.
func (m *matrixInfo) id(k int) string {
	if m.ids == nil {
		return strconv.Itoa(k)
	}
	return m.ids[k]
}

// each calls do with the edges in a row of the matrix, and, before those in the first row, with each node.
func (m *matrixInfo) each(row *table.Row, e *edge, do func(*edge) error) error {
	if m.numbers { // the row of numbers
		m.numbers = false
		return nil
	}
	if m.row == 0 {
		e.alone = true
		for k := range m.nodes {
			e.source = m.id(k)
			if err := do(e); err != nil {
				return err
			}
		}
		e.alone = false
	}
	if m.row++; m.row > m.nodes {
		return fmt.Errorf("the table looks like an adjacency matrix of %d columns: want as many rows", m.nodes)
	}
	place := m.row - 1
	if m.names >= 0 {
		name := strings.TrimSpace(row.Words[m.names])
		var ok bool
		if place, ok = m.index[name]; !ok {
			return fmt.Errorf("the table looks like an adjacency matrix, and no column is named %s as this row is: want the same names", message.Quote(name))
		}
		if m.read[place] {
			return fmt.Errorf("the table looks like an adjacency matrix, and two rows are named %s: want one", message.Quote(name))
		}
		m.read[place] = true
	}
	k := -1 // the node of a column
	for column, field := range row.Words {
		if column == m.names {
			continue
		}
		k++
		if len(field) == 1 && field[0] == '0' || k == place {
			continue
		}
		if field = strings.TrimSpace(field); table.IsMissing(field) {
			continue
		}
		v, ok := table.Notation(0).Number(field)
		switch {
		case !ok || v < 0 || v > math.MaxFloat32:
			return fmt.Errorf("%s in the column of node %s of an adjacency matrix: want a positive number, or 0 where there is no edge", message.Quote(field), message.Quote(m.id(k)))
		case float32(v) == 0:
			continue
		case !m.weighted && v != 1:
			return message.Errorf("%s in the column of node %s of an adjacency matrix, whose first rows have only 0 and 1: want %s value if its numbers are weights", message.Quote(field), message.Quote(m.id(k)), edgeWeight)
		}
		if e.weight = 1; m.weighted {
			e.weight = v
		}
		if m.reciprocal {
			e.weight = 1 / v
		}
		e.source, e.target = m.id(place), m.id(k)
		if err := do(e); err != nil {
			return err
		}
	}
	return nil
}

// end returns an error if the matrix is not square.
func (m *matrixInfo) end(path string) error {
	if m.row != m.nodes {
		return fmt.Errorf("%s: the table looks like an adjacency matrix of %d columns, and has %d rows: want as many rows", path, m.nodes, m.row)
	}
	return nil
}

// checkNodes returns an error if the rows of the matrix, which have no names, are not as many as the nodes.
func (m *matrixInfo) checkNodes(path string, nodes int) error {
	if m.nodes != nodes {
		return fmt.Errorf("%s: an adjacency matrix of %d rows: want one for each of the %d nodes", path, m.nodes, nodes)
	}
	return nil
}
