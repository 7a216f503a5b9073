package recipe

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/table"
)

// tagList is the separator of lists that are written in brackets ([table.WordsOf]).
const tagList = "[]"

// tagSeparators are what else stands between the words of a list.
var tagSeparators = []string{";", "|", "\n", "、", "；", ",", "，", "/"}

// splitTags returns the different words of a list, in the order of the list. The list is in brackets, or its
// words are separated by separator, unless that is tagList.
func splitTags(text, separator string) (tags []string) {
	list, ok := table.WordsOf(text)
	switch {
	case ok:
	case separator == tagList:
		list = []string{text}
	default:
		list = strings.Split(text, separator)
	}
	for _, tag := range list {
		if tag = strings.TrimSpace(tag); !table.IsMissing(tag) && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// tagSeparator returns what separates the words of the lists that the values of a column are: tagList if they
// are in brackets, or one of tagSeparators. It returns "" if they are no lists whose words recur.
func tagSeparator(c *table.Column) string {
	rows := make([]int, len(c.Values)) // how many rows have each value
	for _, code := range c.Codes {
		if code >= 0 {
			rows[code]++
		}
	}
	inBrackets := func(value string) bool {
		_, ok := table.WordsOf(value)
		return ok
	}
	if len(c.Values) > 0 && !slices.ContainsFunc(c.Values, func(value string) bool { return !inBrackets(value) && !table.IsMissing(value) }) {
		s := statisticsOfTags(c.Values, rows, tagList)
		const rowsPerCode = 2                                // if the words are numbers
		isRecord := s.isEven && s.several > 0 && s.free == 0 // as in ('Doe', 'John')
		areCodes := !s.areNumbers || s.occurrences >= rowsPerCode*s.words && !s.isFractions && !s.isTuples
		if s.recur > 0 && areCodes && !isRecord {
			return tagList
		}
		return ""
	}
	for _, separator := range tagSeparators {
		if s := statisticsOfTags(c.Values, rows, separator); s.areTags(separator) {
			return separator
		}
	}
	return ""
}

// tagStatistics is what tells lists of words from other texts with a separator.
type tagStatistics struct {
	values, words int     // how many different values and words there are
	rows          int     // how many rows have a value
	several       int     // how many of them have several words
	occurrences   int     // how many words all rows have
	recur         float64 // the share of the occurrences of words that are in two rows or more
	// free is the share of the occurrences, in rows with several words, of words that come first in some
	// row and later in another: in Doe, John and in Paris, France no word does.
	free        float64
	length      float64 // the mean number of parts, between spaces, of a word
	isEven      bool    // all rows have as many words
	areNumbers  bool    // all words are numbers
	isTuples    bool    // and all rows have as many: a point, perhaps
	isFractions bool    // some words are fractions: no names
}

// statisticsOfTags splits the distinct values of a column, each of which rows[k] rows have.
func statisticsOfTags(values []string, rows []int, separator string) tagStatistics {
	type word struct{ rows, first, later, several int } // in how many rows it is, and where
	words := map[string]*word{}
	s := tagStatistics{values: len(values), isEven: true}
	width, parts := -1, 0
	for k, value := range values {
		tags := splitTags(value, separator)
		places := strings.Count(value, separator)
		if separator == tagList {
			list, _ := table.WordsOf(value)
			places = len(list)
		}
		if width < 0 {
			width = places
		}
		s.isEven = s.isEven && places == width
		s.rows += rows[k]
		if len(tags) > 1 {
			s.several += rows[k]
		}
		for place, tag := range tags {
			w := words[tag]
			if w == nil {
				w = &word{}
				words[tag] = w
			}
			w.rows += rows[k]
			if place == 0 {
				w.first += rows[k]
			} else {
				w.later += rows[k]
			}
			if len(tags) > 1 {
				w.several += rows[k]
			}
		}
	}
	s.areNumbers = true
	recurring, free, several := 0, 0, 0
	for tag, w := range words {
		isNumber := table.IsNumber(tag)
		s.areNumbers = s.areNumbers && isNumber
		s.isFractions = s.isFractions || isNumber && !table.IsDigits(strings.TrimLeft(tag, "-+"))
		s.occurrences += w.rows
		parts += w.rows * len(strings.Fields(tag))
		several += w.several
		if w.rows > 1 {
			recurring += w.rows
		}
		if w.first > 0 && w.later > 0 {
			free += w.several
		}
	}
	s.words = len(words)
	s.isTuples = s.isEven && s.areNumbers
	s.recur = float64(recurring) / float64(max(1, s.occurrences))
	s.free = float64(free) / float64(max(1, several))
	s.length = float64(parts) / float64(max(1, s.occurrences))
	return s
}

// areTags reports whether the values are lists: several rows have several words, which recur more often than
// whole values do, in no fixed place, and are short.
func (s tagStatistics) areTags(separator string) bool {
	const (
		leastRows, leastShare = 3, 0.15 // with several words
		leastFree             = 0.25
		oftener               = 1.5 // a word is in so many times as many rows as a value
		longest               = 3.
	)
	leastRecur := 0.6
	if separator == "," || separator == "/" { // which other texts have too
		leastRecur = 0.8
	}
	perWord := float64(s.occurrences) / float64(max(1, s.words))
	perValue := float64(s.rows) / float64(max(1, s.values))
	return s.several >= leastRows && float64(s.several) >= leastShare*float64(s.rows) && s.words < s.values &&
		s.recur >= leastRecur && s.free >= leastFree && perWord >= oftener*perValue && s.length <= longest && !s.isTuples
}

// learnTags sets c.Separator, and c.Values to the words of the lists in a column that become features: those
// that two nodes have at least, and not all nodes, the most frequent mostWords of them. It returns how many
// different words the column has in all.
func (c *Column) learnTags(column *table.Column) (all int) {
	c.Separator = cmp.Or(tagSeparator(column), frequentSeparator(column))
	nodes := map[string]int{} // how many nodes have each word
	for row := range column.Len() {
		text, _ := column.Text(row)
		for _, tag := range splitTags(text, c.Separator) {
			nodes[tag]++
		}
	}
	for tag, count := range nodes {
		if count >= 2 && count < column.Len() {
			c.Values = append(c.Values, tag)
		}
	}
	slices.SortFunc(c.Values, func(a, b string) int { return cmp.Or(nodes[b]-nodes[a], strings.Compare(a, b)) })
	c.Values = c.Values[:min(len(c.Values), mostWords)]
	slices.Sort(c.Values)
	return len(nodes)
}

// frequentSeparator returns the separator that most values of a column have, which is known to hold lists.
func frequentSeparator(c *table.Column) string {
	most, found := 0, tagList
	for _, separator := range tagSeparators {
		count := 0
		for _, value := range c.Texts() {
			if strings.Contains(value, separator) {
				count++
			}
		}
		if count > most {
			most, found = count, separator
		}
	}
	return found
}

// tags calls put with 1/√m for each of the m known words of a list, so that a node with several words counts as
// much as one with one, and two nodes without a word in common are as far apart as two of different
// categories. Place is the place of each word in c.Values, and from is the feature of the first. If no word
// is known, tags returns the text, else "".
func (c *Column) tags(text string, place map[string]int, from int, put func(int, float32)) (unknown string) {
	var known []int
	for _, tag := range splitTags(text, c.Separator) {
		if j, ok := place[tag]; ok {
			known = append(known, j)
		}
	}
	slices.Sort(known)
	for _, j := range known {
		put(from+j, float32(1/math.Sqrt(float64(len(known)))))
	}
	if len(known) == 0 {
		return text
	}
	return ""
}
