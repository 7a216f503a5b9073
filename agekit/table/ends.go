package table

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// EndOptions say what the caller of [FindPair] knows.
type EndOptions struct {
	// Source and Target are the columns that are ends for sure; −1 where that is not known.
	Source, Target int
	// Weight is the column of the weights, which is no end; −1 if it is found by its name.
	Weight int
	// IsNode reports whether a value is the id of a node. Nil if the nodes are not known.
	IsNode func(value string) bool
}

// Scores of a pair of columns as the two ends of edges. A pair has the sum: what speaks for the two
// together, and what speaks against each of them.
const (
	named       = 6    // both are named as programs name ends: source and target, from and to
	halfNamed   = 1    // one of them is
	alike       = 1    // their names differ in the last digit or letter alone: person1 and person2
	ofNodes     = 5    // both have nothing but ids of nodes; in part for a share
	inCommon    = 3    // all values of each are in the other, too; in part for a share
	commonCount = 1.5  // the same of whole numbers, which counts, years and ratings have in common as well
	sameClass   = .5   // both have the same class of values
	otherClass  = -1   // one has numbers, the other words
	firstTwo    = 1    // they are the first two columns
	adjacent    = .25  // no other column is between them
	later       = -.25 // for each column between the first two and the last of them, to four
	listed      = .5   // one of them has lists

	anOrder      = -4   // the name says that the column numbers the rows
	counting     = -2.5 // the values count up by one, and no other column has them
	dated        = -4   // dates and times
	yearly       = -1.5 // years
	fractional   = -3   // numbers that are not whole
	truth        = -3   // yes and no, true and false
	oneValue     = -2.5 // the same value in all rows
	oneFirst     = -1.5 // the same in the first column, as the source is in a table that is sorted by it
	fewNumbers   = -3   // a few numbers, each in many rows, as ratings are
	fewWords     = -2   // a few words, each in many rows, as kinds of edges are
	fewInOrder   = -1   // the same, but in blocks, as the source is in a table that is sorted by it
	allDifferent = -1.5 // no value is there twice
	withGaps     = -2   // some values are missing
)

// nearScore is the difference of two scores from which on the larger one decides without a doubt.
const nearScore = 1.26

// endColumn is what the sample shows of a column that may be an end.
type endColumn struct {
	index   int
	rows    map[string]int // in how many rows each value is; of lists, each member
	list    *List          // how the cells are lists; nil if they are none
	class   string         // of most values: "number", "word" or what they have in common
	against float64        // the sum of what speaks against the column
	asKey   float64        // the part of it that is no matter beside a list, where each row has another node
	single  bool           // one word in all rows, three or more
	few     bool           // a few words, each in many rows
	number  bool           // all values are numbers
	integer bool           // all values are whole numbers
}

// mostEnds is how many columns are compared in pairs: those that alone have the least against them.
const mostEnds = 16

// newEndColumn returns what the sample shows of a column.
func newEndColumn(names []string, sample [][]string, k int) *endColumn {
	c := &endColumn{index: k, rows: map[string]int{}}
	var first string
	missing, blocks, previous := 0, 0, ""
	for i, row := range sample {
		value := strings.TrimSpace(row[k])
		if IsMissing(value) {
			missing++
			continue
		}
		if i == 0 {
			first = value
		}
		if blocks == 0 || value != previous {
			blocks, previous = blocks+1, value
		}
		c.rows[value]++
	}
	present := len(sample) - missing
	all := func(is func(value string) bool) bool {
		for value := range c.rows {
			if !is(value) {
				return false
			}
		}
		return present > 0
	}
	const enough, many = 3, 10 // rows that show a constant, and that show what is rare
	different := len(c.rows)
	isNumber := all(func(value string) bool { _, ok := Notation(0).Number(value); return ok })
	c.number, c.integer = isNumber, all(isWhole)
	c.single = different == 1 && present >= enough
	isFew := present >= many && different <= 20 && 4*different <= present
	c.few = isFew && !isNumber
	c.class = classOf(c.rows, first, isNumber)
	if k == 0 && slices.ContainsFunc(names, func(name string) bool { return name != "" }) && NumbersRows(names[0]) {
		c.against += anOrder
	} else if k == 0 && countsRows(names, sample) {
		c.asKey += counting
	}
	switch {
	case all(isTime):
		c.against += dated
	case present >= enough && all(IsRecentYear):
		c.against += yearly
	case isNumber && !c.integer:
		c.against += fractional
	case all(isTruth):
		c.against += truth
	}
	switch {
	case c.single && k == 0:
		c.against += oneFirst
	case c.single:
		c.against += oneValue
	case isFew && k == 0 && blocks == different:
		c.against += fewInOrder
	case isFew && isNumber:
		c.against += fewNumbers
	case isFew:
		c.against += fewWords
	case different == present && present >= many:
		c.asKey += allDifferent
	}
	c.against += c.asKey
	if missing > 0 {
		c.against += withGaps
	}
	return c
}

