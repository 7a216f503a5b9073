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

// summary summarizes one score of one kind of run over the seeds.
type summary struct {
	count     int // of seeds
	mean      float64
	deviation float64 // standard, with divisor n−1; NaN for one seed
	best      float64 // the highest
}

// source is what items are rendered from: the results of a selection.
type source struct {
	Selection
	results *Results
	load    func(dataset string) (*graph.Graph, error) // may be nil
}

// seedRecords are the results of one kind of run, one for each seed that has a result.
type seedRecords []Record

// find returns the results that the runs of a kind, with the selection's seeds, have.
func (s source) find(kind Run) seedRecords {
	var f seedRecords
	for _, r := range s.withSeeds(kind) {
		if record, ok := s.results.Get(r); ok {
			f = append(f, record)
		}
	}
	return f
}

// score returns the summary of a score over the results that have it. The count is 0 if
// none has.
func (f seedRecords) score(name string) summary {
	return f.summarize(func(r Record) (float64, bool) { v, ok := r.Scores[name]; return v, ok })
}

// seconds returns the summary of the time of all runs, also of those that shared the machine.
func (f seedRecords) seconds() summary {
	return f.summarize(func(r Record) (float64, bool) { return r.Seconds, true })
}

// timedAlone returns the summaries of the time and of the memory, in megabytes, of the runs
// that ran one at a time and as a whole: only their memory is recorded, so Bytes is not 0.
func (f seedRecords) timedAlone() (seconds, megabytes summary) {
	return f.summarize(func(r Record) (float64, bool) { return r.Seconds, r.Bytes > 0 }),
		f.summarize(func(r Record) (float64, bool) { return float64(r.Bytes) / 1e6, r.Bytes > 0 })
}

// summarize returns the summary of what the results have of a value.
func (f seedRecords) summarize(value func(Record) (v float64, has bool)) summary {
	var values []float64
	for _, record := range f {
		if v, ok := value(record); ok {
			values = append(values, v)
		}
	}
	if values == nil {
		return summary{mean: math.NaN(), deviation: math.NaN(), best: math.NaN()}
	}
	m, d := stat.MeanStdDev(values, nil)
	return summary{len(values), m, d, floats.Max(values)}
}

// text is "mean ± deviation", with three decimals.
func (s summary) text() string {
	if s.count < 2 {
		return fixed(s.mean, 3)
	}
	return fixed(s.mean, 3) + " ± " + fixed(s.deviation, 3)
}

// numbers are count, mean, deviation and best for a CSV file.
func (s summary) numbers() []string {
	return []string{strconv.Itoa(s.count), number(s.mean), number(s.deviation), number(s.best)}
}

// none marks a missing value.
const none = "–"

// fixed formats a value as the tables show it: .734, −.012, 1.25.
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

// difference formats a value with its sign.
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

// appendTo names a line and appends the mean and its deviation to it, at x.
func (s summary) appendTo(line *figure.Series, name string, x float64) {
	line.Name, line.X, line.Y, line.Deviation = name, append(line.X, x), append(line.Y, s.mean), append(line.Deviation, s.deviation)
}
