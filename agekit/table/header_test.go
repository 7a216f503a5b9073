package table_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// numbered returns the lines that a format gives for 0 to n−1, which it has once or several times.
func numbered(n int, format string) string {
	return inputtest.Lines(n, func(i int) string {
		return fmt.Sprintf(strings.ReplaceAll(format, "%d", "%[1]d"), i)
	})
}

// measured returns n rows of an id, made by a format, and a number of random measures with some decimals.
func measured(n, columns, decimals int, id string) string {
	r := rand.New(rand.NewPCG(1, 2))
	return inputtest.Lines(n, func(i int) string {
		row := ""
		if id != "" {
			row = fmt.Sprintf(id, i) + ","
		}
		for k := range columns {
			row += strings.Repeat(",", min(k, 1)) + fmt.Sprintf("%.*f", decimals, 20*r.NormFloat64()+float64(50*(i%3)))
		}
		return row + "\n"
	})
}

// readAs reads a text with options, and returns the names of its columns, the number of its rows and its
// warnings.
func readAs(t *testing.T, name, text string, o table.Options) (names string, rows int, warnings string) {
	t.Helper()
	got, err := table.Read(t.Context(), inputtest.WriteText(t, name, text), o)
	if err != nil {
		t.Fatalf("%v of\n%.300s", err, text)
	}
	var all []string
	for _, c := range got.Columns {
		all = append(all, c.Name)
	}
	return strings.Join(all, "|"), got.Rows, strings.Join(inputtest.Texts(got.Warnings), "\n")
}

