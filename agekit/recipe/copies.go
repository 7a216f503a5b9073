package recipe

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"slices"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// learned is a column of a table that becomes features.
type learned struct {
	Column
	index int  // the index in the table
	named bool // the user named the column
}

// copiesOf returns, for each of the columns of a table, the place in the list of the column that it
// repeats, and −1 for a column that repeats none. Columns that the user named repeat none. Of those that
// say the same, one that the user named stays, or else a date or categories, or else the first. Columns repeat
// each other
//   - if they are numbers or dates, and linear in each other ([measure.isLinear]);
//   - if they are categories, or categories and their codes ([groupingOf]), that group the rows alike;
//   - if they are texts, and equal;
//
// and if so many rows are no chance ([arrangements]). It takes O(n·f) operations for n rows and f columns of which
// few are near each other.
func copiesOf(t *table.Table, columns []learned) (repeats []int) {
	repeats = slices.Repeat([]int{-1}, len(columns))
	order := make([]int, len(columns)) // from columns that stay to those that go
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		switch c := &columns[i]; {
		case c.named:
			return 0
		case c.Kind != kindNumber:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(rank(i), rank(k)) })
	pairs := float64(len(columns) * len(columns))
	// repeat marks column i as one that repeats column k.
	repeat := func(i, k int) {
		if !columns[i].named && arrangements(&t.Columns[columns[i].index]) > math.Log(pairs/unlikely) {
			repeats[i] = k
		}
	}
	first := map[[sha256.Size]byte]int{} // the first column with each grouping of the rows
	for _, i := range order {
		c := &columns[i]
		key, ok := groupingOf(&t.Columns[c.index], c.Kind)
		k, known := first[key]
		switch {
		case ok && known:
			repeat(i, k)
		case ok && c.Kind != kindNumber:
			first[key] = i
		}
	}
	var measures []*measure // in the same order
	for _, i := range order {
		if kind := columns[i].Kind; repeats[i] < 0 && (kind == kindNumber || kind == kindDate) {
			if m := newMeasure(t, &columns[i]); m != nil {
				m.place = i
				measures = append(measures, m)
			}
		}
	}
	byPrint := slices.SortedStableFunc(slices.Values(measures), func(a, b *measure) int { return cmp.Compare(a.prints[0], b.prints[0]) })
	for i, m := range byPrint {
		m.sorted = i
	}
	for i, m := range measures {
		m.order = i
	}
	for _, m := range measures {
		if repeats[m.place] >= 0 {
			continue
		}
		for _, step := range []int{-1, 1} {
			for k := m.sorted + step; k >= 0 && k < len(byPrint); k += step {
				other := byPrint[k]
				if math.Abs(other.prints[0]-m.prints[0]) > mostApart {
					break
				}
				if other.order > m.order && repeats[other.place] < 0 && m.isNear(other) && m.isLinear(other) {
					repeat(other.place, m.place)
				}
			}
		}
	}
	return repeats
}

// groupingOf returns a checksum of how the values of a column of a kind group the rows of the table, or of the
// texts themselves for a column of text. It returns false for dates, and for numbers that are no codes of categories:
// whole numbers are if their range is at most twice their number, or the column's name says so. The population of
// each state is none.
func groupingOf(c *table.Column, kind string) (sum [sha256.Size]byte, ok bool) {
	const text, groups = 't', 'g'
	h := sha256.New()
	switch {
	case kind == kindText:
		h.Write([]byte{text})
		for row := range c.Len() {
			value, _ := c.Text(row)
			writeNumber(h, len(value))
			h.Write([]byte(value))
		}
		return [sha256.Size]byte(h.Sum(nil)), true
	case kind == kindDate, kind == kindNumber && c.Numbers == nil:
		return sum, false
	}
	numberOf := map[float64]int{} // of each group, in the order in which they appear
	least, most := math.Inf(1), math.Inf(-1)
	h.Write([]byte{groups})
	for row := range c.Len() {
		value, ok := valueOf(c, row)
		if !ok {
			writeNumber(h, -1) // a gap
			continue
		}
		if kind == kindNumber && value != math.Trunc(value) {
			return sum, false
		}
		number, known := numberOf[value]
		if !known {
			number = len(numberOf)
			if numberOf[value] = number; kind == kindNumber && number >= mostCategories {
				return sum, false
			}
		}
		writeNumber(h, number)
		least, most = min(least, value), max(most, value)
	}
	isCodes := len(numberOf) <= 2 || most-least <= float64(2*len(numberOf)) || namesKey(wordsOfName(c.Name))
	return [sha256.Size]byte(h.Sum(nil)), kind != kindNumber || isCodes
}

// valueOf returns the number of a column in a row, or the code of its word, and false if it is missing.
func valueOf(c *table.Column, row int) (value float64, ok bool) {
	if c.Numbers != nil {
		return c.Numbers[row], !math.IsNaN(c.Numbers[row])
	}
	return float64(c.Codes[row]), c.Codes[row] >= 0
}

// writeNumber adds a number to a checksum.
func writeNumber(h hash.Hash, v int) {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], uint64(v))
	h.Write(bytes[:])
}

