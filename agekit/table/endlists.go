package table

import (
	"slices"
	"strings"
)

// List says how the cells of a column are lists.
type List struct {
	// Separator is what stands between the members: one of ; | , and a space. It is "[" for lists in brackets as
	// JSON and Python write them.
	Separator string
}

// Members returns the members of the list in a cell, none of an empty one.
func (l *List) Members(cell string) (members []string) {
	cell = strings.TrimSpace(cell)
	if IsMissing(cell) {
		return nil
	}
	if l.Separator == "[" {
		if members, ok := inListBrackets(cell); ok {
			return members
		}
		return []string{cell}
	}
	for member := range strings.SplitSeq(cell, l.Separator) {
		if member = strings.TrimSpace(member); member != "" {
			members = append(members, member)
		}
	}
	return members
}

// Name returns the separator for messages.
func (l *List) Name() string {
	return map[string]string{";": "semicolons", "|": "bars", ",": "commas", " ": "spaces", "[": "brackets"}[l.Separator]
}

// inListBrackets returns the members of a list in square brackets, and whether it is one.
func inListBrackets(cell string) (members []string, ok bool) {
	if !strings.HasPrefix(cell, "[") {
		return nil, false
	}
	return WordsOf(cell)
}

// listIn returns how cells are lists, nil if they are none. IsOther reports whether a value is in another
// column, or the id of a node. Lists in brackets are known by these, in nine tenths of the cells. A separator
// makes a list if one of two things holds:
//   - Two thirds of the members, nine tenths between spaces, are values of other columns or ids of nodes. In a table
//     from genus to species, half of the words are.
//   - The separator is no space, and a third of the members that are there again are so at another place of a
//     list. The parts of one id, as in sp|P12345|NAME or Smith, John, keep their places.
func listIn(cells []string, isOther func(value string) bool) *List {
	present := slices.DeleteFunc(slices.Clone(cells), IsMissing)
	if len(present) == 0 {
		return nil
	}
	inBrackets := 0
	for _, cell := range present {
		if _, ok := inListBrackets(cell); ok {
			inBrackets++
		}
	}
	if 10*inBrackets >= 9*len(present) {
		return &List{"["}
	}
	known := 0 // cells that are values of other columns as they are
	for _, cell := range present {
		if isOther(cell) {
			known++
		}
	}
	if 2*known >= len(present) {
		// Most cells are one value. Those with a separator may be lists all the same.
		present = slices.DeleteFunc(present, isOther)
	}
	for _, separator := range []string{";", "|", ",", " "} {
		l := &List{separator}
		places := map[string]map[int]int{} // of each member, how often it is at each place
		lists, members, others := 0, 0, 0
		for _, cell := range present {
			found := l.Members(cell)
			if len(found) < 2 {
				continue
			}
			lists++
			for place, member := range found {
				if places[member] == nil {
					places[member] = map[int]int{}
				}
				places[member][place]++
				members++
				if isOther(member) {
					others++
				}
			}
		}
		const fewest = 2 // lists that show it
		switch {
		case lists == 0:
			continue
		case separator == " " && 10*others >= 9*members && 4*lists >= len(present):
			return l
		case separator != " " && 3*others >= 2*members && 4*lists >= len(present):
			return l
		case separator == " " || lists < fewest || 4*lists < len(present):
			continue
		}
		again, elsewhere := 0, 0 // members that are there again, and those that are so at another place
		for _, at := range places {
			count := 0
			for _, times := range at {
				count += times
			}
			if count > 1 {
				again++
				if len(at) > 1 {
					elsewhere++
				}
			}
		}
		if again > 0 && 3*elsewhere >= again && 4*again >= len(places) {
			return l
		}
	}
	return nil
}
