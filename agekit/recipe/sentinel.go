package recipe

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// sentinelsOf returns the numbers that stand for missing values, such as -999 or 9999: up to three below the
// others and three above, each in three rows and 2 % of the rows at least, in half of them together at most,
// and far from the others: by many times what these differ ([leastDistance]). NaN is a missing value.
func sentinelsOf(numbers []float64, isTypical func(v float64) bool) (found []float64) {
	sorted := slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)
	slices.Sort(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	rows := func(v float64) int { // how many rows have it
		first, _ := slices.BinarySearch(sorted, v)
		next, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
		return next - first
	}
	const mostAtAnEnd, leastRows, leastShare, mostShare = 3, 3, 0.02, 0.5
	for below := range mostAtAnEnd + 1 {
		for above := range mostAtAnEnd + 1 {
			others := len(distinct) - below - above
			if below+above <= len(found) || others < 2 {
				continue
			}
			least, largest := distinct[below], distinct[below+others-1]
			ends := slices.Concat(distinct[:below], distinct[below+others:])
			sum, fits := 0, true
			for _, v := range ends {
				count := rows(v)
				sum += count
				distance := max(least-v, v-largest)
				fits = fits && count >= leastRows && float64(count) >= leastShare*float64(len(sorted)) &&
					distance >= leastDistance(v, least, others, isTypical)*(largest-least)
			}
			if fits && float64(sum) <= mostShare*float64(len(sorted)) {
				found = ends
			}
		}
	}
	return found
}

// leastDistance returns how far a number v must be from the others to stand for a missing value, in multiples of
// the range of these: a hundredth for -99 or less that programs write so, where no other is negative, as amounts
// are not; twice for another one that programs write so, as -9 to -7 where none of the others, the least
// first, is negative; thrice for -1 there; ten times for 0; and fifty times for any other. Without a digit 9, there must be
// ten others: few are codes.
func leastDistance(v, least float64, others int, isTypical func(v float64) bool) float64 {
	const fewestOthers = 10
	switch {
	case v <= -99 && isTypical(v) && least >= 0 && others >= fewestOthers:
		return 0.01
	case isTypical(v), least >= 0 && (v == -9 || v == -8 || v == -7):
		return 2
	case others < fewestOthers:
		return math.Inf(1)
	case v == -1 && least >= 0:
		return 3
	case v == 0:
		return 10
	}
	return 50
}

// isNines reports whether a number has two digits or more, of which all but perhaps the last are 9, as 99, -999
// and 998 are.
func isNines(v float64) bool {
	digits := strings.NewReplacer("-", "", ".", "").Replace(strconv.FormatFloat(v, 'f', -1, 64))
	n := len(digits)
	return n >= 2 && strings.Trim(digits[:n-1], "9") == "" && digits[n-1] >= '7'
}

// isFirstOrLastDay reports whether a time in years is one that programs write for no date: the first day of
// 1, 1900, 1970 or another such year, the last one of 9999 and so on, or the day 0 of a spreadsheet.
func isFirstOrLastDay(years float64) bool {
	const day = 1. / 365
	year, share := math.Modf(years)
	isFirst := share < day && slices.Contains([]float64{1, 1000, 1601, 1753, 1800, 1900, 1970}, year)
	isLast := share > 1-2.5*day && slices.Contains([]float64{1899, 1969, 2099, 2199, 2999, 9999}, year)
	return isFirst || isLast
}

// withoutSentinels returns the numbers with NaN in place of those in c.Sentinels.
func (c *Column) withoutSentinels(numbers []float64) []float64 {
	if len(c.Sentinels) == 0 {
		return numbers
	}
	numbers = slices.Clone(numbers)
	for row, v := range numbers {
		if slices.Contains(c.Sentinels, v) {
			numbers[row] = math.NaN()
		}
	}
	return numbers
}

// sentinelWarning returns a warning about the sentinels of column k of a table, with the rows of each.
func (c *Column) sentinelWarning(t *table.Table, k int) message.Message {
	numbers, _ := c.numbers(t, k)
	var texts []string
	for _, v := range c.Sentinels {
		row := slices.Index(numbers, v)
		text, _ := t.Columns[k].Text(row)
		count := 0
		for _, other := range numbers {
			if other == v {
				count++
			}
		}
		texts = append(texts, fmt.Sprintf("%s in %d of %d rows", message.Quote(text), count, t.Rows))
	}
	warning := message.Sprintf("far from all others, and so taken as gaps: %s", strings.Join(texts, ", "))
	if c.Kind == kindDate {
		return warning.Advise("%s keeps dates as categories", columnsCategory, t.Label(k))
	}
	return warning.Advise("%s keeps all numbers", columnsNumber, t.Label(k))
}