// arrangements returns the logarithm of the number of different ways in which the values of a column, gaps too, can
// be put into the rows: the smaller it is, the likelier two columns with such values agree by chance.
func arrangements(c *table.Column) float64 {
	counts, gaps := map[float64]int{}, 0
	for row := range c.Len() {
		if value, ok := valueOf(c, row); ok {
			counts[value]++
		} else {
			gaps++
		}
	}
	logFactorial := func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return v
	}
	all := logFactorial(c.Len()) - logFactorial(gaps)
	for _, count := range counts {
		all -= logFactorial(count)
	}
	return all
}

// A measure is a column of numbers or dates, to be compared with others.
type measure struct {
	place, order, sorted int // in the lists of copiesOf
	values               []float64
	mean, deviation      float64
	// unit is the last decimal of the values, or a day for dates, and least what a float32 cannot tell
	// apart, both in standard deviations.
	unit, least float64
	prints      [4]float64
}

// mostApart is how far the prints of two measures that are linear in each other can be apart; mostUnit is the
// largest unit, in standard deviations, at which measures that agree but for rounding count as linear.
const mostApart, mostUnit = 0.04, 0.02

// newMeasure returns column c of a table as a measure; nil if it has no numbers.
func newMeasure(t *table.Table, c *learned) *measure {
	values, err := c.numbers(t, c.index)
	if err != nil {
		return nil
	}
	m := &measure{values: values, mean: c.Mean, deviation: c.Deviation}
	most := 0. // the largest absolute value
	for row, v := range values {
		if !math.IsNaN(v) {
			most = max(most, math.Abs(v))
		}
		m.project(row, v)
	}
	// A linear copy may have the other sign: the first print is not negative.
	sign := math.Copysign(1/math.Sqrt(float64(len(values))), m.prints[0])
	for j := range m.prints {
		m.prints[j] *= sign
	}
	const float32Digits = 0x1p-23
	m.least = 1e-9 + most*float32Digits/m.deviation
	if m.unit = lastDecimal(values) / m.deviation; c.Kind == kindDate {
		const day = 1 / 365.
		m.unit = day / m.deviation
	}
	return m
}

// project adds the standardized value v in a row to the prints: projections onto random directions, whose entries
// for the row are made of its number.
func (m *measure) project(row int, v float64) {
	if math.IsNaN(v) {
		v = m.mean
	}
	z := (v - m.mean) / m.deviation
	// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) makes 64 random bits of the number.
	bits := (uint64(row) + 1) * 0x9e3779b97f4a7c15
	bits = (bits ^ bits>>30) * 0xbf58476d1ce4e5b9
	bits = (bits ^ bits>>27) * 0x94d049bb133111eb
	bits ^= bits >> 31
	for j := range m.prints {
		m.prints[j] += z * float64(int16(bits>>(16*j))) / math.MaxInt16
	}
}

// lastDecimal returns the place value of the last decimal that numbers have, such as 0.01; 0 if they have more than
// nine decimals.
func lastDecimal(values []float64) float64 {
	for scale := 1.; scale <= 1e9; scale *= 10 {
		hasMore := func(v float64) bool {
			scaled := v * scale
			return math.Abs(scaled-math.Round(scaled)) > 1e-6
		}
		if !slices.ContainsFunc(values, hasMore) {
			return 1 / scale
		}
	}
	return 0
}

// isNear reports whether the prints of m and other are such as linear copies have.
func (m *measure) isNear(other *measure) bool {
	same, opposite := true, true
	for j, v := range m.prints {
		same = same && math.Abs(v-other.prints[j]) <= mostApart
		opposite = opposite && math.Abs(v+other.prints[j]) <= mostApart
	}
	return same || opposite
}

// isLinear reports whether m and other are linear in each other, up or down, but for the rounding of both to their
// decimals, or to float32s, and have gaps in the same rows.
func (m *measure) isLinear(other *measure) bool {
	most := m.least + other.least // the largest difference in standard deviations
	if m.unit <= mostUnit && other.unit <= mostUnit {
		most = max(most, m.unit+other.unit)
	}
	up, down := true, true
	for row, v := range m.values {
		w := other.values[row]
		if math.IsNaN(v) || math.IsNaN(w) {
			if math.IsNaN(v) != math.IsNaN(w) {
				return false
			}
			continue
		}
		x, y := (v-m.mean)/m.deviation, (w-other.mean)/other.deviation
		up, down = up && math.Abs(x-y) <= most, down && math.Abs(x+y) <= most
		if !up && !down {
			return false
		}
	}
	return true
}

// asCopy returns why a column of a kind is left out that repeats a column with a label, of another kind perhaps.
func asCopy(kind, otherKind, label string) message.Message {
	how := map[string]string{kindText: "equal to", kindCategory: "the same groups as"}[kind]
	switch {
	case how != "":
	case otherKind == kindCategory:
		how = "codes of"
	default:
		how = "the same as, or linear in,"
	}
	return message.Sprintf("left out, %s column %s, which counts once", how, label).Advise("%s keeps it", optionOf(kind), "")
}
