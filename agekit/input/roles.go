package input

import (
	"slices"
	"strconv"
	"strings"
)

// hasHeader decides whether the first record names the columns ([TableOptions]). It does if
// the user names one of them, if a column has ids of nodes and it has none, or if a column
// holds numbers and it a word. It does not if it holds a number, or an id. Otherwise it
// does in a table of nodes; in one of edges, if it has two names of ends, or if neither of
// its ends is in another row while those of nearly all rows are.
func (s style) hasHeader(records [][]string, o TableOptions) bool {
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
		if ids := count(k, o.isID); ids > 0 && 10*ids >= 9*len(rest) {
			return !o.isID(strings.TrimSpace(field))
		}
	}
	if slices.ContainsFunc(first, isNumber) {
		return false
	}
	known := 0
	for k, field := range first {
		name := plainName(field)
		isEnd := slices.Contains(sourceNames, name) || slices.Contains(targetNames, name)
		// The ids u and v occur again in a list of edges without a header.
		if isEnd && !slices.ContainsFunc(rest, func(r []string) bool { return slices.Contains(r, field) }) {
			known++
		}
		if numbers := count(k, isNumber); numbers > 0 && numbers+count(k, isMissing) == len(rest) {
			return true
		}
	}
	return !o.Pairs || known >= 2 || standsAlone(first, rest)
}

// standsAlone reports whether neither end of the first record is an end of another, while
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

// plainName returns the name of a column in lower case, without what graph databases add, as
// in :START_ID(Person), _from, ~from and weight:double.
func plainName(name string) string {
	name = strings.ToLower(strings.TrimLeft(strings.TrimSpace(name), ":_~"))
	if k := strings.IndexAny(name, ":("); k >= 0 {
		name = name[:k]
	}
	return strings.NewReplacer(" ", "_", "-", "_").Replace(name)
}

// all reports whether there are rows, and the fields of a column are all of a kind.
func all(rows [][]string, column int, is func(field string) bool) bool {
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(row []string) bool { return !is(strings.TrimSpace(row[column])) })
}

// countsRows reports whether the first column of a table numbers its rows: by its name, or
// because it counts up, as in 1, 2, 3 or t1, t2, t3, and none of its values is in another
// column.
func countsRows(names []string, sample [][]string) bool {
	if slices.ContainsFunc(names, func(name string) bool { return name != "" }) && numbersRows(names[0]) {
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

// kindOfEnd returns the name of a column of ends without what tells the two ends of an edge
// between nodes of one kind apart, as in person_a and person_b.
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

// numbersRows reports whether a column has a name that says that it numbers the rows.
func numbersRows(name string) bool {
	name = strings.ToLower(name)
	return name == "" || strings.HasPrefix(name, "unnamed: ") || slices.Contains([]string{"index", "level_0", "row", "rowid", "row_id"}, name)
}

// sourceNames and targetNames are what programs call an edge's ends, and weightNames its
// weight, as plainName gives them.
var (
	sourceNames = []string{"source", "src", "from", "u", "node1", "id1", "start", "head", "citing", "source_id", "sourceid", "from_id", "from_node_id", "i", "start_id", "start_node", "from_node", "source_node", "subject", "sender", "origin"}
	targetNames = []string{"target", "dst", "to", "v", "node2", "id2", "end", "tail", "cited", "target_id", "targetid", "to_id", "to_node_id", "j", "dest", "destination", "end_id", "end_node", "to_node", "target_node", "object", "receiver"}
	weightNames = []string{"weight", "w", "value", "count", "weights"}
)
