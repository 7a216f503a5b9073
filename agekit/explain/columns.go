package explain

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
)

// columnKind is what the values of a feature say to a reader.
type columnKind int

const (
	words      columnKind = iota // how often a word is in a text, or whether a node has something
	tags                         // whether a word is in a list
	yesNo                        // a column of the answers yes and no
	categories                   // whether a node is of one category of several
	missing                      // whether a number or a date is missing
	weekdays                     // whether a date is on a day of the week
	numbers
	times
	seasons // the time of the year, whose two features mean little alone
)

// column describes one feature.
type column struct {
	name string // the name of the feature or, without names, its number
	kind columnKind
	// column is the name of the user's column of which the feature is made, and value the category. For a
	// word, and without a recipe, column is the feature's name and value is "".
	column, value string
	// part is the number of the user's column, and −1 if the feature is made of none or is a word. values is
	// the number of categories in the column, and 0 if it has no categories.
	part, values int
	// numbered says that the name is only a number and tells nothing ([Feature]), and stopWord that the
	// feature is a stop word.
	numbered, stopWord bool
	// centered says, for a column of yes and no, that the mean is subtracted: no is a value below 0, and yes
	// one above. gaps says that a missing value is 0.
	centered, gaps bool
}

// binary reports whether nodes either have the feature or not.
func (c *column) binary() bool { return c.kind < numbers }

// present returns the tally of the nodes that have the feature, from the tally t of the nodes whose value is
// not 0.
func (c *column) present(t tally) tally {
	if c.centered {
		return tally{count: t.count - t.negative}
	}
	return t
}

// absent returns how many nodes are known to lack the feature. t is the tally of the values that are not 0,
// and nodes the number of all nodes, with those whose value is 0.
func (c *column) absent(t tally, nodes int) int {
	if c.centered {
		return t.negative
	}
	return nodes - t.count
}

// columnsOf describes each feature of g. totals has the tally of each feature over all nodes. The first
// features are those that the recipe how makes of a table; how may be nil. For another feature, the values
// decide. If all are 0 or 1, or if none is below 0 and fewer than half of the nodes have one above, the
// feature is present or absent: a column of yes and no if the matrix is dense, all values are 0 or 1 and the
// name is not that of a category, "column = value"; otherwise a word. Any other feature is a number.
func columnsOf(g *graph.Graph, how *recipe.Recipe, totals []tally) []column {
	columns := make([]column, len(totals))
	onlyNumber := numbered(g.FeatureNames)
	var parts []recipe.Part
	if how != nil {
		parts = how.Parts()
	}
	for j, total := range totals {
		c := &columns[j]
		*c = column{name: strconv.Itoa(j), numbered: true, part: -1}
		if g.FeatureNames != nil {
			c.name, c.numbered = g.FeatureNames[j], onlyNumber[j]
		}
		c.column = c.name
		if j < len(parts) {
			c.fromTable(parts[j], &how.Columns[parts[j].Column])
			continue
		}
		isBinary := total.sum == float64(total.count) && total.squares == float64(total.count) // only 0 and 1
		switch {
		case isBinary && g.Features.Sparse == nil && !strings.Contains(c.name, " = "):
			c.kind = yesNo
		case !isBinary && (total.negative > 0 || 2*total.count >= g.N()):
			c.kind = numbers
		}
	}
	return columns
}

// fromTable sets the fields of c for a feature that a recipe makes of a user's column: part is the feature,
// and from the column.
func (c *column) fromTable(part recipe.Part, from *recipe.Column) {
	if part.Kind == recipe.WordPart {
		c.stopWord = strings.Contains(stopWords, " "+part.Value+" ")
		return
	}
	if part.Kind == recipe.TagPart { // of which a node may have several
		c.kind, c.column = tags, part.Value
		return
	}
	c.column, c.value, c.part, c.gaps = from.Name, part.Value, part.Column, from.Gaps
	switch part.Kind {
	case recipe.CategoryPart:
		c.kind, c.values = categories, len(from.Values)
		if isYesNo(from.Values) && (isYes(c.value) || isNo(c.value)) {
			c.kind = yesNo
		}
	case recipe.MissingPart:
		c.kind = missing
	case recipe.WeekdayPart:
		c.kind = weekdays
	case recipe.SeasonPart:
		c.kind = seasons
	case recipe.TimePart:
		c.kind = times
	default:
		c.kind = numbers
		// Numbers between 0 and 1 have this variance if all are 0 or 1, and a smaller one otherwise.
		if most := from.Mean * (1 - from.Mean); math.Abs(from.Deviation*from.Deviation-most) <= 1e-9*most {
			c.kind, c.centered = yesNo, true
		}
	}
}

