package recipe

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/stat"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// The kinds of columns that become features.
const (
	// kindNumber is one feature (x − mean)/σ, where σ is the standard deviation, divided
	// by n, over the nodes with a value. Gaps become 0, the mean, and 1 in a second
	// feature, if there are any.
	kindNumber = "number"
	// kindCategory is one feature for each value, 1 for the nodes that have it. Two nodes
	// of different categories are at most as far apart as two nodes are on average in a
	// standardized number.
	kindCategory = "category"
	// kindDate is the time in years as a number, with its gaps; if there are dates in three
	// months or more, the cosine and the sine of the time of the year; and if they are on
	// three days of the week or more, one feature for each of the seven.
	kindDate = "date"
	// kindText is one feature for each word that at least two nodes and at most half of
	// them have: TF-IDF, its count in the node times ln((1 + n)/(1 + df)) + 1, where df of
	// n nodes have the word, with each node's weights scaled to length 1. Words are runs
	// of letters, digits and underscores, in lower case, and emojis ([eachWord]).
	kindText = "text"
	// kindTags is lists of words, such as ml;ai: one feature for each word that at least two
	// nodes have, but not all, 1/√m for the nodes that have it among m such words. So a list
	// counts as much as a category, however many words it has.
	kindTags = "tags"
)

// Names of the options that messages advise: fields of package input's Source.
const (
	columnsText     message.Option = "Source.Columns.Text"
	columnsCategory message.Option = "Source.Columns.Category"
	columnsNumber   message.Option = "Source.Columns.Number"
	columnsDrop     message.Option = "Source.Columns.Drop"
	idOption        message.Option = "Source.ID"
)

// Recipe says how a table's columns become features. Its zero value makes none.
type Recipe struct {
	Columns []Column `json:"columns"`
}

// Column says how one column becomes features.
type Column struct {
	Name    string `json:"name"`              // or the column's number from 1 if it has none
	Unnamed bool   `json:"unnamed,omitempty"` // it has none
	Kind    string `json:"kind"`              // "number", "category", "date", "text" or "tags"
	// Mean and Deviation standardize a number, or a date in years: (x − Mean)/Deviation.
	Mean      float64   `json:"mean,omitempty"`
	Deviation float64   `json:"deviation,omitempty"`
	Gaps      bool      `json:"gaps,omitempty"`   // a second feature of a number is 1 where it is missing
	Values    []string  `json:"values,omitempty"` // of a category, or words of a text or of lists, sorted
	IDF       []float64 `json:"idf,omitempty"`    // the words' weights
	// Notation is how a number is written, for text: 0 with a decimal point.
	Notation int `json:"notation,omitempty"`
	// Sentinels are numbers, or dates in years, that stand for missing values.
	Sentinels []float64 `json:"sentinels,omitempty"`
	// Units are those that numbers in a text have, such as kg or %, if they have any.
	Units []string `json:"units,omitempty"`
	// Separator is what stands between the words of a list, such as ";", or "[]" if the list is in brackets.
	Separator string `json:"separator,omitempty"`
	// Layout is how a date is written, in the form of package time, and Parts are the
	// further features made of it: "season", "weekday".
	Layout string   `json:"layout,omitempty"`
	Parts  []string `json:"parts,omitempty"`
}

// Validate returns an error if a column of the recipe, which may come from a damaged file, has no known kind or
// lacks what its kind needs to make features.
func (r *Recipe) Validate() error {
	for _, c := range r.Columns {
		standardizes := c.Deviation > 0 && !math.IsInf(c.Deviation, 1) && !math.IsNaN(c.Mean) && !math.IsInf(c.Mean, 0)
		isNumber := standardizes && table.Notation(c.Notation).Valid()
		isUnknown := func(part string) bool { return part != partSeason && part != partWeekday }
		valid := false
		switch c.Kind {
		case kindNumber:
			valid = isNumber
		case kindCategory:
			valid = true
		case kindTags:
			valid = c.Separator != ""
		case kindText:
			valid = len(c.IDF) == len(c.Values)
		case kindDate:
			valid = isNumber && c.Layout != "" && !slices.ContainsFunc(c.Parts, isUnknown)
		}
		if !valid {
			return fmt.Errorf("recipe: column %s: kind %s with mean %v, deviation %v, %d values and %d weights", message.Quote(c.Name), message.Quote(c.Kind), c.Mean, c.Deviation, len(c.Values), len(c.IDF))
		}
	}
	return nil
}

