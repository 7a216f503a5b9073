package recipe

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// keyKind says whether the whole numbers of a column are keys, such as those of customers, or a measure.
type keyKind int

const (
	isMeasure keyKind = iota
	mayBeKey          // the values could be keys, and the name says nothing
	isCode            // a key that several rows have each: a category
	isKey
)

// fewestKeys is the least number of values that can show by themselves that they are keys.
const fewestKeys = 10

// keyKindOf returns whether the numbers of column c of a table are keys. Keys are whole numbers, 0 or more.
// The values tell if they are the numbers 0 to n − 1, or 1 to n, in another order than that of the rows. The name
// tells if it says id, key or code, or, as no name does in a table that names others, that it is the index of a
// frame, and nearly all values differ. A name that may say so (order no, userid) and values that may be keys tell
// together.
func keyKindOf(t *table.Table, c *table.Column) keyKind {
	sorted := slices.DeleteFunc(slices.Clone(c.Numbers), math.IsNaN)
	n := len(sorted)
	if slices.ContainsFunc(sorted, func(v float64) bool { return v < 0 || v != math.Trunc(v) || v > 1<<62 }) {
		return isMeasure
	}
	slices.Sort(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	d := len(distinct)
	if d < 2 {
		return isMeasure
	}
	const nearly = 0.95 // of the rows have a value of their own
	nearlyAll := float64(d) >= nearly*float64(n)
	hasNames := slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Name != "" })
	name := wordsOfName(c.Name)
	switch {
	case namesKey(name) && isFewFor(d, c.Len()):
		return isCode
	case namesKey(name), hasNames && namesIndex(c.Name) && nearlyAll:
		return isKey
	case n < fewestKeys || namesRank(name):
		return isMeasure
	}
	if countsShuffled(c) {
		// Places in several orders are measures.
		isPlace := slices.ContainsFunc(t.Columns, func(other table.Column) bool { return countsShuffled(&other) && !isCopy(c, &other) })
		if isPlace {
			return mayBeKey
		}
		return isKey
	}
	if isYears(distinct) || !isDrawnOnce(sorted) && !isSpread(distinct) {
		return isMeasure
	}
	if nearlyAll && mayNameKey(name) {
		return isKey
	}
	return mayBeKey
}

// countsShuffled reports whether the numbers of a column, in any order, are 0 to n − 1 or 1 to n.
func countsShuffled(c *table.Column) bool {
	n := len(c.Numbers)
	seen := make([]bool, n+1)
	for _, v := range c.Numbers {
		if !(0 <= v && v <= float64(n)) || v != math.Trunc(v) || seen[int(v)] {
			return false
		}
		seen[int(v)] = true
	}
	return n >= fewestKeys && seen[0] != seen[n]
}

// isCopy reports whether all numbers of two columns are equal, but for 1 that one begins with more, or count up in
// one while they count down in the other.
func isCopy(a, b *table.Column) bool {
	difference, sum := a.Numbers[0]-b.Numbers[0], a.Numbers[0]+b.Numbers[0]
	same, opposite := true, true
	for row, v := range a.Numbers {
		same = same && v-b.Numbers[row] == difference
		opposite = opposite && v+b.Numbers[row] == sum
	}
	return same || opposite
}

// isDrawnOnce reports whether whole numbers all differ where amounts would not: of amounts that lie as close,
// many would happen to be equal. Sorted has the numbers in increasing order.
func isDrawnOnce(sorted []float64) bool {
	step := 0. // the largest number of which all differences are multiples
	for i := 1; i < len(sorted); i++ {
		difference := sorted[i] - sorted[i-1]
		if difference == 0 {
			return false
		}
		for difference != 0 {
			step, difference = difference, math.Mod(step, difference)
		}
	}
	// Of m numbers drawn at random among w, m(m − 1)/2w pairs are equal on average. Within ten neighbors the
	// density hardly changes.
	const m, enough = 10, 10
	equal := 0. // the pairs that would be equal on average
	for i := 0; i+m <= len(sorted); i += m {
		w := (sorted[i+m-1]-sorted[i])/step + 1
		equal += m * (m - 1) / 2 / w
	}
	return equal >= enough
}

