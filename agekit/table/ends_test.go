package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
)

// pairsOfThree are 200 edges between 40 nodes, none twice in a row.
func pairsOfThree() (edges [][2]int) {
	for k := range 200 {
		u, v := (7*k)%40, (11*k+3*(k/40)+1)%40
		if u != v {
			edges = append(edges, [2]int{u, v})
		}
	}
	return edges
}

// TestFindPair finds the ends in tables of pairs as people have them; which columns a person would take is
// written by hand. The sample has a row for each of the edges.
func TestFindPair(t *testing.T) {
	unknown := table.EndOptions{Source: -1, Target: -1, Weight: -1}
	for _, test := range []struct {
		name, header   string
		row            func(k, u, v int) string
		source, target int
		kind           int
		near           bool
	}{
		{"two columns", "person,event", func(k, u, v int) string { return fmt.Sprintf("p%d,e%d", u, v) }, 0, 1, -1, false},
		{"a rating", "user,product,rating", func(k, u, v int) string { return fmt.Sprintf("%d,%d,%d", u, v, 1+k%5) }, 0, 1, -1, false},
		{"rating and time", "user,item,rating,timestamp", func(k, u, v int) string { return fmt.Sprintf("%d,%d,%d,%d", u, v, 1+k%5, 1700000000+k) }, 0, 1, -1, false},
		{"a deal", "invoice,buyer,seller,amount", func(k, u, v int) string { return fmt.Sprintf("INV%d,p%d,p%d,%d.5", k, u, v, k) }, 1, 2, -1, false},
		{"a numbered deal", "invoice,buyer,seller,amount", func(k, u, v int) string { return fmt.Sprintf("%d,%d,%d,%d.5", 5000+3*k, u, v, k) }, 1, 2, -1, false},
		{"a date", "date,caller,callee", func(k, u, v int) string { return fmt.Sprintf("2024-01-%02d,p%d,p%d", 1+k%28, u, v) }, 1, 2, -1, false},
		{"a date of two kinds", "date,user,product", func(k, u, v int) string { return fmt.Sprintf("%02d.01.2024,u%d,i%d", 1+k%28, u, v) }, 1, 2, -1, false},
		{"names", "id,from_id,to_id", func(k, u, v int) string { return fmt.Sprintf("%d,%d,%d", k, u, v) }, 1, 2, -1, false},
		{"names the other way", "to,from", func(k, u, v int) string { return fmt.Sprintf("a%d,a%d", u, v) }, 1, 0, -1, false},
		{"start and end are times", "caller,callee,start,end", func(k, u, v int) string { return fmt.Sprintf("+49%d,+49%d,2024-01-02 10:00,2024-01-02 11:00", u, v) }, 0, 1, -1, false},
		{"a word between", ",,", func(k, u, v int) string { return fmt.Sprintf("a%d,pp,a%d", u, v) }, 0, 2, 1, false},
		{"a word before", ",,,", func(k, u, v int) string { return fmt.Sprintf("a,%d,%d,3", u, v) }, 1, 2, 0, false},
		{"kinds between", "drug,action,gene", func(k, u, v int) string { return fmt.Sprintf("D%d,%s,G%d", u, []string{"binds", "blocks"}[k%2], v) }, 0, 2, 1, true},
		{"a year", "year,exporter,importer,value", func(k, u, v int) string { return fmt.Sprintf("%d,C%d,C%d,%d", 1990+k%30, u, v, k+1) }, 1, 2, -1, false},
		{"three kinds of things", "gene,disease,drug", func(k, u, v int) string { return fmt.Sprintf("G%d,D%d,R%d", u, v, k%97) }, 0, 1, -1, true},
		{"the same source", "person,friend,minutes", func(k, u, v int) string { return fmt.Sprintf("Hub,Ann%d,%d", v, 3*k) }, 0, 1, -1, false},
	} {
		names := strings.Split(test.header, ",")
		var sample [][]string
		for k, e := range pairsOfThree() {
			sample = append(sample, strings.Split(test.row(k, e[0], e[1]), ","))
		}
		p := table.FindPair(names, sample, unknown)
		if p.Source != test.source || p.Target != test.target || p.Kind != test.kind || (p.Near != nil) != test.near {
			t.Errorf("%s: columns %d and %d, kind %d, near %v: want %d and %d, kind %d, near %v", test.name, p.Source, p.Target, p.Kind, p.Near, test.source, test.target, test.kind, test.near)
		}
	}
}

