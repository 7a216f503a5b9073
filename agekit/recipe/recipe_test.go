package recipe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// readNodes reads a table of nodes from a new file n.csv with a text.
func readNodes(t *testing.T, text string) *table.Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "n.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := table.Read(context.Background(), path, table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestAgainstScikitLearn compares the features of texts with what TfidfVectorizer (min_df=2, max_df=0.5) of
// scikit-learn 1.9.1 printed for them, and those of numbers with StandardScaler, to 1e-7.
func TestAgainstScikitLearn(t *testing.T) {
	const texts = `text,id
"Graph encoder, graph filter",1
a filter of graphs; Laplacian,2
Laplacian smoothing filter,3
an encoder of nodes,4
"graph of nodes, of NODES",5
smoothing x,6
ÜBER graph über,7
`
	words := []string{"encoder", "filter", "graph", "laplacian", "nodes", "of", "smoothing"}
	want := [][]float64{ // a row for each text, and a column for each of the words
		{0.46358281, 0.39625522, 0.79251043, 0, 0, 0, 0},
		{0, 0.54484073, 0, 0.63741443, 0, 0.54484073, 0},
		{0, 0.51726909, 0, 0.60515811, 0, 0, 0.60515811},
		{0.60515811, 0, 0, 0, 0.60515811, 0.51726909, 0},
		{0, 0, 0.30897837, 0, 0.72295356, 0.61795673, 0},
		{0, 0, 0, 0, 0, 0, 1},
		{0, 0, 1, 0, 0, 0, 0},
	}
	r, _, err := New(readNodes(t, texts), Columns{Only: []string{"text"}, Text: []string{"text"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Names(); !slices.Equal(got, words) {
		t.Errorf("words %q, want %q", got, words)
	}
	near(t, r, readNodes(t, texts), want)

	const numbers = "x\n1\n2\n4\nNaN\n-3.5\n"
	r, _, err = New(readNodes(t, numbers), Columns{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, r, readNodes(t, numbers), [][]float64{ // the number, standardized, and whether it is missing
		{0.045501575519329006, 0},
		{0.40951417967396103, 0},
		{1.1375393879832252, 0},
		{0, 1},
		{-1.5925551431765153, 0},
	})
}

// near checks that the features that a recipe makes of a table are those wanted, to 1e-7.
func near(t *testing.T, r *Recipe, nodes *table.Table, want [][]float64) {
	t.Helper()
	x, _, err := r.Features(nodes)
	if err != nil {
		t.Fatal(err)
	}
	got := x.ToDense()
	if got.Rows != len(want) || got.Cols != len(want[0]) {
		t.Fatalf("%d×%d features, want %d×%d", got.Rows, got.Cols, len(want), len(want[0]))
	}
	for i, row := range want {
		for j, v := range row {
			if g := float64(got.Data[i*got.Stride+j]); !(math.Abs(g-v) <= 1e-7) {
				t.Errorf("row %d, column %d: %v, want %v", i, j, g, v)
			}
		}
	}
}

// guests is a table of nodes with a column of each kind, gaps, and a column of one value.
const guests = `id,age,city,joined,note,plan
p1,30,Rome,2019,likes long walks by the sea,x
p2,40,Oslo,2020,likes the sea,x
p3,,Rome,2019,walks to work every day,x
p4,50,,2021,reads about the sea,x
p5,60,Oslo,2022,reads every day,x
p6,20,Rome,2019,works by the sea,x
`

// TestMayBeCodes: three or more whole numbers that stand in three rows or more on average could be codes, and a
// note about such a column says so. Too few rows, a fraction, or two numbers are none.
func TestMayBeCodes(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		numbers  []float64
		distinct int
		want     bool
	}{
		{numbers: []float64{7, 7, 7, 8, 8, 8, 9, 9, nan}, distinct: 3, want: true},  // a gap is a row too
		{numbers: []float64{7, 7, 7, 8, 8, 8, 9, 9}, distinct: 3, want: false},      // 8 rows are less than 3·3
		{numbers: []float64{7, 7, 7, 8, 8, 8, 9, 9, 9.5}, distinct: 3, want: false}, // a fraction
		{numbers: []float64{0, 0, 0, 1, 1, 1}, distinct: 2, want: false},            // yes and no
	} {
		if got := mayBeCodes(c.numbers, c.distinct); got != c.want {
			t.Errorf("%v: %v, want %v", c.numbers, got, c.want)
		}
	}
	nodes := readNodes(t, "id,dorm\n"+strings.Repeat("a,101\nb,102\nc,103\n", 4))
	_, remarks, err := New(nodes, Columns{Drop: []string{"id"}})
	notes := remarks.Notes
	if want := `column "dorm": number, standardized (3 whole numbers: if they are codes, make it a category)`; err != nil || !slices.Contains(notes, want) {
		t.Errorf("notes %q, error %v, want %q", notes, err, want)
	}
}

// TestNumbersAsText makes a column of words, as Parquet may have them, of 30 numbers and one other word
// or none. If all are numbers, or the word is NA, the column counts as a number, with a warning, and also
// if the user names the column without a kind. If the word is cat, the column is left out, with a
// warning; if the user names it, that is an error.
func TestNumbersAsText(t *testing.T) {
	for word, want := range map[string][]string{ // the warnings, by the other word, "" for none
		"": {`column "x": text whose values are numbers, or durations in hours, counts as numbers, such as "0,5"; Source.Columns.Category keeps it as categories`},
		"NA": {`column "x": text whose values are numbers, or durations in hours, counts as numbers, such as "0,5"; Source.Columns.Category keeps it as categories`,
			`column "x": no numbers, taken as gaps: "NA"`},
		"cat": {`column "x": left out, its values are numbers, but that of row 1 is "cat"; Source.Columns.Number takes it, with words as gaps`},
	} {
		c := table.Column{Name: "x"}
		if word != "" {
			c.AddWord(word)
		}
		for i := range 30 {
			c.AddWord(fmt.Sprintf("%d,5", i))
		}
		nodes := &table.Table{Path: "n.parquet", Rows: c.Len(), Columns: []table.Column{c}}
		r, remarks, err := New(nodes, Columns{})
		if err != nil || !slices.Equal(inputtest.Texts(remarks.Warnings), want) {
			t.Errorf("%q: warnings %q, error %v, want %q", word, inputtest.Texts(remarks.Warnings), err, want)
		}
		_, named, err := New(nodes, Columns{Only: []string{"x"}})
		if word == "cat" {
			if err == nil || !strings.Contains(err.Error(), "neither categories nor text") {
				t.Errorf("%q, with the column named: error %v, want that it has no kind", word, err)
			}
		} else if err != nil || !slices.Equal(inputtest.Texts(named.Warnings), want) {
			t.Errorf("%q, with the column named: warnings %q, error %v, want %q", word, inputtest.Texts(named.Warnings), err, want)
		}
		isNumber := len(r.Columns) == 1 && r.Columns[0].Kind == kindNumber
		if isNumber == (word == "cat") {
			t.Errorf("%q: columns %+v", word, r.Columns)
		}
		if isNumber && r.Columns[0].Gaps != (word == "NA") {
			t.Errorf("%q: gaps %v", word, r.Columns[0].Gaps)
		}
	}
}

// TestDurations: durations as pandas writes them become hours, which are worked out by hand, in the
// table that a recipe is made for and in a new one.
func TestDurations(t *testing.T) {
	nodes := readNodes(t, "id,took\na,0 days 01:30:00\nb,1 day 00:00:00\nc,-1 days +23:59:30.5\nd,\n")
	hours, _, _, err := numbersOf(nodes, 1)
	inHours := []float64{1.5, 24, -29.5 / 3600} // the last one is 29.5 seconds before 0
	if err != nil || len(hours) != 4 || !math.IsNaN(hours[3]) {
		t.Fatalf("%v, error %v, want %v and a gap", hours, err, inHours)
	}
	for i, want := range inHours {
		if math.Abs(hours[i]-want) > 1e-12 {
			t.Errorf("row %d is %v hours, want %v", i, hours[i], want)
		}
	}
	r, _, err := New(nodes, Columns{Drop: []string{"id"}})
	if err != nil || len(r.Columns) != 1 || r.Columns[0].Kind != kindNumber {
		t.Fatalf("recipe %+v, error %v", r, err)
	}
	x, _, err := r.Features(readNodes(t, "id,took\ne,0 days 02:00:00\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := float32((2 - r.Columns[0].Mean) / r.Columns[0].Deviation)
	x.EachInRow(0, func(column int, v float32) {
		if column == 0 && v != want {
			t.Errorf("two hours become %v, want %v", v, want)
		}
	})
}

// TestNoValuesAsText: a column whose 32 words are none and null in different cases, all of which say
// that a value is missing, becomes no features, and one warning tells.
func TestNoValuesAsText(t *testing.T) {
	c := table.Column{Name: "x"}
	for i := range 32 { // none, NONE, nOne, …, null, …
		word := []byte([]string{"none", "null"}[i/16])
		for bit := range word {
			if i>>bit&1 == 1 {
				word[bit] -= 'a' - 'A' // to upper case
			}
		}
		c.AddWord(string(word))
	}
	r, remarks, err := New(&table.Table{Path: "n.parquet", Rows: c.Len(), Columns: []table.Column{c}}, Columns{})
	if err != nil || len(r.Columns) != 0 || len(remarks.Warnings) != 1 {
		t.Errorf("columns %+v, warnings %q, error %v", r.Columns, inputtest.Texts(remarks.Warnings), err)
	}
}

// TestKinds makes a recipe of a table without being told what its columns are: the kind of each column,
// which the notes and warnings tell, the names of the features, and the features of gaps and categories
// are by hand.
func TestKinds(t *testing.T) {
	nodes := readNodes(t, guests)
	r, remarks, err := New(nodes, Columns{Drop: []string{"id"}})
	notes, warnings := remarks.Notes, remarks.Warnings
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`column "age": number, standardized; 1 gap, filled with the mean and marked`,
		`column "city": 2 categories; 1 gap, of no category`,
		`column "joined": number, standardized`,
		`column "note": text, TF-IDF of 6 of 13 words`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes\n%s\nwant\n%s", strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{`column "plan": left out, all values are the same`}; !slices.Equal(inputtest.Texts(warnings), want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	names := []string{"age", "age is missing", "city = Oslo", "city = Rome", "joined", "by", "day", "every", "likes", "reads", "walks"}
	if got := r.Names(); len(got) != r.Width() || !slices.Equal(got, names) {
		t.Errorf("features %q, want %q", got, names)
	}
	x, _, err := r.Features(nodes)
	if err != nil {
		t.Fatal(err)
	}
	m := x.ToDense()
	// The features "age is missing", "city = Oslo" and "city = Rome" of each node.
	for i, want := range [][3]float32{{0, 0, 1}, {0, 1, 0}, {1, 0, 1}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		if got := [3]float32(m.Data[i*m.Stride+1 : i*m.Stride+4]); got != want {
			t.Errorf("node %d: %v, want %v", i, got, want)
		}
	}
}

// TestRecipeLives uses recipes on other tables than those they were made for. A recipe that was written
// as JSON makes the same features of the same nodes, with the columns in another order; values that it
// has not seen make no features; what a column holds, the recipe says, not the new rows; and columns
// that are missing or hold no numbers are errors.
func TestRecipeLives(t *testing.T) {
	nodes := readNodes(t, guests)
	r, _, err := New(nodes, Columns{Drop: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var decoded Recipe
	if err := json.Unmarshal(data, &decoded); err != nil {
		t.Fatal(err)
	}
	want, _, err := r.Features(nodes)
	if err != nil {
		t.Fatal(err)
	}
	swapped := *nodes
	swapped.Columns = slices.Clone(nodes.Columns)
	slices.Reverse(swapped.Columns)
	got, _, err := decoded.Features(&swapped)
	if err != nil {
		t.Fatal(err)
	}
	if !equal(got, want) {
		t.Error("the recipe from JSON makes other features")
	}
	// Paris and "unheard" are new; the age is the mean.
	fresh, _, err := decoded.Features(readNodes(t, "city,age,note,joined\nParis,40,unheard of,2021\n"))
	if err != nil {
		t.Fatal(err)
	}
	// The features age, "age is missing", "city = Oslo" and "city = Rome" are 0; joined, 2021, is not the mean.
	if x := fresh.ToDense(); !slices.Equal(x.Data[:4], make([]float32, 4)) || x.Data[4] == 0 {
		t.Errorf("a new node has features %v", x.Data)
	}
	// What a column is, the recipe says, not the new rows: 1.10 is a word beside beta.
	old := readNodes(t, "id,v\na,1.10\nb,beta\nc,1.1\nd,beta\ne,1.10\nf,beta\ng,1.1\nh,1.1\n")
	versions, _, err := New(old, Columns{Drop: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	known, _, err := versions.Features(old)
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := versions.Features(readNodes(t, "id,v\nx,1.10\ny,1.1\n"))
	if err != nil {
		t.Fatal(err)
	}
	row := func(x graph.Features, i int) []float32 {
		d := x.ToDense()
		return d.Data[i*d.Stride : i*d.Stride+d.Cols]
	}
	if !slices.Equal(row(x, 0), row(known, 0)) || !slices.Equal(row(x, 1), row(known, 2)) || slices.Equal(row(x, 0), row(x, 1)) {
		t.Errorf("versions that look like numbers: %v and %v", row(x, 0), row(x, 1))
	}
	for text, want := range map[string]string{
		"city,note,joined\nRome,a,2019\n":         `no column "age": want all that the training had, not only "city", "note", "joined"`,
		"age,city,note,joined\nold,Rome,a,2019\n": `n.csv:2: column "age": "old": want a number`,
		"age,city,note,joined\nInf,Rome,a,2019\n": `n.csv:2: column "age": "Inf": want a number`,
	} {
		if _, _, err := decoded.Features(readNodes(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// equal reports whether features have the same size and are the same bit by bit, but for the sign of 0.
func equal(a, b graph.Features) bool {
	x, y := a.ToDense(), b.ToDense()
	return x.Rows == y.Rows && x.Cols == y.Cols && slices.Equal(x.Data, y.Data)
}

// TestRowNumbers: a column that numbers the six rows, by its values or its name, is left out with a warning,
// unless the user says what it is or takes other columns alone. Years are no such column, though they count up.
func TestRowNumbers(t *testing.T) {
	// rows returns a table whose first column has a name and counts from first by step.
	rows := func(name string, first, step int) string {
		var b strings.Builder
		b.WriteString(name + ",x\n")
		for i := range 6 {
			fmt.Fprintf(&b, "%d,%d\n", first+i*step, i*i%5)
		}
		return b.String()
	}
	for _, test := range []struct{ text, want string }{ // want is a part of the warning; "" for none
		{rows("", 0, 1), "column 1: left out, it numbers the rows (0, 1, 2, …) and would tell their order; Source.ID 1 makes it the ids, Source.Columns.Number 1 keeps it"},
		{rows("Unnamed: 0", 0, 1), `column "Unnamed: 0": left out, it numbers the rows`},
		{rows("nr", 1, 1), `column "nr": left out, it numbers the rows (1, 2, 3, …)`},
		{rows("index", 3, 4), `column "index": left out, it numbers the rows (3, 7, 11, …)`},
		{rows("year", 1990, 1), ""},
	} {
		recipe, remarks, err := New(readNodes(t, test.text), Columns{})
		if err != nil {
			t.Fatal(err)
		}
		leftOut := test.want != ""
		if got := len(recipe.Columns); leftOut != (got == 1) {
			t.Errorf("%q: %d columns become features", test.text, got)
		}
		if warnings := strings.Join(inputtest.Texts(remarks.Warnings), "\n"); leftOut && !strings.Contains(warnings, test.want) {
			t.Errorf("warnings %s, want %s", warnings, test.want)
		}
	}
	for _, o := range []Columns{{Drop: []string{"nr"}}, {Number: []string{"nr"}}, {Only: []string{"x"}}} {
		if _, remarks, err := New(readNodes(t, rows("nr", 0, 1)), o); err != nil || strings.Contains(fmt.Sprint(remarks.Warnings), "numbers the rows") {
			t.Errorf("%+v: %v, warnings %v", o, err, remarks.Warnings)
		}
	}
}

// TestRefuses: options that name an unknown column, or a kind that the values do not fit, and numbers
// that are too large to standardize are errors.
func TestRefuses(t *testing.T) {
	const ids = "id,name\n1,a\n5,b\n2,c\n7,d\n"
	for _, test := range []struct {
		text string
		o    Columns
		want string
	}{
		{guests, Columns{Text: []string{"nte"}}, `no column "nte"`},
		{ids, Columns{Only: []string{"name"}}, `column "name": 4 different values in 4 rows are neither categories nor text: want Source.Columns.Category or Source.Columns.Text`},
		{guests, Columns{Number: []string{"city"}}, `n.csv:2: column "city": "Rome": want a number`},
		{"a\n1e308\n-1e308\n", Columns{}, "standard deviation"},
	} {
		if _, _, err := New(readNodes(t, test.text), test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// TestLeftOut: a column of names, which are neither categories nor text, and one of a single value
// become no features, and warnings say why.
func TestLeftOut(t *testing.T) {
	r, remarks, err := New(readNodes(t, "name,one\na,1\nb,1\nc,1\nd,1\n"), Columns{})
	notes, warnings := remarks.Notes, remarks.Warnings
	want := []string{`column "name": left out, 4 different values in 4 rows are neither categories nor text; Source.Columns.Category keeps it as categories, Source.Columns.Text as text`, `column "one": left out, all values are the same`}
	if err != nil || len(r.Columns) > 0 || notes != nil || !slices.Equal(inputtest.Texts(warnings), want) {
		t.Errorf("%v, %v, %q, %q; want %q", r, err, notes, warnings, want)
	}
}

// TestCategories: each category, also of numbers that the user calls categories, becomes one feature, 1
// for its nodes, whose name has no line end.
func TestCategories(t *testing.T) {
	lines := readNodes(t, "c\n\"two\nlines\"\nb\nb\n\"two\nlines\"\n")
	if r, _, err := New(lines, Columns{}); err != nil || !slices.Equal(r.Names(), []string{"c = b", "c = two lines"}) {
		t.Errorf("features %q, %v", r.Names(), err)
	}
	const nodes = "c\n1\n2\n1\n2\n"
	r, _, err := New(readNodes(t, nodes), Columns{Category: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Names(); !slices.Equal(got, []string{"c = 1", "c = 2"}) {
		t.Errorf("features %q", got)
	}
	near(t, r, readNodes(t, nodes), [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}})
}

// TestParts compares what Parts says about each feature of a table of all kinds with the feature's
// name, and the number of features of each kind with a count by hand.
func TestParts(t *testing.T) {
	lines := []string{"mass,kind,born,note"}
	for i := range 12 {
		mass := strconv.Itoa(i * i)
		if i == 3 {
			mass = ""
		}
		lines = append(lines, fmt.Sprintf("%s,%s,2020-%02d-%02d,%s", mass, []string{"owl", "finch"}[i%2], i+1, 1+i%5, []string{"lays eggs", "hunts by night"}[i%2]))
	}
	r, _, err := New(readNodes(t, strings.Join(lines, "\n")+"\n"), Columns{Text: []string{"note"}})
	if err != nil {
		t.Fatal(err)
	}
	names, parts := r.Names(), r.Parts()
	if len(names) != len(parts) {
		t.Fatalf("%d parts for the features %q", len(parts), names)
	}
	kinds := map[PartKind]int{}
	for j, part := range parts {
		kinds[part.Kind]++
		column := r.Columns[part.Column].Name
		want := map[PartKind]string{NumberPart: column, TimePart: column, MissingPart: column + " is missing", CategoryPart: column + " = " + part.Value, WordPart: part.Value}
		name, known := want[part.Kind] // of seasons and weekdays the test knows only how the names begin
		if known && names[j] != name || !known && !strings.HasPrefix(names[j], column) {
			t.Errorf("feature %q is part %+v of column %s", names[j], part, column)
		}
	}
	want := map[PartKind]int{NumberPart: 1, MissingPart: 1, CategoryPart: 2, TimePart: 1, SeasonPart: 2, WeekdayPart: 7, WordPart: 5}
	if !maps.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
}
