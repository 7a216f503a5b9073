package reproduce

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// summary summarizes a value, such as a score, of the runs of one kind with different seeds.
type summary struct {
	count     int     // the number of runs that have the value
	mean      float64 // these three are NaN if the count is 0
	deviation float64 // the standard deviation, with divisor count − 1; NaN for one run, too
	best      float64 // the highest value
}

// source is what items are rendered from: the results of the runs in a selection.
type source struct {
	Selection
	results *Results
	// load returns a data set, whose class names figures show. It may be nil: then they number classes.
	load func(dataset string) (*graph.Graph, error)
}

// seedRecords are the results of one kind of run, one for each seed that has a result.
type seedRecords []Record

// find returns the results of a kind of run, whose own seed does not count: one for each of the
// selection's seeds that has a result.
func (s source) find(kind Run) seedRecords {
	var found seedRecords
	for _, r := range s.withSeeds(kind) {
		if record, ok := s.results.Get(r); ok {
			found = append(found, record)
		}
	}
	return found
}

// score returns the summary of the named score over those of the results that have it.
func (records seedRecords) score(name string) summary {
	return records.summarize(func(r Record) (float64, bool) { v, ok := r.Scores[name]; return v, ok })
}

// seconds returns the summary of the time of all runs, even of those that shared the machine.
func (records seedRecords) seconds() summary {
	return records.summarize(func(r Record) (float64, bool) { return r.Seconds, true })
}

// timedAlone returns the summaries of the time in seconds and of the memory in megabytes, over the runs
// that had the machine for themselves and were not interrupted. Memory is recorded only of these, so
// their Bytes is not 0.
func (records seedRecords) timedAlone() (seconds, megabytes summary) {
	return records.summarize(func(r Record) (float64, bool) { return r.Seconds, r.Bytes > 0 }),
		records.summarize(func(r Record) (float64, bool) { return float64(r.Bytes) / 1e6, r.Bytes > 0 })
}

// summarize returns the summary of what the function value returns for each record, without the records
// for which has is false.
func (records seedRecords) summarize(value func(Record) (v float64, has bool)) summary {
	var values []float64
	for _, record := range records {
		if v, has := value(record); has {
			values = append(values, v)
		}
	}
	if values == nil {
		return summary{mean: math.NaN(), deviation: math.NaN(), best: math.NaN()}
	}
	mean, deviation := stat.MeanStdDev(values, nil)
	return summary{count: len(values), mean: mean, deviation: deviation, best: floats.Max(values)}
}

// text returns "mean ± deviation" with three decimals, or only the mean of a single value.
func (s summary) text() string {
	if s.count < 2 {
		return fixed(s.mean, 3)
	}
	return fixed(s.mean, 3) + " ± " + fixed(s.deviation, 3)
}

// numbers returns the cells of a CSV file with the count, mean, deviation and best value.
func (s summary) numbers() []string {
	return []string{strconv.Itoa(s.count), number(s.mean), number(s.deviation), number(s.best)}
}

// none marks a missing value.
const none = "–"

// fixed formats a value with the given number of decimals as the tables show it: .734, −.012, 1.25. With
// three decimals or more it leaves out a 0 before the point. What rounds to 0 has no sign.
func fixed(v float64, decimals int) string {
	if math.IsNaN(v) {
		return none
	}
	text := fmt.Sprintf("%.*f", decimals, math.Abs(v))
	if decimals >= 3 {
		text = strings.TrimPrefix(text, "0")
	}
	if v < 0 && strings.Trim(text, "0.") != "" {
		text = "−" + text
	}
	return text
}

// difference formats a value with three decimals and its sign, − or +; 0 has none.
func difference(v float64) string {
	text := fixed(v, 3)
	if v > 0 && strings.Trim(text, "0.") != "" {
		text = "+" + text
	}
	return text
}

// number formats a value for a CSV file; empty if there is none.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 8, 64)
}

// appendTo appends to a line of a figure the mean at x, with its deviation, and sets the line's name.
func (s summary) appendTo(line *figure.Series, name string, x float64) {
	line.Name = name
	line.X = append(line.X, x)
	line.Y = append(line.Y, s.mean)
	line.Deviation = append(line.Deviation, s.deviation)
}