// Columns says which columns of a table become features, and how. Columns are given by
// name or by their number from 1.
type Columns struct {
	// Text, Category and Number are columns of that kind. Words in a column of Number are
	// gaps, if half of its values are numbers, and units are left out. Default for the
	// others: numbers if all values are, perhaps with the same unit; else tags if they are lists whose words
	// recur; else dates if all are; else categories if there are at most
	// max(20, min(200, n/10)) of them and at most n/2; else text if the values have three
	// words with letters or more on average; else nothing. Columns that other columns, the classes or an
	// earlier run tell, and keys, become nothing, but for those that are named here or in Only
	// ([New], [NewBeside]).
	Text, Category, Number []string
	// Only, if not empty, are the only features besides Text, Category and Number.
	Only []string
	// Drop are columns that become no features.
	Drop []string
	// Types are those of other columns. A column that the table lacks is an error. Default: they
	// are guessed.
	Types Types
}

// Names returns the names of all columns in the options other than Types.
func (o Columns) Names() []string { return slices.Concat(o.Text, o.Category, o.Number, o.Only, o.Drop) }

// New returns the recipe for a table of nodes, with notes about each column and
// warnings about those that it leaves out: with fewer than two values; with results of an earlier run
// ([resultColumns]); with keys ([keyKindOf]); those that number the rows
// ([numbersRows]); and those that repeat another column ([copiesOf]). It leaves out no
// column that the options name. Unknown columns, and values that are not finite or do not fit the kind are errors.
func New(t *table.Table, o Columns) (r *Recipe, remarks table.Remarks, err error) {
	return NewBeside(nil, t, o)
}

// NewBeside is New for nodes whose classes are known: labels has the class of each row, or [graph.Unknown]; nil
// if no classes are known. It also leaves out the columns that tell the classes ([twinOf]), as a code or another
// name of them does: a score would compare the classes with themselves. Labels do nothing else.
func NewBeside(labels []int, t *table.Table, o Columns) (r *Recipe, remarks table.Remarks, err error) {
	kinds, err := o.kinds(t)
	if err != nil {
		return nil, remarks, err
	}
	l := learning{table: t, options: o, labels: labels, kinds: kinds, results: resultColumns(t), marks: marksOf(t, labels), warnings: table.NotesOf(t)}
	var columns []learned
	summaries := map[int]message.Message{} // of the columns, for the notes
	for k := range t.Columns {
		kind, why, ok := l.kindOf(k)
		if !ok {
			continue
		}
		column, note, err := l.learn(k, kind, why)
		if err != nil {
			return nil, remarks, err
		}
		if column == nil {
			l.warnings.Add(k, note, "")
			continue
		}
		_, named := kinds[k]
		columns, summaries[k] = append(columns, learned{*column, k, named}), note
	}
	r = &Recipe{}
	notes := table.NotesOf(t)
	for i, other := range copiesOf(t, columns) {
		c := &columns[i]
		if other >= 0 {
			l.warnings.Add(c.index, asCopy(c.Kind, columns[other].Kind, t.Label(columns[other].index)), "")
			continue
		}
		notes.Add(c.index, summaries[c.index], "")
		r.Columns = append(r.Columns, c.Column)
	}
	for _, note := range notes.Lines() {
		remarks.Note("%s", note)
	}
	remarks.Warnings = l.warnings.Lines()
	return r, remarks, nil
}