// TestHeaderOfPrograms reads tables as other programs write them: the names of the columns and the number of
// rows, written by hand, say what was taken for a header. Says is a part of the warnings; "-" for none about
// the first lines.
func TestHeaderOfPrograms(t *testing.T) {
	const n = 30
	pairs := numbered(n, "p%d,q%d\n") + numbered(n-1, "q%d,p1%d\n")
	ring := inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d\t%d\n", i, (i+7)%n) })
	back := inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d\t%d\n", (i+7)%n, i) })
	words := inputtest.Lines(n, func(i int) string {
		return fmt.Sprintf("%c%s,%s\n", 'A'+i%26, strings.Repeat("na", 1+i/26), []string{"Rome", "Oslo", "Bern"}[i%3])
	})
	for _, test := range []struct {
		writer, text string
		edges        bool
		names        string
		rows         int
		says         string
	}{
		{"pandas' pivot of years", "country,1990,1991,1992\n" + measured(n, 3, 2, "land%d"), false, "country|1990|1991|1992", n, "-"},
		{"pandas' pivot of years, whole numbers", "country,1990,1991\n" + measured(n, 2, 0, "land%d"), false, "country|1990|1991", n, "-"},
		{"its rows alone", measured(n, 2, 0, "land%d"), false, "||", n, "-"},
		{"pandas' array with an index", ",0,1,2\n" + measured(n, 3, 2, "%d"), false, "|0|1|2", n, "-"},
		{"pandas' array without one", "0,1,2\n" + measured(n, 3, 2, ""), false, "0|1|2", n, `the first line, "0,1,2", is read as the names of the columns`},
		{"the array alone", measured(n, 3, 2, ""), false, "||", n, "-"},
		{"a spectrometer's wave lengths", "sample,900.5,902,903.5\n" + measured(n, 3, 2, "s%d"), false, "sample|900.5|902|903.5", n, "-"},
		{"wave lengths with the decimals of the values", "sample,900.50,902.00,903.50\n" + measured(n, 3, 2, "s%d"), false, "sample|900.50|902.00|903.50", n, "-"},
		{"R's write.csv", "\"\",\"len\",\"speed\"\n" + measured(n, 2, 2, `"s%d"`), false, "|len|speed", n, "-"},
		{"R's write.table with commas", "\"len\",\"speed\"\n" + measured(n, 2, 2, `"s%d"`), false, "|len|speed", n, "has a name less than the rows have fields"},
		{"R's write.table of edges", "\"a\",\"b\"\n" + inputtest.Lines(n, func(i int) string { return fmt.Sprintf("\"%d\",\"p%d\",\"p%d\"\n", i+1, i, i/2) }), true, "|a|b", n, "has a name less"},
		{"Excel with a title", "Survey of 2020,,\n,,\nid,len,speed\n" + measured(n, 2, 2, "s%d"), false, "id|len|speed", n, `"Survey of 2020,," before the rows is a title`},
		{"a bank's statement with a title", "Statement\nid,len,speed\n" + measured(n, 2, 2, "s%d"), false, "id|len|speed", n, `"Statement" before the rows is a title`},
		{"a logger with units", "id,len,speed\n,(m),(m/s)\n" + measured(n, 2, 2, "s%d"), false, "id|len|speed", n, `",(m),(m/s)", has units`},
		{"a survey with questions under the names", "id,q1,q2\nCode,How old are you?,How tall?\n" + measured(n, 2, 0, "s%d"), false, "id|q1|q2", n, "has units or remarks"},
		{"QGIS", "wkt_geom,fid,name,pop\n" + inputtest.Lines(n, func(i int) string { return fmt.Sprintf("\"Point (%d 4)\",%d,Town %d,%d\n", i, i, i, 7*i) }), false, "wkt_geom|fid|name|pop", n, "-"},
		{"Stata", "year,gdp,pop\n" + inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d,%.1f,%d\n", 1960+i, 3.3*float64(i), 7*i) }), false, "year|gdp|pop", n, "-"},
		{"Stata without names", inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d,%.1f,%d\n", 1960+i, 3.3*float64(i), 7*i) }), false, "||", n, "-"},
		{"a first row with gaps", "p90,,\n" + measured(n, 2, 2, "p%d"), false, "||", n + 1, "-"},
		{"months in a bank's table", "id,1,2,3,4\n" + measured(n, 4, 0, "c%d"), false, "id|1|2|3|4", n, "-"},
		{"decimal commas under years", "station;1990;1991\n" + strings.NewReplacer(",", ";", ".", ",").Replace(measured(n, 2, 2, "s%d")), false, "station|1990|1991", n, "-"},
		{"dates as names", "city,2020-01-01,2020-02-01\n" + measured(n, 2, 2, "c%d"), false, "city|2020-01-01|2020-02-01", n, "-"},
		{"word vectors", measured(n, 5, 6, "w%d"), false, "|||||", n, "-"},
		{"genes by samples", "gene,S1,S2,S3\n" + measured(n, 3, 0, "ENSG%05d"), false, "gene|S1|S2|S3", n, "-"},
		{"words over words", "Name,Town\n" + words, false, "Name|Town", n, "-"},
		{"words alone", words, false, "|", n, "-"},
		{"categories under years", "who,1990,1991\n" + inputtest.Lines(n, func(i int) string { return fmt.Sprintf("p%d,%s,low\n", i, []string{"low", "high"}[i%2]) }), false, "who|1990|1991", n, "-"},

		{"edges with years", "source,target,2019,2020\n" + numbered(n, "p%d,p1%d,1,2\n"), true, "source|target|2019|2020", n, "-"},
		{"edges of pandas", "0,1\n" + pairs, true, "0|1", 2*n - 1, "is read as the names of the columns"},
		{"edges of pandas with an index", ",0,1\n" + inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d,p%d,p%d\n", i, i, i/2) }), true, "|0|1", n, "-"},
		{"edges with times", inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d,%d,%d\n", i, (i+7)%n, 1082040961+3*i) }), true, "||", n, "-"},
		{"users and products", "user,product\n" + pairs, true, "user|product", 2*n - 1, "-"},
		{"a first edge apart", "p98,q99\n" + pairs, true, "|", 2 * n, "-"},
		{"a first edge apart, of numbers", "98\t99\n" + ring, true, "|", n + 1, "-"},
		{"SNAP", "# Nodes: 30 Edges: 30\n# FromNodeId\tToNodeId\n" + ring, true, "|", n, "-"},
		{"Konect", "% sym unweighted\n% 30 30 30\n" + strings.ReplaceAll(ring, "\t", " "), true, "|", n, "-"},
		{"nodes and edges counted", "30\t30\n" + ring, true, "|", n, `"30\t30" before the rows counts nodes`},
		{"nodes counted", "30\n" + ring, true, "|", n, `"30" before the rows counts nodes`},
		{"counts before weights", "30 30\n" + inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d %d 0.5\n", i, (i+7)%n) }), true, "||", n, `"30 30" before the rows counts`},
		{"Matrix Market", "%%MatrixMarket matrix coordinate\n% by hand\n30 30 30\n" + inputtest.Lines(n, func(i int) string { return fmt.Sprintf("%d %d 2\n", i+1, (i+7)%n+1) }), true, "||", n, `"30 30 30" before the rows counts`},
		{"an edge that is no count", "30\t31\n" + ring, true, "|", n + 1, "-"},
		{"edges counted, in both directions", "30\t30\n" + ring + back, true, "|", 2 * n, `"30\t30" before the rows counts nodes`},
		{"an edge whose number is half of the rows", "7\t5\n6\t2\n3\t2\n5\t1\n0\t0\n6\t4\n6\t2\n7\t0\n1\t2\n4\t3\n7\t5\n", true, "|", 11, "-"},
	} {
		names, rows, warnings := readAs(t, "t.csv", test.text, table.Options{Pairs: test.edges})
		if names != test.names || rows != test.rows {
			t.Errorf("%s: %d rows of %s, want %d of %s (%s)", test.writer, rows, names, test.rows, test.names, warnings)
		}
		aboutFirst := strings.Contains(warnings, "line") || strings.Contains(warnings, "before the rows")
		if test.says == "-" && aboutFirst || test.says != "-" && !strings.Contains(warnings, test.says) {
			t.Errorf("%s: warnings %q, want %q", test.writer, warnings, test.says)
		}
	}
}

// TestHeaderInDoubt: where both readings are about as likely, a warning says which was taken, the line, and the
// option for the other one; with the option there is no doubt.
func TestHeaderInDoubt(t *testing.T) {
	names := inputtest.Lines(40, func(i int) string {
		return fmt.Sprintf("%s%s,%s%s\n", []string{"An", "Bo", "Ca", "Do"}[i%4], []string{"na", "ris", "lo"}[i%3], []string{"Eve", "Fin", "Gus"}[i%3], []string{"lyn", "ne"}[i%2])
	})
	text := "Zed,Yara\n" + names
	_, _, warnings := readAs(t, "t.csv", text, table.Options{Pairs: true})
	if !strings.Contains(warnings, `the first line, "Zed,Yara", is read as`) {
		t.Errorf("warnings %q", warnings)
	}
	for _, header := range []bool{false, true} {
		got, rows, warnings := readAs(t, "t.csv", text, table.Options{Pairs: true, Header: &header})
		if want := map[bool]string{false: "|", true: "Zed|Yara"}[header]; got != want || rows == 40 != header || strings.Contains(warnings, "first line") {
			t.Errorf("header %v: %d rows of %s, warnings %q", header, rows, got, warnings)
		}
	}
	// A first row that another table refers to is no header, whatever else it looks like.
	isKey := func(field string) bool { return field == "country" || strings.HasPrefix(field, "land") }
	if got, rows, _ := readAs(t, "t.csv", "country,1990,1991\n"+measured(9, 2, 2, "land%d"), table.Options{IsKey: isKey}); got != "||" || rows != 10 {
		t.Errorf("a key in the first line: %d rows of %s", rows, got)
	}
}

// drawTable draws a table of one kind of ids, or none, and columns of several kinds, and a header of one of
// four kinds for it.
func drawTable(r *rand.Rand) (header, rows string) {
	n, columns := 12+r.IntN(60), 3+r.IntN(4)
	ids := []string{"", "p%d", "%d", "K-%03d", "town%d@x.org"}[r.IntN(5)]
	words := [][]string{{"low", "mid", "high"}, {"Rome", "Oslo", "Bern", "Paris"}, {"yes", "no"}}
	kinds := make([]int, columns)
	for k := range kinds {
		kinds[k] = r.IntN(4)
	}
	if !slices.ContainsFunc(kinds, func(kind int) bool { return kind < 2 }) { // some measure, not words alone
		kinds[0] = 0
	}
	var b strings.Builder
	for i := range n {
		var fields []string
		if ids != "" {
			fields = append(fields, fmt.Sprintf(ids, i))
		}
		for k, kind := range kinds {
			switch kind {
			case 0:
				fields = append(fields, fmt.Sprintf("%.2f", 3*r.NormFloat64()))
			case 1:
				fields = append(fields, fmt.Sprint(r.IntN(400)))
			case 2:
				fields = append(fields, words[k%3][r.IntN(len(words[k%3]))])
			case 3:
				fields = append(fields, fmt.Sprintf("20%02d-%02d-%02d", r.IntN(24), 1+r.IntN(12), 1+r.IntN(28)))
			}
		}
		b.WriteString(strings.Join(fields, ",") + "\n")
	}
	var names []string
	if ids != "" {
		names = append(names, []string{"id", "", "unit", "Person"}[r.IntN(4)])
	}
	kind, first := r.IntN(4), []int{1990, 0, 400, 0}
	for k := range columns {
		switch kind {
		case 0, 1: // years, or 0, 1, 2, …
			names = append(names, fmt.Sprint(first[kind]+k))
		case 2: // wave lengths
			names = append(names, fmt.Sprintf("%.1f", 400.5+1.5*float64(k)))
		case 3:
			names = append(names, []string{"age", "height", "town", "joined", "Kind of car", "x_1", "score"}[k])
		}
	}
	return strings.Join(names, ",") + "\n", b.String()
}

// TestHeaderOfRandomTables draws tables with headers of words, years, 0, 1, 2, … and wave lengths over values of
// several kinds. With the header it is found, and without it the first row stays a row.
func TestHeaderOfRandomTables(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		header, rows := drawTable(r)
		want := strings.TrimSuffix(strings.ReplaceAll(header, ",", "|"), "\n")
		if got, _, _ := readAs(t, "t.csv", header+rows, table.Options{}); got != want {
			t.Errorf("names %s of\n%s%.200s", got, header, rows)
		}
		if got, _, _ := readAs(t, "t.csv", rows, table.Options{}); strings.Trim(got, "|") != "" {
			t.Errorf("names %s without a header of\n%.200s", got, rows)
		}
	}
}
