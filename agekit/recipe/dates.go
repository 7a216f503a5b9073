package recipe

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// layouts are the ways to write a date that are read, in the form of package time: ISO
// 8601, day first, with the name of the month, and as mail and Twitter write it. One digit
// may stand for two.
var layouts = []string{
	"2006-1-2", "2006-1-2 15:04:05", "2006-1-2T15:04:05", "2006-1-2T15:04:05Z07:00", "2006-1-2 15:04:05Z07:00", "2006-1-2 15:04", "2006-1-2T15:04",
	"2006-1-2 15:04:05 MST", "2006-1-2 15:04:05 -0700", "2006-1-2 15:04:05 -0700 MST", "2006-1-2 3:04:05 PM", "2006-1-2 3:04 PM",
	"2006-1", "2006/1/2", "2006/1/2 15:04", "2006/1/2 15:04:05",
	"2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05", "2-1-2006",
	dayFirst, dayFirst + " 15:04", dayFirst + " 15:04:05", dayFirst + " 3:04 PM", dayFirst + " 3:04:05 PM",
	monthFirst, monthFirst + " 15:04", monthFirst + " 15:04:05", monthFirst + " 3:04 PM", monthFirst + " 3:04:05 PM",
	"2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "2-Jan-2006", "Jan 2, 2006 3:04:05 PM", "2 Jan 2006 15:04:05",
	"Mon, 2 Jan 2006", "Mon, 2 Jan 2006 15:04:05 MST", "Mon, 2 Jan 2006 15:04:05 -0700", "Monday, January 2, 2006", "Monday, 2 January 2006",
	"Mon Jan 2 15:04:05 2006", "Mon Jan 2 15:04:05 MST 2006", "Mon Jan 2 15:04:05 -0700 2006",
}

const dayFirst, monthFirst = "2/1/2006", "1/2/2006"

// isDateGap reports whether a word among dates says that there is none: one without digits, such as NaT and
// unknown, or with no other digit than 0, such as 0000-00-00.
func isDateGap(word string) bool { return !strings.ContainsAny(word, "123456789") }

// dateGaps returns the words of a column of dates that are none ([isDateGap]), quoted.
func dateGaps(c *table.Column) (words []string) {
	for _, v := range c.Values {
		if isDateGap(v) {
			words = append(words, message.Quote(v))
		}
	}
	return words
}

// dateLayout returns the first of the layouts in which all words of a column are dates, "" if there is
// none. A few words may say that there is no date ([isDateGap]), if there are more dates. It returns an error if another layout fits too and makes other dates of the words, as with the day
// and the month in the other order.
func dateLayout(c *table.Column) (string, error) {
	const shortest, longest = len("2006-1"), len("Wednesday, September 30, 2006 15:04:05")
	dates := slices.DeleteFunc(slices.Clone(c.Values), isDateGap)
	const mostGaps, fewestDates = 4, 3
	gaps := len(c.Values) - len(dates)
	if len(dates) == 0 || gaps > 0 && (gaps > mostGaps || len(dates) < fewestDates || len(dates) <= gaps) {
		return "", nil
	}
	if len(dates[0]) < shortest || len(dates[0]) > longest {
		return "", nil
	}
	found := "" // the first layout that fits
	for _, layout := range layouts {
		fits := true // all words are dates in the layout
		same := true // they are the same dates as in the layout that was found
		for _, v := range dates {
			when, err := time.Parse(layout, v)
			if err != nil {
				fits = false
				break
			}
			if found != "" {
				other, _ := time.Parse(found, v)
				same = same && other.Equal(when)
			}
		}
		switch {
		case fits && found == "":
			found = layout
		case fits && !same:
			return "", fmt.Errorf("dates such as %s may have the day or the month first: write %s", message.Quote(dates[0]), "2006-01-02")
		}
	}
	return found, nil
}

// date parses a date in the layout that c learned, or else in one of the layouts that begin with the year:
// another format of tables may write the same dates so. It returns false if the text is no date in any.
func (c *Column) date(text string) (time.Time, bool) {
	when, err := time.Parse(c.Layout, text)
	for k := 0; err != nil && strings.HasPrefix(layouts[k], "2006-1-2"); k++ { // these come first
		when, err = time.Parse(layouts[k], text)
	}
	return when, err == nil
}

// The parts of a date that become features beside the time itself.
const partSeason, partWeekday = "season", "weekday"

// learnDates sets c.Layout and c.Parts for a column of dates in a layout. The season and the weekday are
// parts if the dates are in three months, and on three days of the week, at least: fewer are no cycle.
func (c *Column) learnDates(column *table.Column, layout string) {
	c.Layout = layout
	months, weekdays := map[time.Month]bool{}, map[time.Weekday]bool{}
	for _, v := range column.Values {
		when, err := time.Parse(layout, v)
		if err != nil { // it is no date
			continue
		}
		months[when.Month()], weekdays[when.Weekday()] = true, true
	}
	const several = 3
	if len(months) >= several {
		c.Parts = append(c.Parts, partSeason)
	}
	const withoutDays = "2006-1"
	if len(weekdays) >= several && layout != withoutDays {
		c.Parts = append(c.Parts, partWeekday)
	}
}

// years returns the time in each row of a column in years, such as 2026.5; NaN where it is missing or is no
// date that c can read.
func (c *Column) years(column *table.Column) []float64 {
	all := make([]float64, column.Len())
	for row := range all {
		all[row] = math.NaN()
		if text, ok := column.Text(row); ok {
			if when, ok := c.date(text); ok {
				all[row] = yearsOf(when)
			}
		}
	}
	return all
}

// yearsOf returns a time in years: the year, and as a fraction the share of that year that has passed.
func yearsOf(when time.Time) float64 {
	begin := time.Date(when.Year(), 1, 1, 0, 0, 0, 0, when.Location())
	return float64(when.Year()) + when.Sub(begin).Hours()/begin.AddDate(1, 0, 0).Sub(begin).Hours()
}

// dateNames returns the names of the features that the parts of a date become, in the order of c.Parts.
func (c *Column) dateNames() (names []string) {
	for _, part := range c.Parts {
		if part == partSeason {
			names = append(names, c.Name+": winter, not summer", c.Name+": spring, not fall")
			continue
		}
		for day := range 7 {
			names = append(names, fmt.Sprintf("%s on a %s", c.Name, time.Weekday(day)))
		}
	}
	return names
}

// dateParts calls put with the features of the parts of a date, which begin at the feature from. For the
// season these are the cosine and the sine of the time of the year, on a circle that begins in winter, on
// 1 January; for the weekday it is 1 in one of seven features. A text that is no date has none.
func (c *Column) dateParts(text string, from int, put func(int, float32)) {
	when, ok := c.date(text)
	for _, part := range c.Parts {
		if part == partWeekday && ok {
			put(from+int(when.Weekday()), 1)
		}
		if part == partSeason && ok {
			_, share := math.Modf(yearsOf(when))
			sine, cosine := math.Sincos(2 * math.Pi * share)
			put(from, float32(cosine))
			put(from+1, float32(sine))
			from += 2
		}
	}
}
