package table_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestLines reads pairs as other programs print them; the rows are written by hand. Each says what the lines are
// read as, with the first one.
func TestLines(t *testing.T) {
	for name, test := range map[string]struct{ text, want, says string }{
		"Python's tuples":       {"(0, 1)\n(0, 2)\n", "0|1; 0|2; ", `"(0, 1)" is read as "0 1"`},
		"Python's lists":        {"[0, 1]\n[0, 2]\n", "0|1; 0|2; ", `"[0, 1]" is read as "0 1"`},
		"a list over lines":     {"[(0, 1),\n (0, 2)]\n", "0|1; 0|2; ", "brackets around pairs"},
		"a list in one line":    {"[(0, 1), (0, 2), (4, 5)]", "0|1; 0|2; 4|5; ", "brackets around pairs"},
		"a set":                 {"{(0, 1), (0, 2)}\n", "0|1; 0|2; ", "brackets around pairs"},
		"JSON":                  {"[\n  [\n    \"a\",\n    \"b\"\n  ],\n  [\n    \"c\",\n    \"d, e\"\n  ]\n]\n", "a|b; c|d, e; ", "brackets around pairs"},
		"quoted words":          {"('a', \"b's\")\n('c, d', 'e\\'f')\n", "a|b's; c, d|e'f; ", `is read as "a b's"`},
		"numpy":                 {"[[0 1]\n [2 3]]\n", "0|1; 2|3; ", "brackets around pairs"},
		"numpy's scalars":       {"(np.int64(0), np.int64(1))\n(np.str_('a'), np.int64(2))\n", "0|1; a|2; ", "brackets around pairs"},
		"NetworkX with data":    {"('a', 'b', {'weight': 2.5})\n('b', 'c', {'weight': 3, 'kind': 'x'})\n", "a|b|2.5; b|c|3; ", "brackets around pairs"},
		"points as ids":         {"((0, 0), (0, 1))\n((0, 1), (1, 1))\n", "(0, 0)|(0, 1); (0, 1)|(1, 1); ", "brackets around pairs"},
		"points in an edgelist": {"(0, 0) (0, 1) {}\n(0, 1) (1, 1) {}\n", "(0, 0)|(0, 1)|1; (0, 1)|(1, 1)|1; ", ""},
		"points in quotes":      {"source,target\n\"(0, 0)\",\"(0, 1)\"\n", "source|target: (0, 0)|(0, 1); ", ""},
		"tuples in tabs":        {"(a, b)\t(c, d)\n(c, d)\t(e, f)\n", "(a, b)|(c, d); (c, d)|(e, f); ", ""},
		"names in brackets":     {"(R)-x y,(S)-z\n(S)-z,(R)-w\n", "(R)-x y|(S)-z; (S)-z|(R)-w; ", ""},
		"arrows":                {"a -> b\nb c -> d\n", "a|b; b c|d; ", `"a -> b" is read as "a b"`},
		"dashes":                {"a -- b;\nb -- c;\n", "a|b; b|c; ", "arrows or dashes"},
		"arrows and weights":    {"a->b, 3\nb->c, 4.5\n", "a|b|3; b|c|4.5; ", "arrows or dashes"},
		"arrows both ways":      {"a <-> b\nb ↔ c\n", "a|b; b|c; ", "arrows or dashes"},
		"arrows in a word":      {"a->b,c\nc,a->b\n", "a->b|c; c|a->b; ", ""},
		"N-Triples":             {"<s> <p> <o> .\n<s> <name> \"Ann . b\"@en .\n_:b1 <q> <o>.\n", "subject|predicate|object: s|p|o; _:b1|q|o; ", "lines of N-Triples"},
		"DIMACS":                {"c by hand\np edge 3 2\ne 1 2\ne 2 3\n", "source|target: 1|2; 2|3; ", "of the lines of DIMACS"},
		"DIMACS' distances":     {"p sp 3 2\na 1 2 5\na 2 3 7\n", "source|target|weight: 1|2|5; 2|3|7; ", "of the lines of DIMACS"},
		"DIMACS' edges alone":   {"a 1 2 5\na 2 3 7\n", "source|target|weight: 1|2|5; 2|3|7; ", "of the lines of DIMACS"},
		"PACE":                  {"c by hand\np tw 3 2\n1 2\n2 3\n", "source|target: 1|2; 2|3; ", "of the lines of DIMACS"},
		"letters alone":         {"a b\nc d\ne a\n", "a|b; c|d; e|a; ", ""},
	} {
		shown := "" // a row after the other, with the names before them if there are any
		choose := func(head table.Head) (chosen table.Chosen, err error) {
			for k := range head.Names {
				chosen.Words = append(chosen.Words, k)
			}
			if head.Header {
				shown = strings.Join(head.Names, "|") + ": "
			}
			chosen.Number = -1
			return chosen, nil
		}
		got, err := table.Scan(t.Context(), inputtest.WriteText(t, "e.txt", test.text), table.Options{Pairs: true}, choose, func(row *table.Row) error {
			shown += strings.Join(row.Words, "|") + "; "
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if shown != test.want {
			t.Errorf("%s: %s, want %s", name, shown, test.want)
		}
		if warnings := strings.Join(inputtest.Texts(got.Warnings), "\n"); !strings.Contains(warnings, test.says) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, test.says)
		}
	}
	// A later line of another shape is an error with its line.
	for text, want := range map[string]string{
		strings.Repeat("a -> b\n", 1200) + "c, d\n":      "e.txt:1201: 1 fields, want 2",
		strings.Repeat("(0, 1)\n", 1200) + "(0, 1, 2)\n": "e.txt:1201: 3 fields, want 2",
		strings.Repeat("a 1 2\n", 1200) + "b 1 2\n":      "e.txt:1201: 1 fields, want 2",
	} {
		if _, err := table.Read(t.Context(), inputtest.WriteText(t, "e.txt", text), table.Options{Pairs: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestLinesAreThoseOfCSV draws pairs of words, and writes them as CSV and in each shape of lines: all are read as
// the same rows.
func TestLinesAreThoseOfCSV(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	shapes := map[string]func(u, v string) string{
		"tuples":  func(u, v string) string { return fmt.Sprintf("('%s', '%s')", u, v) },
		"lists":   func(u, v string) string { return fmt.Sprintf("[%q, %q]", u, v) },
		"arrows":  func(u, v string) string { return fmt.Sprintf("%s -> %s", u, v) },
		"triples": func(u, v string) string { return fmt.Sprintf("<%s> <p> <%s> .", u, v) },
	}
	for range 20 {
		n := 1 + r.IntN(40)
		var ends [2][]string
		for range n {
			ends[0] = append(ends[0], fmt.Sprintf("node-%d", r.IntN(20)))
			ends[1] = append(ends[1], fmt.Sprintf("x:%d/y", r.IntN(20)))
		}
		want := fmt.Sprint(ends)
		for name, line := range shapes {
			text := inputtest.Lines(n, func(i int) string { return line(ends[0][i], ends[1][i]) + "\n" })
			got := inputtest.ReadText(t, "e.txt", text, true)
			last := len(got.Columns) - 1 // triples have the predicate between the ends
			var read [2][]string
			for row := range got.Rows {
				for side, k := range [2]int{0, last} {
					word, _ := got.Columns[k].Text(row)
					read[side] = append(read[side], word)
				}
			}
			if fmt.Sprint(read) != want {
				t.Fatalf("%s: %v, want %s", name, read, want)
			}
		}
	}
}

// FuzzLines: any text of pairs in brackets, with arrows and so on is read or refused, and columns that are read
// have a value for each row.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"(0, 1)\n(0, 2)\n", "[(0, 1),\n (0, 2)]\n", "a -> b\n", "<s> <p> <o> .\n", "p edge 3 1\ne 1 2\n", "3 1\n1 2\n", "T\n\na,b\n1,2\n", "(0, 0) (0, 1) {}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := table.Read(t.Context(), inputtest.WriteText(t, "e.txt", string(data)), table.Options{Pairs: true})
		if err != nil {
			return
		}
		for k := range got.Columns {
			if c := &got.Columns[k]; got.Rows > 0 && c.Len() != got.Rows {
				t.Fatalf("column %d has %d values in %d rows", k, c.Len(), got.Rows)
			}
		}
	})
}
