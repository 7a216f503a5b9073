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

// TestAgainstScikitLearn compares the features of texts with TfidfVectorizer (min_df=2,
// max_df=0.5), and those of numbers with StandardScaler, both of scikit-learn 1.9.1, to 1e-7.
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
	want := [][]float64{
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

// near compares the features of a table with numbers, to 1e-7.
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

const guests = `id,age,city,joined,note,plan
p1,30,Rome,2019,likes long walks by the sea,x
p2,40,Oslo,2020,likes the sea,x
p3,,Rome,2019,walks to work every day,x
p4,50,,2021,reads about the sea,x
p5,60,Oslo,2022,reads every day,x
p6,20,Rome,2019,works by the sea,x
`

// TestMayBeCodes: whole numbers of which each stands in three rows or more could be codes.
func TestMayBeCodes(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		numbers  []float64
		distinct int
		want     bool
	}{
		{[]float64{7, 7, 7, 8, 8, 8, 9, 9, nan}, 3, true},
		{[]float64{7, 7, 7, 8, 8, 8, 9, 9}, 3, false},
		{[]float64{7, 7, 7, 8, 8, 8, 9, 9, 9.5}, 3, false},
		{[]float64{0, 0, 0, 1, 1, 1}, 2, false},
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

// TestNumbersAsText: a column of texts, as Parquet has them, all of whose many values are
// numbers counts as a number, with a warning; words for no value among them are gaps.
func TestNumbersAsText(t *testing.T) {
	for text, want := range map[string][]string{
		"": {`column "x": text whose values are numbers, or durations in hours, counts as numbers, such as "0,5"; Source.Columns.Category keeps it as categories`},
		"NA": {`column "x": text whose values are numbers, or durations in hours, counts as numbers, such as "0,5"; Source.Columns.Category keeps it as categories`,
			`column "x": no numbers, taken as gaps: "NA"`},
		"cat": {`column "x": left out, its values are numbers, but that of row 1 is "cat"; Source.Columns.Number takes it, with words as gaps`},
	} {
		c := table.Column{Name: "x"}
		if text != "" {
			c.AddWord(text)
		}
		for i := range 30 {
			c.AddWord(fmt.Sprintf("%d,5", i))
		}
		nodes := &table.Table{Path: "n.parquet", Rows: c.Len(), Columns: []table.Column{c}}
		r, remarks, err := New(nodes, Columns{})
		if err != nil || !slices.Equal(inputtest.Texts(remarks.Warnings), want) {
			t.Errorf("%q: warnings %q, error %v, want %q", text, inputtest.Texts(remarks.Warnings), err, want)
		}
		_, only, err := New(nodes, Columns{Only: []string{"x"}})
		if text != "cat" && (err != nil || !slices.Equal(inputtest.Texts(only.Warnings), want)) {
			t.Errorf("%q, with the column named: warnings %q, error %v, want %q", text, inputtest.Texts(only.Warnings), err, want)
		}
		if number := len(r.Columns) == 1 && r.Columns[0].Kind == kindNumber && r.Columns[0].Gaps == (text == "NA"); number == (text == "cat") {
			t.Errorf("%q: columns %+v", text, r.Columns)
		}
	}
}

// TestDurations: durations as pandas writes them are hours, in a table of the training and in
// new ones.
func TestDurations(t *testing.T) {
	nodes := readNodes(t, "id,took\na,0 days 01:30:00\nb,1 day 00:00:00\nc,-1 days +23:59:30.5\nd,\n")
	hours, _, err := numbersOf(nodes, 1)
	if want := []float64{1.5, 24, -29.5 / 3600}; err != nil || len(hours) != 4 || !math.IsNaN(hours[3]) {
		t.Fatalf("%v, error %v, want %v and a gap", hours, err, want)
	}
	for i, want := range []float64{1.5, 24, -29.5 / 3600} {
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

// TestNoValuesAsText: many words that all say that there is no value are no features.
func TestNoValuesAsText(t *testing.T) {
	c := table.Column{Name: "x"}
	for i := range 32 { // none, NONE, nOne, …, null, …
		word := []byte([]string{"none", "null"}[i/16])
		for bit := range word {
			if i>>bit&1 == 1 {
				word[bit] -= 'a' - 'A'
			}
		}
		c.AddWord(string(word))
	}
	r, remarks, err := New(&table.Table{Path: "n.parquet", Rows: c.Len(), Columns: []table.Column{c}}, Columns{})
	if err != nil || len(r.Columns) != 0 || len(remarks.Warnings) != 1 {
		t.Errorf("columns %+v, warnings %q, error %v", r.Columns, inputtest.Texts(remarks.Warnings), err)
	}
}

// TestKinds: the default of each column, its notes and its features.
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
	for i, want := range [][3]float32{{0, 0, 1}, {0, 1, 0}, {1, 0, 1}, {0, 0, 0}, {0, 1, 0}, {0, 0, 1}} { // missing, Oslo, Rome
		if got := [3]float32(m.Data[i*m.Stride+1 : i*m.Stride+4]); got != want {
			t.Errorf("node %d: %v, want %v", i, got, want)
		}
	}
}

// TestRecipeLives: a recipe written as JSON makes the same features of the same
// nodes, whatever the order of the columns, and knows what it has not seen.
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
	if x := fresh.ToDense(); x.Data[0] != 0 || x.Data[1] != 0 || x.Data[2] != 0 || x.Data[3] != 0 || x.Data[4] == 0 {
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

func equal(a, b graph.Features) bool {
	x, y := a.ToDense(), b.ToDense()
	return x.Rows == y.Rows && x.Cols == y.Cols && slices.Equal(x.Data, y.Data)
}

// TestRowNumbers: a column that numbers the rows is refused by its name, unless the
// user says what it is.
func TestRowNumbers(t *testing.T) {
	rows := func(head string, first, step int) string {
		var b strings.Builder
		b.WriteString(head + ",x\n")
		for i := range 6 {
			fmt.Fprintf(&b, "%d,%d\n", first+i*step, i*i%5)
		}
		return b.String()
	}
	for _, test := range []struct{ text, want string }{
		{rows("", 0, 1), "column 1 numbers the rows (0, 1, 2, …): as a feature it would tell their order; Source.Columns.Drop 1 leaves it out, Source.ID 1 makes it the ids, Source.Columns.Number 1 keeps it"},
		{rows("Unnamed: 0", 0, 1), `column "Unnamed: 0" numbers the rows`},
		{rows("nr", 1, 1), `column "nr" numbers the rows (1, 2, 3, …)`},
		{rows("index", 3, 4), `column "index" numbers the rows (3, 7, 11, …)`},
		{rows("year", 1990, 1), ""},
	} {
		_, _, err := New(readNodes(t, test.text), Columns{})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	for _, o := range []Columns{{Drop: []string{"nr"}}, {Number: []string{"nr"}}, {Only: []string{"x"}}} {
		if _, _, err := New(readNodes(t, rows("nr", 0, 1)), o); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestRefuses: mistakes in the options.
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

// TestLeftOut: names become no features, and the notes say so.
func TestLeftOut(t *testing.T) {
	r, remarks, err := New(readNodes(t, "name,one\na,1\nb,1\nc,1\nd,1\n"), Columns{})
	notes, warnings := remarks.Notes, remarks.Warnings
	want := []string{`column "name": left out, 4 different values in 4 rows are neither categories nor text; Source.Columns.Category keeps it as categories, Source.Columns.Text as text`, `column "one": left out, all values are the same`}
	if err != nil || len(r.Columns) > 0 || notes != nil || !slices.Equal(inputtest.Texts(warnings), want) {
		t.Errorf("%v, %v, %q, %q; want %q", r, err, notes, warnings, want)
	}
}

// TestCategory: two nodes of different categories are √2 apart, as two nodes of a
// standardized number are in the mean square.
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

// TestParts: the parts of a recipe are those that its names tell.
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
		if name, whole := want[part.Kind]; whole && names[j] != name || !strings.HasPrefix(names[j], column) && part.Kind != WordPart {
			t.Errorf("feature %q is part %+v of column %s", names[j], part, column)
		}
	}
	want := map[PartKind]int{NumberPart: 1, MissingPart: 1, CategoryPart: 2, TimePart: 1, SeasonPart: 2, WeekdayPart: 7, WordPart: 5}
	if !maps.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
}