// learning is what is known of a table while its recipe is learned.
type learning struct {
	table    *table.Table
	options  Columns
	labels   []int              // the class of each row; nil if no classes are known
	kinds    map[int]string     // of the columns that the options name, by their index
	results  map[int]bool       // the columns with results of an earlier run
	marks    map[int]bool       // the columns of a set that marks the classes
	warnings *table.ColumnNotes // about the columns
}

// isGuessed reports whether the kind of column k follows from its values.
func (l *learning) isGuessed(k int) bool {
	kind, named := l.kinds[k]
	return !named || kind == byDefault
}

// kindOf returns the kind of column k; leaveOut, and why, if its values fit none. It returns false for a column that
// the options leave out, and, with a warning, for one that they do not name and that says nothing of the nodes.
func (l *learning) kindOf(k int) (kind string, why message.Message, ok bool) {
	t := l.table
	kind, named := l.kinds[k]
	isNumbering := false
	if !named {
		why, isNumbering = numbersRows(t, k)
	}
	switch {
	case named && kind == leaveOut, !named && len(l.options.Only) > 0: // in Drop, or not in Only
		return "", why, false
	case !named && l.results[k]:
		l.warnings.Add(k, ofEarlierRun(&t.Columns[k]), "")
		return "", why, false
	case isNumbering:
		l.warnings.Add(k, why, "")
		return "", why, false
	}
	if l.isGuessed(k) {
		kind, why = kindOf(t, k, l.options.Types[t.Columns[k].Name])
	}
	if named {
		return kind, why, true
	}
	if l.marks[k] {
		l.warnings.Add(k, asMark(kind), "")
		return "", why, false
	}
	kind = judge(t, k, kind, l.labels, l.warnings)
	return kind, why, kind != said
}

// learn returns how column k becomes features of a kind, with a note; nil if it is left out, and the note says why.
// It warns of what is guessed.
func (l *learning) learn(k int, kind string, why message.Message) (column *Column, note message.Message, err error) {
	t, c := l.table, &l.table.Columns[k]
	if _, named := l.kinds[k]; kind == leaveOut && named {
		return nil, note, message.Errorf("%s: column %s: %d different values in %d rows are neither categories nor text: want %s or %s for it", t.Path, t.Label(k), len(c.Values), t.Rows, columnsCategory, columnsText)
	}
	guessed := l.isGuessed(k)
	column, words, note, err := newColumn(t, k, kind, why, guessed)
	if err != nil {
		return nil, note, err
	}
	warning, several := warnOfUnits(c)
	if several && guessed && kind != kindNumber && l.options.Types[c.Name] != kindCategory {
		l.warnings.Add(k, warning, "")
	}
	if column == nil {
		return nil, note, nil
	}
	if guessed {
		l.warnOfGuess(k, column)
	}
	if len(words) > 0 {
		what := "numbers"
		if kind == kindDate {
			what = "dates"
		}
		l.warnings.Add(k, message.Sprintf("no %s, taken as gaps: %s", what, message.Shorten(strings.Join(words, ", "))), "")
	}
	if len(column.Sentinels) > 0 {
		l.warnings.Add(k, column.sentinelWarning(t, k), "")
	}
	return column, note, nil
}

// warnOfGuess warns of column k, which becomes what column says, if its words are taken for numbers or lists.
func (l *learning) warnOfGuess(k int, column *Column) {
	c := &l.table.Columns[k]
	switch {
	case column.Kind == kindNumber && c.Numbers == nil: // as in Parquet
		text := message.Sprintf("text whose values are numbers, or durations in hours, counts as numbers")
		if len(column.Units) > 0 {
			text = message.Sprintf("numbers with a unit count as numbers")
		}
		first := slices.IndexFunc(c.Values, func(value string) bool { return !table.IsMissing(value) })
		l.warnings.Add(k, text.Advise("%s keeps it as categories", columnsCategory, ""), message.Quote(c.Values[first]))
	case column.Kind == kindTags && column.Separator != tagList:
		text := message.Sprintf("lists with %q between words become tags, a feature for each word", column.Separator)
		text = text.Advise("%s keeps each list as a category", columnsCategory, "").Advise("%s takes it as text", columnsText, "")
		first := slices.IndexFunc(c.Values, func(value string) bool { return strings.Contains(value, column.Separator) })
		l.warnings.Add(k, text, message.Quote(c.Values[first]))
	}
}

