package table

import (
	"slices"
	"strconv"
	"strings"
)

// hasHeader decides whether the first record names the columns ([Options]). It does if
// the user names one of them, if a column has keys of another table and it has none, or if a
// column holds numbers and it a word. It does not if it holds a number, or a key. Otherwise it
// does unless the rows are pairs; if they are, it does if it has two names of ends, or if neither
// of its ends is in another row while those of nearly all rows are.
func (s style) hasHeader(records [][]string, o Options) bool {
	if o.Header != nil {
		return *o.Header
	}
	first := records[0]
	rest := slices.DeleteFunc(slices.Clone(records[1:]), func(r []string) bool { return len(r) != len(first) })
	for _, name := range o.Names {
		if k, err := strconv.Atoi(name); err == nil && 1 <= k && k <= len(first) {
			continue // the number of a column
		}
		if name != "" && slices.ContainsFunc(first, func(field string) bool { return strings.TrimSpace(field) == name }) {
			return true
		}
	}
	count := func(column int, is func(field string) bool) (rows int) {
		for _, r := range rest {
			if is(strings.TrimSpace(r[column])) {
				rows++
			}
		}
		return rows
	}
	for k, field := range first {
		if o.IsKey == nil {
			break
		}
		if keys := count(k, o.IsKey); keys > 0 && 10*keys >= 9*len(rest) {
			return !o.IsKey(strings.TrimSpace(field))
		}
	}
	if slices.ContainsFunc(first, IsNumber) {
		return false
	}
	known := 0
	for k, field := range first {
		name := plainName(field)
		isEnd := slices.Contains(sourceNames, name) || slices.Contains(targetNames, name)
		// The values u and v occur again in a list of pairs without a header.
		if isEnd && !slices.ContainsFunc(rest, func(r []string) bool { return slices.Contains(r, field) }) {
			known++
		}
		if numbers := count(k, IsNumber); numbers > 0 && numbers+count(k, IsMissing) == len(rest) {
			return true
		}
	}
	return !o.Pairs || known >= 2 || standsAlone(first, rest)
}

// standsAlone reports whether neither end of the first pair is an end of another, while
// nine tenths of the others share one, and there are enough to tell.
func standsAlone(first []string, rest [][]string) bool {
	const enough = 9
	if len(rest) < enough || len(first) < 2 {
		return false
	}
	times := map[string]int{}
	for _, r := range append(rest, first) {
		times[r[0]]++
		times[r[1]]++
	}
	alone := 0
	for _, r := range rest {
		if times[r[0]] == 1 && times[r[1]] == 1 {
			alone++
		}
	}
	return times[first[0]] == 1 && times[first[1]] == 1 && 10*alone <= len(rest)+1
}

// Pair says which columns of a table of pairs hold what.
type Pair struct {
	Source, Target int // the two ends
	Weight         int // a number of each pair; −1 for none
	// Numbering is the column before the ends that numbers the rows, and is no end; −1 for none.
	Numbering int
	// Unlike says that the ends have no names of ends, and names of different kinds of things, as
	// person and event.
	Unlike bool
}

// FindPair finds the columns of a table of pairs, which has two columns or more, and of which
// sample has the first rows. The ends are the columns that are named so, as programs name them
// (source, target, from, to, …), or else the first two that do not number the rows; these are the
// first two columns if anyEnds is set. The weight has such a name (weight, value, …), or is a third
// column without a name that has a number.
func FindPair(names []string, sample [][]string, anyEnds bool) Pair {
	named := func(known []string) int {
		return slices.IndexFunc(names, func(name string) bool { return slices.Contains(known, plainName(name)) })
	}
	p := Pair{Source: named(sourceNames), Target: named(targetNames), Weight: named(weightNames), Numbering: -1}
	if p.Weight < 0 && len(names) == 3 && names[2] == "" && slices.ContainsFunc(sample, func(row []string) bool { return IsNumber(row[2]) }) {
		p.Weight = 2
	}
	if p.Source >= 0 && p.Target >= 0 {
		return p
	}
	p.Source, p.Target = 0, 1
	next := 2
	if next == p.Weight {
		next++
	}
	if next < len(names) && !anyEnds && countsRows(names, sample) {
		p.Numbering, p.Source, p.Target = 0, 1, next
	}
	p.Unlike = kindOfEnd(names[p.Source]) != kindOfEnd(names[p.Target])
	return p
}

// plainName returns the name of a column in lower case, without what graph databases add, as
// in :START_ID(Person), _from, ~from and weight:double.
func plainName(name string) string {
	name = strings.ToLower(strings.TrimLeft(strings.TrimSpace(name), ":_~"))
	if k := strings.IndexAny(name, ":("); k >= 0 {
		name = name[:k]
	}
	return strings.NewReplacer(" ", "_", "-", "_").Replace(name)
}

// All reports whether there are rows, and the fields of a column are all of a kind.
func All(rows [][]string, column int, is func(field string) bool) bool {
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(row []string) bool { return !is(strings.TrimSpace(row[column])) })
}

// countsRows reports whether the first column of a table numbers its rows: by its name, or
// because it counts up, as in 1, 2, 3 or t1, t2, t3, and none of its values is in another
// column.
func countsRows(names []string, sample [][]string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return name != "" }) && NumbersRows(names[0]) {
		return true
	}
	numbers := map[string]bool{}
	for i, row := range sample {
		numbers[row[0]] = true
		word := strings.TrimRight(row[0], "0123456789")
		number, err := strconv.Atoi(row[0][len(word):])
		if err != nil || i+1 < len(sample) && sample[i+1][0] != word+strconv.Itoa(number+1) {
			return false
		}
	}
	const enough = 3
	return len(sample) >= enough && !slices.ContainsFunc(sample, func(row []string) bool {
		return slices.ContainsFunc(row[1:], func(field string) bool { return numbers[field] })
	})
}

// kindOfEnd returns the name of a column of ends without what tells the two ends of a pair
// of one kind apart, as in person_a and person_b.
func kindOfEnd(name string) string {
	name = strings.ToLower(name)
	if stem := strings.TrimRight(name, "0123456789"); stem != name {
		return strings.TrimRight(stem, "_- .")
	}
	if k := strings.LastIndexAny(name, "_- ."); k > 0 && len(name)-k == 2 {
		return name[:k]
	}
	return name
}

// NumbersRows reports whether a column has a name that says that it numbers the rows.
func NumbersRows(name string) bool {
	name = strings.ToLower(name)
	return name == "" || strings.HasPrefix(name, "unnamed: ") || slices.Contains([]string{"index", "level_0", "row", "rowid", "row_id"}, name)
}

// sourceNames and targetNames are what programs call the two ends of a pair, and weightNames its
// weight, as plainName gives them.
var (
	sourceNames = []string{"source", "src", "from", "u", "node1", "id1", "start", "head", "citing", "source_id", "sourceid", "from_id", "from_node_id", "i", "start_id", "start_node", "from_node", "source_node", "subject", "sender", "origin"}
	targetNames = []string{"target", "dst", "to", "v", "node2", "id2", "end", "tail", "cited", "target_id", "targetid", "to_id", "to_node_id", "j", "dest", "destination", "end_id", "end_node", "to_node", "target_node", "object", "receiver"}
	weightNames = []string{"weight", "w", "value", "count", "weights"}
)