// classOf returns "number", or what most of the words of a column have in common: @ as in addresses, the
// beginning before the first digit of all, or "".
func classOf(rows map[string]int, first string, isNumber bool) string {
	if isNumber {
		return "number"
	}
	prefix := func(value string) string {
		if k := strings.IndexAny(value, "0123456789@"); k > 0 {
			return value[:k]
		}
		return value
	}
	same := 0
	for value := range rows {
		if prefix(value) == prefix(first) {
			same++
		}
	}
	if 10*same >= 9*len(rows) {
		return "word " + prefix(first)
	}
	return "word"
}

// score returns how much speaks for two columns as the source and the target.
func (c *endColumn) score(d *endColumn, names []string, o EndOptions) float64 {
	sum := c.against + d.against
	isSource, isTarget := isFirstNamed(names, c.index, sourceNames), isFirstNamed(names, d.index, targetNames)
	switch {
	case isSource && isTarget:
		sum += named
	case isSource || isTarget:
		sum += halfNamed
	}
	if kind := kindOfEnd(names[c.index]); kind != "" && kind == kindOfEnd(names[d.index]) {
		sum += alike
	}
	common := min(c.share(d.has), d.share(c.has))
	if c.integer && d.integer {
		sum += commonCount * common
	} else {
		sum += inCommon * common
	}
	if o.IsNode != nil {
		sum += ofNodes * min(c.share(o.IsNode), d.share(o.IsNode))
	}
	switch {
	case c.class == d.class:
		sum += sameClass
	case (c.class == "number") != (d.class == "number"):
		sum += otherClass
	}
	switch {
	case max(c.index, d.index) == 1:
		sum += firstTwo + adjacent
	case c.index-d.index == 1 || d.index-c.index == 1:
		sum += adjacent
	}
	const mostLater = 4
	sum += later * float64(min(mostLater, max(c.index, d.index)-1))
	for _, two := range [2][2]*endColumn{{c, d}, {d, c}} {
		if key, list := two[0], two[1]; key.list == nil && list.list != nil {
			sum += listed - key.asKey
		}
	}
	return sum
}

// has reports whether the column has a value.
func (c *endColumn) has(value string) bool { return c.rows[value] > 0 }

// share returns the share of the different values of the column for which is reports true.
func (c *endColumn) share(is func(value string) bool) float64 {
	count := 0
	for value := range c.rows {
		if is(value) {
			count++
		}
	}
	return float64(count) / max(1, float64(len(c.rows)))
}

// takeLists finds out which of the columns have lists, whose members then count as the values.
func takeLists(columns []*endColumn, sample [][]string, isNode func(string) bool) {
	for _, c := range columns {
		cells := make([]string, len(sample))
		for i, row := range sample {
			cells[i] = strings.TrimSpace(row[c.index])
		}
		isOther := func(value string) bool {
			return isNode != nil && isNode(value) || slices.ContainsFunc(columns, func(d *endColumn) bool { return d != c && d.has(value) })
		}
		if c.list = listIn(cells, isOther); c.list == nil {
			continue
		}
		c.against, c.asKey, c.few = 0, 0, false
		c.rows = map[string]int{}
		for _, cell := range cells {
			for _, member := range c.list.Members(cell) {
				c.rows[member]++
			}
		}
	}
}