// isYesNo reports whether the categories of a column are yes and no, in a language of yesWords and noWords, and
// perhaps a third one, such as unknown.
func isYesNo(values []string) bool {
	return len(values) <= 3 && slices.ContainsFunc(values, isYes) && slices.ContainsFunc(values, isNo)
}

func isYes(word string) bool { return slices.Contains(yesWords, strings.ToLower(word)) }
func isNo(word string) bool  { return slices.Contains(noWords, strings.ToLower(word)) }

// yesWords and noWords are in English, German, French, Spanish, Portuguese, Italian, Dutch, Polish and Russian.
var (
	yesWords = []string{"yes", "y", "true", "t", "1", "1.0", "ja", "j", "wahr", "oui", "vrai", "sí", "si", "sì", "sim", "tak", "да", "verdadero", "verdadeiro", "vero"}
	noWords  = []string{"no", "n", "false", "f", "0", "0.0", "nein", "falsch", "non", "faux", "não", "nao", "nee", "nie", "нет", "falso"}
)

// asked returns the name of a column of yes and no without a verb before it: feathers for has_feathers and
// hasFeathers. The column may be of what a node is, as is_member is, so that with and without do not suit it.
func asked(name string) (what string, is bool) {
	for _, verb := range []string{"has", "is"} {
		rest, ok := strings.CutPrefix(name, verb)
		first, _ := utf8.DecodeRuneInString(rest)
		switch {
		case !ok:
		case first == '_' || first == ' ' || first == '.':
			what = rest[1:]
		case unicode.IsUpper(first):
			what = strings.ToLower(rest[:1]) + rest[1:]
		}
		if what != "" {
			return what, verb == "is"
		}
	}
	return name, false
}

// phrase returns a few words that say that a node has the feature (for numbers: a high one) or, if has is
// false, that it lacks the feature (a low one). It returns "" if there are no such words, or if the other
// category of two says the same.
func (c *column) phrase(has bool) string {
	feature := shortened(c.column)
	choose := func(yes, no string) string {
		if has {
			return yes
		}
		return no
	}
	switch {
	case c.stopWord, c.kind == seasons, c.values == 2 && !has:
		return ""
	case c.kind == tags:
		return choose("with ", "without ") + feature
	case c.kind == yesNo && c.values > 2 && !has: // it may be the third
		return ""
	case c.kind == yesNo:
		what, is := asked(c.column)
		no := has == isNo(c.value)
		switch {
		case is && no:
			return "not " + shortened(what)
		case is:
			return shortened(what)
		case no:
			return "without " + shortened(what)
		}
		return "with " + shortened(what)
	case c.kind == categories:
		return feature + choose(" ", " not ") + shortened(c.value)
	case c.kind == missing:
		return choose(feature+" missing", "")
	case c.kind == weekdays:
		return choose(shortened(c.name), "")
	case c.kind == numbers:
		return choose("high ", "low ") + feature
	case c.kind == times:
		return choose("late ", "early ") + feature
	}
	return choose("", "without ") + feature
}

// shortened returns the name, cut to termLength letters if it is longer.
func shortened(name string) string {
	letters := []rune(name)
	if len(letters) > termLength {
		return string(letters[:termLength-1]) + "…"
	}
	return name
}

// numbered reports for each name whether it differs from many others only by the number at its end, as those
// of an embedding's dimensions do. A number that is a value, as in "year = 1990" or "title: 1990", does not
// count.
func numbered(names []string) []bool {
	stem := func(name string) string { return strings.TrimRight(name, "0123456789") }
	count := map[string]int{}
	for _, name := range names {
		count[stem(name)]++
	}
	isNumbered := make([]bool, len(names))
	for j, name := range names {
		s := stem(name)
		hasValue := strings.Contains(name, " = ") || strings.Contains(name, ": ")
		isNumbered[j] = s != "" && s != name && count[s] >= leastNumbered && !hasValue
	}
	return isNumbered
}