// TestFindPairOfNodes: of three columns without values in common, the two with ids of nodes are the ends.
func TestFindPairOfNodes(t *testing.T) {
	var sample [][]string
	for k, e := range pairsOfThree() {
		sample = append(sample, []string{fmt.Sprint("note", k%50), fmt.Sprint("p", e[0]), fmt.Sprint("q", e[1])})
	}
	names := []string{"a", "b", "c"}
	o := table.EndOptions{Source: -1, Target: -1, Weight: -1}
	if p := table.FindPair(names, sample, o); p.Source != 0 || p.Target != 1 || p.Near == nil {
		t.Errorf("without nodes: %+v", p)
	}
	o.IsNode = func(value string) bool { return value[0] == 'p' || value[0] == 'q' }
	if p := table.FindPair(names, sample, o); p.Source != 1 || p.Target != 2 || p.Near != nil {
		t.Errorf("with nodes: %+v", p)
	}
	o.IsNode, o.Source, o.Target = nil, 2, -1
	if p := table.FindPair(names, sample, o); p.Source != 2 {
		t.Errorf("with a known source: %+v", p)
	}
}

// TestLists finds lists in the cells of a column beside the ids a, b, …, and takes none where the parts of
// an id keep their places, or a cell is one value.
func TestLists(t *testing.T) {
	for _, test := range []struct {
		name      string
		cells     []string // beside a, b, c, …
		separator string   // "" for no list
		members   string   // of the first cell
	}{
		{"neighbors", []string{"b;c", "a", "a;b"}, ";", "b c"},
		{"bars", []string{"b|c", "a", "a|b"}, "|", "b c"},
		{"spaces", []string{"b c", "a", "a b"}, " ", "b c"},
		{"commas", []string{"b, c", "a", "a, b"}, ",", "b c"},
		{"JSON", []string{`["x y", "z"]`, `[]`, `[1]`}, "[", "x y,z"},
		{"Python", []string{"['b', 'c']", "['a']", "[]"}, "[", "b c"},
		{"authors", []string{"Ann; Bob; Eve", "Bob; Ann; Dan", "Dan; Eve; Ann"}, ";", "Ann Bob Eve"},
		{"an id with bars", []string{"sp|P1|X", "sp|P2|Y", "sp|P1|X", "sp|P3|X"}, "", ""},
		{"names with commas", []string{"Smith, John", "Smith, Ann", "Hill, John", "Hill, Ann"}, "", ""},
		{"towns", []string{"New York", "New Haven", "San York", "San Haven"}, "", ""},
		{"species", []string{"a sapiens", "b niger", "c alba", "a erectus"}, "", ""},
		{"titles", []string{"a paper", "another b paper", "the end of it"}, "", ""},
	} {
		var sample [][]string
		for k, cell := range test.cells {
			sample = append(sample, []string{string(rune('a' + k)), cell})
		}
		p := table.FindPair([]string{"node", "others"}, sample, table.EndOptions{Source: -1, Target: -1, Weight: -1})
		if p.TargetList == nil || test.separator == "" {
			if (p.TargetList == nil) != (test.separator == "") {
				t.Errorf("%s: %v, want %q", test.name, p.TargetList, test.separator)
			}
			continue
		}
		got := p.TargetList.Members(test.cells[0])
		want := strings.Fields(test.members)
		if strings.Contains(test.members, ",") {
			want = strings.Split(test.members, ",")
		}
		if p.TargetList.Separator != test.separator || !slices.Equal(got, want) {
			t.Errorf("%s: %q with %q, want %q with %q", test.name, got, p.TargetList.Separator, want, test.separator)
		}
	}
}
