package recipe

import (
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// Names of the columns that a run or a prediction writes beside those of the user. A run writes them
// in this order, after the user's own; a name that the user's table has gets [FoundSuffix].
const (
	ClassColumn      = "class" // of labels that are no column of the user's table
	ClusterColumn    = "cluster"
	NameColumn       = "cluster name" // empty for a cluster without a name; right after the clusters
	ConfidenceColumn = "confidence"
	OutlierColumn    = "outlier"
	SecondColumn     = "second"      // the second most likely cluster
	ClusterByPrefix  = "cluster by " // before the title of a view
	ClusterOfPrefix  = "cluster of " // before a number of clusters
	EarlierColumn    = "earlier cluster"
	XColumn          = "x" // the place on the map
	YColumn          = "y"
	FoundSuffix      = " (found)"
)

// resultKind is what a column says if its name is one that a run writes.
type resultKind int

const (
	noResult    resultKind = iota
	resultFound            // a cluster or a score, which tell together that a run wrote the table
	resultPlace            // the place on the map, the class, or the cluster's name: names that tables have anyway
)

// resultKindOf returns what the column would say if a run had written it: by its name, without suffix,
// and by its values, which must be such as a run writes.
func resultKindOf(c *table.Column) resultKind {
	name := strings.TrimSuffix(c.Name, FoundSuffix)
	for plain := strings.TrimSuffix(name, FoundSuffix); plain != name; plain = strings.TrimSuffix(name, FoundSuffix) {
		name = plain
	}
	allAre := func(is func(v float64) bool) bool {
		return c.Numbers != nil && !slices.ContainsFunc(c.Numbers, func(v float64) bool { return !math.IsNaN(v) && !is(v) })
	}
	isCluster := func(v float64) bool { return v >= 0 && v == math.Trunc(v) }
	kind := noResult
	switch {
	case name == ClusterColumn, name == SecondColumn, name == EarlierColumn, strings.HasPrefix(name, ClusterByPrefix), strings.HasPrefix(name, ClusterOfPrefix):
		if allAre(isCluster) {
			kind = resultFound
		}
	case name == ConfidenceColumn:
		if allAre(func(v float64) bool { return -1.001 <= v && v <= 1.001 }) { // to rounding
			kind = resultFound
		}
	case name == OutlierColumn:
		if allAre(func(v float64) bool { return true }) {
			kind = resultFound
		}
	case name == XColumn, name == YColumn:
		if allAre(func(v float64) bool { return true }) {
			kind = resultPlace
		}
	case name == ClassColumn, name == NameColumn:
		kind = resultPlace
	}
	return kind
}

// resultColumns returns the columns of a table that an earlier run wrote, by their index. There are some
// only if the table has a column of clusters and another score or clustering of a run. A column of the
// user's own that has the name of a result stands before the column of clusters, and either the run's
// has [FoundSuffix], or the name is that of a place on the map, which not every run writes. Only a class
// right before the clusters is the run's, and only names right after them.
func resultColumns(t *table.Table) map[int]bool {
	found := map[int]bool{}
	named := func(name string) int {
		return slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Name == name })
	}
	clusters := -1 // the first column of clusters that a run wrote
	for k := range t.Columns {
		c := &t.Columns[k]
		if resultKindOf(c) == resultFound {
			found[k] = true
			if clusters < 0 && strings.HasPrefix(c.Name, ClusterColumn) {
				clusters = k
			}
		}
	}
	if clusters < 0 || len(found) < 2 {
		return nil
	}
	for k := range t.Columns {
		c := &t.Columns[k]
		isFirst := k < clusters
		switch kind := resultKindOf(c); {
		case strings.HasSuffix(c.Name, FoundSuffix):
			found[k] = kind != noResult
		case c.Name == ClassColumn:
			found[k] = k == clusters-1
		case c.Name == NameColumn:
			found[k] = k > 0 && found[k-1] && strings.HasPrefix(t.Columns[k-1].Name, ClusterColumn)
		case kind == resultPlace:
			found[k] = !isFirst && named(XColumn) >= 0 && named(YColumn) >= 0
		case isFirst && named(c.Name+FoundSuffix) >= 0:
			found[k] = false
		}
	}
	return found
}

// ofEarlierRun is why a column that an earlier run wrote is left out.
func ofEarlierRun(c *table.Column) message.Message {
	kind := kindNumber
	if c.Numbers == nil {
		kind = kindCategory
	}
	return message.Sprintf("left out, a result of an earlier run").Advise("%s keeps it", optionOf(kind), "")
}
