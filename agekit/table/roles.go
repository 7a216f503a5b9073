package table

import (
	"slices"
	"strconv"
	"strings"
)

// Pair says what the columns of a table of pairs hold, by the indices of the columns.
type Pair struct {
	Source, Target int // the columns of the two ends
	Weight         int // the column of a number for each pair; −1 for none
	// Numbering is the first column if it numbers the rows, and so is no end; −1 for none.
	Numbering int
	// Kind is a column of one or few words before or between the ends, which is the kind of each edge; −1 for
	// none.
	Kind int
	// SourceList and TargetList say how the cells of an end are lists, each member of which is an end; nil if
	// each cell is one end.
	SourceList, TargetList *List
	// Unlike says that the columns of the ends are not named as ends are (source, target, …), but by
	// different kinds of things, such as person and event.
	Unlike bool
	// Named says that both ends are named as ends are, or known by the caller.
	Named bool
	// Common says that the two columns have most values in common.
	Common bool
	// Near is another pair of columns that could be the ends nearly as well; nil if none could.
	Near *[2]int
}

// FindPair finds the columns of the ends and the weight in a table of pairs. Names are the names of its
// columns, two or more, and sample has its first rows. The ends are the two columns with the largest
// score, the sum of what speaks for and against them: that they are named as programs name ends (source,
// target, from, to, …), have ids of nodes, have values in common, have the same class of values, come first; and
// that they number the rows, are dates, fractions, the same in all rows or gaps. The weight is
// the column that is named as a weight (weight, value, …), or else the last of three columns, if it has no
// name and some number.
func FindPair(names []string, sample [][]string, o EndOptions) Pair {
	weight := o.Weight
	if weight < 0 {
		weight = slices.IndexFunc(names, func(name string) bool { return slices.Contains(weightNames, plainName(name)) })
	}
	if weight < 0 && len(names) == 3 && names[2] == "" && slices.ContainsFunc(sample, func(row []string) bool { return IsNumber(row[2]) }) {
		weight = 2
	}
	p := Pair{Source: 0, Target: 1, Weight: weight, Numbering: -1, Kind: -1}
	best, next, columns := choosePair(names, sample, weight, o)
	if best == nil { // one column but the weight, or the same one is known for both
		if o.Source >= 0 {
			p.Source = o.Source
		}
		if o.Target >= 0 {
			p.Target = o.Target
		}
		return p
	}
	p.Source, p.Target = best.source.index, best.target.index
	p.SourceList, p.TargetList = best.source.list, best.target.list
	if p.SourceList != nil && p.TargetList != nil { // of which no member belongs to one of the other
		p.SourceList, p.TargetList = nil, nil
	}
	isNamed := isFirstNamed(names, p.Source, sourceNames) && isFirstNamed(names, p.Target, targetNames)
	p.Named = isNamed || o.Source >= 0 && o.Target >= 0
	const most = .5
	p.Common = min(best.source.share(best.target.has), best.target.share(best.source.has)) >= most
	// Numbers in common may count things of different kinds.
	isSame := p.Common && (!best.source.integer || best.source.list != nil || best.target.list != nil || max(p.Source, p.Target) > 1)
	p.Unlike = !isNamed && kindOfEnd(names[p.Source]) != kindOfEnd(names[p.Target]) && !isSame
	const enough = 3 // rows that tell two readings apart
	if next != nil && len(sample) >= enough && best.score-next.score < nearScore {
		p.Near = &[2]int{next.source.index, next.target.index}
	}
	for _, c := range columns {
		isEnd := c.index == p.Source || c.index == p.Target
		switch {
		case isEnd || c.index > max(p.Source, p.Target):
		case c.index == 0 && !p.Named && countsRows(names, sample):
			p.Numbering = 0
		case p.Kind < 0 && (c.few || c.single && !c.number):
			p.Kind = c.index
		}
	}
	return p
}

// plainName returns the name of a column in lower case, with underscores for spaces and hyphens, and
// without what graph databases add: start_id for :START_ID(Person), from for _from and ~from, weight for
// weight:double.
func plainName(name string) string {
	name = strings.ToLower(strings.TrimLeft(strings.TrimSpace(name), ":_~"))
	if k := strings.IndexAny(name, ":("); k >= 0 {
		name = name[:k]
	}
	return strings.NewReplacer(" ", "_", "-", "_").Replace(name)
}

// All reports whether there are rows, and the predicate is holds for the field of each row in a column.
func All(rows [][]string, column int, is func(field string) bool) bool {
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(row []string) bool { return !is(strings.TrimSpace(row[column])) })
}

// countsRows reports whether the first column of a table numbers the rows. Either the column's name says so,
// or it counts up by one in the sample, as in 1, 2, 3 or t1, t2, t3. The sample, the first rows of the
// table, must then have three rows or more, and no other column may share a value with the first one: a
// shared value is more likely the id of a node, at one end of an edge here and at the other end there.
func countsRows(names []string, sample [][]string) bool {
	// Without a header, all names are empty. Under a header, an empty first name does say something: so
	// do programs write the column of row numbers.
	hasNames := slices.ContainsFunc(names, func(name string) bool { return name != "" })
	if hasNames && NumbersRows(names[0]) {
		return true
	}
	inFirst := map[string]bool{} // the fields of the first column
	for i, row := range sample {
		inFirst[row[0]] = true
		prefix := strings.TrimRight(row[0], "0123456789")
		number, err := strconv.Atoi(row[0][len(prefix):])
		if err != nil {
			return false
		}
		if isLast := i+1 == len(sample); !isLast && sample[i+1][0] != prefix+strconv.Itoa(number+1) {
			return false
		}
	}
	const enough = 3
	return len(sample) >= enough && !slices.ContainsFunc(sample, func(row []string) bool {
		return slices.ContainsFunc(row[1:], func(field string) bool { return inFirst[field] })
	})
}

// kindOfEnd returns the name of a column of ends, in lower case, without the last digits or letter that
// tell two ends of the same kind apart: person for person1, person_2 and person_a.
func kindOfEnd(name string) string {
	name = strings.ToLower(name)
	if stem := strings.TrimRight(name, "0123456789"); stem != name {
		return strings.TrimRight(stem, "_- .")
	}
	if k := strings.LastIndexAny(name, "_- ."); k > 0 && len(name)-k == len("_a") {
		return name[:k]
	}
	return name
}

// NumbersRows reports whether the name of a column says that the column numbers the rows, as an empty
// name and the names that pandas gives to an index do.
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