// said is the kind of a column that is left out and of which a warning says so.
const said = "said"

// judge returns the kind of column k of a table, which the options do not name and whose values look like a kind:
// another one if its numbers are keys, and said if they are, or the column tells the classes, labels. It adds a
// warning about what it found.
func judge(t *table.Table, k int, kind string, labels []int, warnings *table.ColumnNotes) string {
	if kind == leaveOut {
		return kind
	}
	if values := twinOf(t, k, kind, labels, len(t.Columns)); values > 0 {
		warnings.Add(k, asTwin(kind, values), "")
		return said
	}
	if kind != kindNumber {
		return kind
	}
	c, ok := digitsOf(&t.Columns[k])
	if !ok {
		return kind
	}
	key := keyKindOf(t, c)
	if key != isMeasure {
		warnings.Add(k, key.message(), firstValues(&t.Columns[k]))
	}
	switch key {
	case isKey:
		return said
	case isCode:
		return kindCategory
	}
	return kind
}

// leaveOut is the kind of a column that becomes no features, and byDefault of one whose kind follows from its
// values.
const leaveOut, byDefault = "", "default"

// newColumn returns how column k of a table becomes features of a kind; the words among its numbers,
// quoted, which count as gaps; and a note. Column is nil if it is left out, and the note says why: if
// kind is leaveOut, it is the message why. Only if the kind is guessed do sentinels count as gaps.
func newColumn(t *table.Table, k int, kind string, why message.Message, guessed bool) (column *Column, words []string, note message.Message, err error) {
	c := &t.Columns[k]
	column = &Column{Name: cmp.Or(c.Name, t.Label(k)), Unnamed: c.Name == "", Kind: kind}
	distinct, gaps := c.Distinct(), c.Missing()
	if kind == kindCategory {
		column.Values = slices.Sorted(slices.Values(c.Texts()))
		distinct = len(column.Values)
	}
	var numbers []float64
	summary := "number, standardized" // for the note
	switch {
	case distinct == 0:
		return nil, nil, message.Sprintf("left out, it has no values"), nil
	case distinct == 1:
		return nil, nil, message.Sprintf("left out, all values are the same"), nil
	case kind == leaveOut:
		return nil, nil, why, nil
	case kind == kindCategory:
		return column, words, withGaps(fmt.Sprintf("%d categories", distinct), gaps, "of no category"), nil
	case kind == kindText:
		all := column.learnWords(c)
		if len(column.Values) == 0 {
			return nil, nil, message.Sprintf("left out, none of its %d words is in at least two nodes and at most half of them", all), nil
		}
		return column, words, withGaps(fmt.Sprintf("text, TF-IDF of %d of %d words", len(column.Values), all), gaps, "without words"), nil
	case kind == kindTags:
		all := column.learnTags(c)
		if len(column.Values) == 0 {
			return nil, nil, message.Sprintf("left out, none of the %d words in its lists is in at least two nodes and not in all", all), nil
		}
		return column, words, withGaps(fmt.Sprintf("tags, a feature for each of %d of %d words in lists", len(column.Values), all), gaps, "without tags"), nil
	case kind == kindDate:
		layout, err := dateLayout(c)
		if err == nil && layout == "" {
			return nil, nil, note, fmt.Errorf("%s: column %s: %s: want dates, such as 2006-01-02", t.Path, t.Label(k), message.Quote(c.Texts()[0]))
		}
		if err != nil {
			return nil, nil, message.Sprintf("left out, %v", err), nil
		}
		column.learnDates(c, layout)
		numbers = column.years(c)
		words = dateGaps(c)
		if guessed {
			column.Sentinels = sentinelsOf(numbers, isFirstOrLastDay)
			numbers = column.withoutSentinels(numbers)
		}
	default:
		if numbers, words, column.Units, err = numbersOf(t, k); err != nil {
			return nil, nil, note, err
		}
		if guessed {
			column.Sentinels = sentinelsOf(numbers, isNines)
			numbers = column.withoutSentinels(numbers)
		}
		column.Notation = int(c.Notation)
		summary = "number" + column.inUnits() + ", standardized"
		if len(column.Units) == 0 && mayBeCodes(numbers, distinct) {
			summary += fmt.Sprintf(" (%d whole numbers: if they are codes, make it a category)", distinct)
		}
	}
	present := slices.DeleteFunc(slices.Clone(numbers), math.IsNaN)
	column.Mean, column.Deviation = stat.PopMeanStdDev(present, nil)
	if !(column.Deviation > 0) || math.IsInf(column.Deviation, 1) || math.IsNaN(column.Mean) {
		return nil, nil, note, fmt.Errorf("%s: column %s: standard deviation %v: want numbers that differ and are at most about 1e150", t.Path, t.Label(k), column.Deviation)
	}
	gaps = len(numbers) - len(present)
	column.Gaps = gaps > 0
	if kind == kindDate {
		summary = fmt.Sprintf("dates, %d features", len(column.featureNames(false)))
	}
	return column, words, withGaps(summary, gaps, "filled with the mean and marked"), nil
}