// isSpread reports whether different whole numbers, in increasing order, lie evenly in a range of a hundred times
// their number or more, by the test of Kolmogorov and Smirnov at 5 %, and end in all digits alike, by a χ² test at
// 1 %. Amounts are skewed, or have digits that are more frequent than others.
func isSpread(distinct []float64) bool {
	d := len(distinct)
	first, extent := distinct[0], distinct[d-1]-distinct[0]
	const wide, fewest = 100, 50
	if d < fewest || extent < wide*float64(d) || isUnixTime(first, distinct[d-1]) {
		return false
	}
	deviation := 0. // the largest one from the even distribution
	var endings [10]float64
	for i, v := range distinct {
		place := (v - first) / extent
		deviation = max(deviation, math.Abs(place-float64(i)/float64(d)), math.Abs(place-float64(i+1)/float64(d)))
		endings[int(math.Mod(v, 10))]++
	}
	const atFivePercent, atOnePercent = 1.36, 21.67
	chi, expected := 0., float64(d)/10
	for _, count := range endings {
		chi += (count - expected) * (count - expected) / expected
	}
	return deviation*math.Sqrt(float64(d)) < atFivePercent && chi < atOnePercent
}

// isYears reports whether different numbers, in increasing order, may be years of the Common Era that are not far
// from today.
func isYears(distinct []float64) bool {
	return table.FirstYear <= distinct[0] && distinct[len(distinct)-1] <= table.LastYear
}

// isUnixTime reports whether all numbers from first to last are times between 2001 and 2033, in seconds or
// milliseconds since 1970.
func isUnixTime(first, last float64) bool {
	const begin, end, milli = 1e9, 2e9, 1000
	return begin <= first && last <= end || begin*milli <= first && last <= end*milli
}

// wordsOfName returns the words in the name of a column, in lower case: host and id for host_id, hostId and HostID.
func wordsOfName(name string) []string {
	var spaced strings.Builder
	letters := []rune(name)
	for i, letter := range letters {
		if i > 0 && unicode.IsUpper(letter) && unicode.IsLower(letters[i-1]) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(letter)
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return !unicode.IsLetter(r) })
}

// namesKey reports whether the words of a name say that the column has keys: one is id, or the last one is key or
// code.
func namesKey(words []string) bool {
	says := func(word string) bool {
		return slices.Contains([]string{"id", "ids", "uid", "uuid", "guid", "suid", "zip", "zipcode", "postcode", "plz", "fips"}, word)
	}
	return slices.ContainsFunc(words, says) || len(words) > 0 && (words[len(words)-1] == "key" || words[len(words)-1] == "code")
}

// mayNameKey reports whether the words of a name could say that the column has keys, as number, userid and seqno
// could.
func mayNameKey(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	says := func(ending string) bool { return strings.HasSuffix(last, ending) }
	return slices.ContainsFunc([]string{"id", "code", "key", "no", "nr", "num", "number", "idx"}, says)
}

// namesRank reports whether the words of a name say that the numbers 1 to n are places in an order that matters.
func namesRank(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, "rank") })
}

// namesIndex reports whether the name of a column is one that programs give to the index of a frame, or that a run
// gives to a first column without a name.
func namesIndex(name string) bool {
	return table.NumbersRows(name) || name == "column 1" || strings.HasPrefix(name, "__index_level_")
}

// message returns what is said of a column of a kind other than isMeasure.
func (kind keyKind) message() message.Message {
	switch kind {
	case isKey:
		why := message.Sprintf("left out, its numbers are keys, no amounts")
		return why.Advise("%s keeps it", columnsNumber, "").Advise("%s makes it categories", columnsCategory, "")
	case isCode:
		return message.Sprintf("numbers that are codes, no amounts, count as categories").Advise("%s keeps numbers", columnsNumber, "")
	default:
		why := message.Sprintf("counts as a number, but could have keys, no amounts")
		return why.Advise("%s leaves it out", columnsDrop, "").Advise("%s makes it categories", columnsCategory, "")
	}
}

// digitsOf returns a column of numbers as it is, and one of words that are digits alone as numbers, as Parquet may have
// keys. It returns false if the column has other words, such as numbers with a unit.
func digitsOf(c *table.Column) (*table.Column, bool) {
	if c.Numbers != nil {
		return c, true
	}
	var numbers []float64 // of the values
	for _, word := range c.Values {
		v, err := strconv.ParseUint(word, 10, 64)
		switch {
		case err == nil:
			numbers = append(numbers, float64(v))
		case table.IsMissing(word):
			numbers = append(numbers, math.NaN())
		default:
			return nil, false
		}
	}
	digits := table.NewNumbers(c.Name, c.PerRow(numbers))
	return &digits, true
}

// firstValues returns the first values of a column, as an example.
func firstValues(c *table.Column) string {
	const enough = 3
	var all []string
	for row := 0; row < c.Len() && len(all) < enough; row++ {
		if text, ok := c.Text(row); ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}