// choosePair returns the best pair of columns as ends and the next best, with what the sample shows of the
// columns that were compared. The runner-up is nil if there is no other pair.
func choosePair(names []string, sample [][]string, weight int, o EndOptions) (best, next *scoredPair, columns []*endColumn) {
	for k := range names {
		isNamed := isFirstNamed(names, k, sourceNames) || isFirstNamed(names, k, targetNames)
		if k != weight || k == o.Source || k == o.Target || isNamed {
			columns = append(columns, newEndColumn(names, sample, k))
		}
	}
	isKnown := func(c *endColumn) bool {
		return c.index == o.Source || c.index == o.Target ||
			isFirstNamed(names, c.index, sourceNames) || isFirstNamed(names, c.index, targetNames)
	}
	slices.SortStableFunc(columns, func(c, d *endColumn) int {
		if isKnown(c) != isKnown(d) {
			return cmp.Compare(d.scoreAlone(isKnown(d)), c.scoreAlone(isKnown(c)))
		}
		return cmp.Compare(d.against, c.against)
	})
	columns = columns[:min(mostEnds, len(columns))]
	slices.SortFunc(columns, func(c, d *endColumn) int { return c.index - d.index })
	takeLists(columns, sample, o.IsNode)
	for _, c := range columns {
		for _, d := range columns {
			isReversed := c.index > d.index && !isFirstNamed(names, c.index, sourceNames) && !isFirstNamed(names, d.index, targetNames)
			isReversed = isReversed && o.Source < 0 && o.Target < 0
			if c == d || isReversed || o.Source >= 0 && c.index != o.Source || o.Target >= 0 && d.index != o.Target {
				continue
			}
			pair := &scoredPair{c, d, c.score(d, names, o)}
			switch {
			case best == nil || pair.score > best.score:
				if best != nil && !best.isReverse(pair) {
					next = best
				}
				best = pair
			case !best.isReverse(pair) && (next == nil || pair.score > next.score):
				next = pair
			}
		}
	}
	return best, next, columns
}

// scoreAlone returns what speaks for the column without another one; known says that it is an end for sure, or by
// its name.
func (c *endColumn) scoreAlone(known bool) float64 {
	if known {
		return c.against + named
	}
	return c.against
}

// scoredPair is a pair of columns as ends, and what speaks for it.
type scoredPair struct {
	source, target *endColumn
	score          float64
}

// isReverse reports whether two pairs have the same columns in the other order.
func (p *scoredPair) isReverse(other *scoredPair) bool {
	return p.source == other.target && p.target == other.source
}

// isFirstNamed reports whether column k is the first one that has one of the known names.
func isFirstNamed(names []string, k int, known []string) bool {
	isKnown := func(name string) bool { return slices.Contains(known, plainName(name)) }
	return isKnown(names[k]) && !slices.ContainsFunc(names[:k], isKnown)
}

// isWhole reports whether a value is a whole number, perhaps with .0 as pandas writes it.
func isWhole(value string) bool {
	return IsDigits(strings.TrimLeft(strings.TrimSuffix(value, ".0"), "+-"))
}

// IsRecentYear reports whether a value is a year from 1900 to 2099.
func IsRecentYear(value string) bool {
	return len(value) == 4 && IsDigits(value) && (value[:2] == "19" || value[:2] == "20")
}

// isTruth reports whether a value says yes or no.
func isTruth(value string) bool {
	return slices.Contains([]string{"true", "false", "yes", "no", "t", "f"}, strings.ToLower(value))
}

// timeForms are the forms of dates and times: with the year first, with the year last, of the day alone, and
// without marks.
var timeForms = regexp.MustCompile(`^(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([T ,].*)?|\d{1,2}:\d{2}(:\d{2})?.*|(19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))$`)

// isTime reports whether a value is a date, a time, or the seconds or milliseconds since 1970 of one from
// 2000 to 2040.
func isTime(value string) bool {
	if timeForms.MatchString(value) {
		return true
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !isWhole(value) && !strings.Contains(value, ".") {
		return false
	}
	const first, last = 946684800, 2208988800
	return first <= seconds && seconds < last || 1000*first <= seconds && seconds < 1000*last
}