// withGaps returns a note, with the number of gaps and what becomes of them if there are any.
func withGaps(note string, gaps int, what string) message.Message {
	if gaps == 0 {
		return message.Sprintf("%s", note)
	}
	return message.Sprintf("%s; %s, %s", note, english.Plural(gaps, "gap", ""), what)
}

// numbersOf returns the numbers in the rows of column k of a table, NaN where one is missing, and the units
// that they have. In a column of words of which half, at least, are different numbers, the other words count
// as missing, and are returned, quoted; with fewer numbers, a word is an error, and so is a number that is
// infinite.
func numbersOf(t *table.Table, k int) (numbers []float64, words, units []string, err error) {
	c := &t.Columns[k]
	if c.Numbers != nil {
		if row := slices.IndexFunc(c.Numbers, func(v float64) bool { return math.IsInf(v, 0) }); row >= 0 {
			return nil, nil, nil, t.Errorf(row, "column %s: %v: want a finite number", t.Label(k), c.Numbers[row])
		}
		return c.Numbers, nil, nil, nil
	}
	values, others, units := parseNumbers(c)
	if 2*len(others) > len(c.Values) {
		row := slices.Index(c.Codes, int32(slices.Index(c.Values, others[0])))
		return nil, nil, nil, t.Errorf(row, "column %s: %s: want a number", t.Label(k), message.Quote(others[0]))
	}
	for _, word := range others {
		words = append(words, message.Quote(word))
	}
	return c.PerRow(values), words, units, nil
}

// parseNumbers returns the numbers that the distinct words of a column are ([table.Column.ParseNumbers]), and
// the words that are none. If more words are numbers with units, these are the numbers, and the units are
// returned too.
func parseNumbers(c *table.Column) (values []float64, others, units []string) {
	values, others = c.ParseNumbers()
	if len(others) == 0 {
		return values, others, nil
	}
	q := c.ParseQuantities()
	units, _ = unitsOf(c, q)
	units = slices.DeleteFunc(units, func(unit string) bool { return unit == "" })
	if len(units) == 0 {
		return values, others, nil
	}
	c.Notation = q.Notation
	return q.Values, q.Others, units
}
