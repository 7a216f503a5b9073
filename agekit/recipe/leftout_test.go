package recipe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// birds returns a table of n rows in three classes with two numbers, one of which has gaps, a number of few
// values, a category, a date and a text; and the class of each row.
func birds(n int, rnd *rand.Rand) (t *table.Table, labels []int) {
	mass, wing, eggs := make([]float64, n), make([]float64, n), make([]float64, n)
	var island, seen, note []string
	for i := range n {
		labels = append(labels, rnd.IntN(3))
		mass[i] = math.Round(100*(20+5*float64(labels[i])+3*rnd.NormFloat64())) / 100
		wing[i] = rnd.NormFloat64()
		if rnd.IntN(9) == 0 {
			wing[i] = math.NaN()
		}
		eggs[i] = float64(rnd.IntN(6))
		island = append(island, []string{"Dream", "Biscoe", "Torgersen"}[rnd.IntN(3)])
		seen = append(seen, fmt.Sprintf("20%02d-%02d-%02d", 10+rnd.IntN(10), 1+rnd.IntN(12), 1+rnd.IntN(28)))
		note = append(note, strings.Join([]string{[]string{"swims", "walks"}[rnd.IntN(2)], []string{"alone", "together"}[rnd.IntN(2)], "near", strconv.Itoa(i)}, " "))
	}
	return &table.Table{Path: "birds.csv", Rows: n, Columns: []table.Column{
		table.NewNumbers("mass", mass), table.NewNumbers("wing", wing), table.NewNumbers("eggs", eggs),
		table.NewWords("island", island), table.NewWords("seen", seen), table.NewWords("note", note),
	}}, labels
}

// TestNothingAdded: a column that says nothing of its own, added to a table at any place behind what it
// repeats, changes no feature, and one warning names it and the option that keeps it, which does.
func TestNothingAdded(t *testing.T) {
	const n = 150
	rnd := rand.New(rand.NewPCG(1, 2))
	plain, labels := birds(n, rnd)
	plain.Columns = append(plain.Columns, table.NewNumbers("noise", floats(n, func(int) float64 { return rnd.Float64() })))
	before, _, err := NewBeside(labels, plain, Columns{})
	if err != nil || len(before.Columns) != 7 {
		t.Fatalf("%+v, %v, want 7 columns", before, err)
	}
	want, _, err := before.Features(plain)
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string, of func(row int) float64) table.Column {
		return table.NewNumbers(name, floats(n, of))
	}
	word := func(name string, of func(row int) string) table.Column {
		words := make([]string, n)
		for i := range words {
			words[i] = of(i)
		}
		return table.NewWords(name, words)
	}
	of := func(name string) *table.Column {
		k, _ := plain.Find(name)
		return &plain.Columns[k]
	}
	text := func(name string, row int) string { v, _ := of(name).Text(row); return v }
	order := rnd.Perm(n)
	decimals := func(v, scale float64) float64 { return math.Round(scale*v) / scale }
	for _, test := range []struct {
		column table.Column
		want   string // in the warning
	}{
		{number("mass again", func(i int) float64 { return of("mass").Numbers[i] }), `linear in, column "mass"`},
		{number("mass in oz", func(i int) float64 { return decimals(of("mass").Numbers[i]/28.349523, 1e4) }), `linear in, column "mass"`},
		{number("mass in oz, one decimal less", func(i int) float64 { return decimals(of("mass").Numbers[i]*3.5274, 10) }), `linear in, column "mass"`},
		{number("mass that is missing", func(i int) float64 { return 1000 - 3*of("mass").Numbers[i] }), `linear in, column "mass"`},
		{number("wing as float32", func(i int) float64 { return float64(float32(1990 + of("wing").Numbers[i]/7)) }), `linear in, column "wing"`},
		{number("eggs × 12", func(i int) float64 { return 12 * of("eggs").Numbers[i] }), `linear in, column "eggs"`},
		{number("island number", func(i int) float64 { return float64(len(text("island", i))) }), `codes of column "island"`},
		{word("isla", func(i int) string { return "Isla " + strings.ToUpper(text("island", i)) }), `the same groups as column "island"`},
		{word("seen again", func(i int) string { return text("seen", i) }), `linear in, column "seen"`},
		{word("seen at", func(i int) string { return fmt.Sprintf("%s %02d:00", text("seen", i), i%24) }), `linear in, column "seen"`},
		{word("note again", func(i int) string { return text("note", i) }), `equal to column "note"`},
		{word("latin", func(i int) string { return []string{"Xus", "Yus", "Zus"}[labels[i]] }), "3 categories, left out since they repeat the classes"},
		{word("subspecies", func(i int) string { return fmt.Sprint(labels[i], "abcd"[i%4:][:1]) }), "12 categories, left out since they repeat the classes"},
		{number("species code", func(i int) float64 { return []float64{4, 1, 9}[labels[i]] }), "3 values, left out since they repeat the classes"},
		{number("effect", func(i int) float64 { return []float64{0.37, 0.41, 0.05}[labels[i]] }), "3 values, left out since they repeat the classes"},
		{number("host_id", func(i int) float64 { return float64(rnd.IntN(1e8)) }), "its numbers are keys"},
		{number("driverId", func(i int) float64 { return float64(rnd.IntN(9999)) }), "its numbers are keys"},
		{number("ID", func(i int) float64 { return float64(5000 + order[i]) }), "its numbers are keys"},
		{number("order no", func(i int) float64 { return float64(70000 + 3*order[i]) }), "its numbers are keys"},
		{number("zip", func(i int) float64 { return float64(10000 + rnd.IntN(80)*113) }), "its numbers are keys"},
		{number("", func(i int) float64 { return float64(order[i]) }), "its numbers are keys"},
		{number("Unnamed: 0", func(i int) float64 { return float64(3 * order[i]) }), "its numbers are keys"},
		{number("z", func(i int) float64 { return float64(order[i] + 1) }), "its numbers are keys"},
	} {
		with := *plain
		with.Columns = append(slices.Clone(plain.Columns), test.column)
		k := len(plain.Columns)
		after, remarks, err := NewBeside(labels, &with, Columns{})
		if err != nil {
			t.Errorf("%s: %v", test.column.Name, err)
			continue
		}
		got, _, err := after.Features(plain) // which does not have the column
		if err != nil || !equal(got, want) {
			t.Errorf("%s: features %q, %v, want %q", test.column.Name, after.Names(), err, before.Names())
		}
		if texts := inputtest.Texts(remarks.Warnings); len(texts) != 1 || !strings.HasPrefix(texts[0], "column "+with.Label(k)+": ") || !strings.Contains(texts[0], "left out") || !strings.Contains(texts[0], test.want) {
			t.Errorf("%s: warnings %q, want %q", test.column.Name, texts, test.want)
			continue
		}
		option, keep := remarks.Warnings[0].Advice[0].Option, Columns{}
		name := strconv.Itoa(k + 1)
		switch option {
		case columnsNumber:
			keep.Number = []string{name}
		case columnsCategory:
			keep.Category = []string{name}
		case columnsText:
			keep.Text = []string{name}
		}
		kept, _, err := NewBeside(labels, &with, keep)
		if err != nil || !slices.ContainsFunc(kept.Columns, func(c Column) bool { return c.Name == test.column.Name || c.Unnamed }) {
			t.Errorf("%s: %s does not keep it: %v, %v", test.column.Name, option, kept, err)
		}
	}
}

// TestMarks: the columns of get_dummies of the classes are no features, with or without the first; feathers,
// which mark birds, are one.
func TestMarks(t *testing.T) {
	const n = 60
	mark := func(name string, class int) table.Column {
		return table.NewNumbers(name, floats(n, func(i int) float64 {
			if i%4 == class {
				return 1
			}
			return 0
		}))
	}
	labels := make([]int, n)
	for i := range labels {
		labels[i] = i % 4
	}
	rnd := rand.New(rand.NewPCG(7, 8))
	mass := table.NewNumbers("mass", floats(n, func(int) float64 { return rnd.NormFloat64() }))
	feathers, milk, fins, legs := mark("feathers", 0), mark("milk", 1), mark("fins", 2), mark("six legs", 3)
	for _, test := range []struct {
		columns []table.Column
		want    int // features
	}{
		{[]table.Column{mass, feathers, milk, fins, legs}, 1},
		{[]table.Column{mass, milk, fins, legs}, 1},
		{[]table.Column{mass, feathers, milk}, 3},
	} {
		r, remarks, err := NewBeside(labels, &table.Table{Path: "n.csv", Rows: n, Columns: test.columns}, Columns{})
		if err != nil || r.Width() != test.want || (len(remarks.Warnings) > 0) != (test.want == 1) {
			t.Errorf("%d columns: %v, %q, %v, want %d features", len(test.columns), r.Names(), inputtest.Texts(remarks.Warnings), err, test.want)
		}
	}
}

// floats returns n numbers.
func floats(n int, of func(row int) float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = of(i)
	}
	return all
}

// TestMeasuresStay: whole numbers that nearly all differ, numbers that separate the classes, and columns that
// are near one another or agree by chance, are features. Where the values could be keys, a warning says so.
func TestMeasuresStay(t *testing.T) {
	const n = 150
	rnd := rand.New(rand.NewPCG(3, 4))
	labels, order := make([]int, n), rnd.Perm(n)
	for i := range labels {
		labels[i] = i % 3
	}
	var base []float64 // to which other columns are near
	for range n {
		base = append(base, 50+10*rnd.NormFloat64())
	}
	for name, test := range map[string]struct {
		of      func(row int) float64
		warning string
	}{
		"population":         {of: func(int) float64 { return math.Round(math.Exp(9 + 2*rnd.NormFloat64())) }},
		"price in cents":     {of: func(int) float64 { return 100*math.Round(math.Exp(5+rnd.NormFloat64())) - 1 }},
		"year":               {of: func(int) float64 { return float64(1900 + rnd.IntN(120)) }},
		"time":               {of: func(int) float64 { return float64(1_500_000_000 + rnd.IntN(100_000_000)) }},
		"elevation":          {of: func(int) float64 { return float64(rnd.IntN(4000)) }},
		"rank":               {of: func(i int) float64 { return float64(1 + order[i]) }},
		"weight":             {of: func(int) float64 { return math.Round(100*(70+10*rnd.NormFloat64())) / 100 }},
		"number of children": {of: func(int) float64 { return float64(rnd.IntN(5)) }},
		"covid":              {of: func(int) float64 { return math.Round(math.Exp(6 + 2*rnd.NormFloat64())) }},
		"bid":                {of: func(int) float64 { return float64(10 * rnd.IntN(30)) }},
		"petal":              {of: func(i int) float64 { return math.Round(10*(3*float64(labels[i])+rnd.Float64())) / 10 }},
		"unique":             {of: func(i int) float64 { return 10*float64(labels[i]) + rnd.Float64() }},
		"near":               {of: func(i int) float64 { return base[i] + 0.3*rnd.NormFloat64() }},
		"year later":         {of: func(i int) float64 { return base[i] * (1.02 + 0.01*rnd.Float64()) }},
		"place A":            {of: func(i int) float64 { return float64(1 + order[i]) }, warning: "could have keys"},
		"draws":              {of: func(int) float64 { return float64(10_000_000 + rnd.IntN(89_000_000)) }, warning: "could have keys"},
		"members":            {of: func(i int) float64 { return float64(300 + order[i]) }, warning: "could have keys"},
	} {
		nodes := &table.Table{Path: "n.csv", Rows: n, Columns: []table.Column{table.NewNumbers("base", base), table.NewNumbers(name, floats(n, test.of))}}
		if name == "place A" { // among places in another order
			nodes.Columns[0] = table.NewNumbers("rank of B", floats(n, func(i int) float64 { return float64(1 + order[(i+1)%n]) }))
		}
		r, remarks, err := NewBeside(labels, nodes, Columns{})
		if err != nil || len(r.Columns) != 2 || r.Columns[1].Kind != kindNumber {
			t.Errorf("%s: %v, %v, %q, want a number", name, r, err, inputtest.Texts(remarks.Warnings))
			continue
		}
		warnings := strings.Join(inputtest.Texts(remarks.Warnings), "; ")
		if (warnings != "") != (test.warning != "") || !strings.Contains(warnings, test.warning) {
			t.Errorf("%s: warnings %q, want %q", name, warnings, test.warning)
		}
	}
	// Of thirty rare words in twenty rows, some are in the same one: that is chance, and each stays.
	rare := &table.Table{Path: "n.csv", Rows: 20}
	for j := range 30 {
		rare.Columns = append(rare.Columns, table.NewNumbers(fmt.Sprint("word ", j), floats(20, func(i int) float64 {
			if i == j*7%20 {
				return 1
			}
			return 0
		})))
	}
	if r, _, err := New(rare, Columns{}); err != nil || len(r.Columns) != 30 {
		t.Errorf("%v, %v, want 30 rare words", r, err)
	}
	// Labels that are chance take no column away.
	plain, _ := birds(n, rnd)
	random := make([]int, n)
	for i := range random {
		random[i] = rnd.IntN(3) - 1 // one third is graph.Unknown
	}
	if r, _, err := NewBeside(random, plain, Columns{}); err != nil || len(r.Columns) != 6 || graph.Unknown != -1 {
		t.Errorf("with random classes: %v, %v, want 6 columns", r, err)
	}
}

// TestCodes: keys that many rows share are categories.
func TestCodes(t *testing.T) {
	nodes := readNodes(t, "id,dept_id,x\n"+inputtest.Lines(60, func(i int) string { return fmt.Sprintf("p%d,%d,%d.5\n", i, 101+i%5, i*i%17) }))
	r, remarks, err := New(nodes, Columns{Drop: []string{"id"}})
	want := `column "dept_id": numbers that are codes, no amounts, count as categories, such as 101, 102, 103; Source.Columns.Number keeps numbers`
	if err != nil || r.Columns[0].Kind != kindCategory || !slices.Equal(inputtest.Texts(remarks.Warnings), []string{want}) {
		t.Errorf("%+v, %v, %q, want %q", r, err, inputtest.Texts(remarks.Warnings), want)
	}
}

// TestEarlierRun: the columns that a run wrote, beside the user's own, are no features, whatever of them is left;
// columns of the user's own with such names are.
func TestEarlierRun(t *testing.T) {
	const n = 40
	number := func(name string, from, to float64) table.Column {
		rnd := rand.New(rand.NewPCG(uint64(len(name)), uint64(name[0])))
		return table.NewNumbers(name, floats(n, func(int) float64 { return from + (to-from)*rnd.Float64() }))
	}
	whole := func(name string, k int) table.Column {
		return table.NewNumbers(name, floats(n, func(i int) float64 { return float64((i*i + len(name)) % k) }))
	}
	class := table.NewWords("class", strings.Split(strings.Repeat("a a b c ", n/4)[:2*n-1], " "))
	mass := number("mass", 10, 20)
	name, nameFound := class, class
	name.Name, nameFound.Name = "cluster name", "cluster name (found)"
	confidence, outlier := number("confidence", -0.2, 1), number("outlier", -1, 3)
	x, y := number("x", -20, 20), number("y", -30, 30)
	for i, test := range []struct {
		columns []table.Column
		want    []string
	}{
		{[]table.Column{mass, whole("cluster", 3), confidence, outlier, whole("cluster by features", 3), whole("cluster by edges", 3), x, y, number("added", 0, 1)}, []string{"mass", "added"}},
		{[]table.Column{mass, class, whole("cluster", 3), whole("cluster of 5", 5), whole("earlier cluster", 3)}, []string{"mass"}},
		{[]table.Column{x, mass, y, outlier, confidence, whole("cluster", 3)}, []string{"x", "mass", "y"}},                                                  // a run without a map
		{[]table.Column{x, y, whole("cluster", 3), outlier, number("x (found)", -20, 20), number("y (found)", -30, 30)}, []string{"x", "y"}},                // with a map
		{[]table.Column{confidence, whole("cluster", 3), number("confidence (found)", 0, 1), outlier}, []string{"confidence"}},                              // a survey's
		{[]table.Column{mass, whole("cluster", 3), confidence, whole("cluster (found)", 4), number("confidence (found)", 0, 1), outlier}, []string{"mass"}}, // two runs
		{[]table.Column{whole("cluster", 3), confidence, whole("second", 3), mass}, []string{"mass"}},                                                       // of a prediction
		{[]table.Column{mass, whole("cluster", 3), x, y}, []string{"mass", "cluster", "x", "y"}},                                                            // of stars
		{[]table.Column{mass, whole("cluster", 3), number("confidence", 40, 99)}, []string{"mass", "cluster", "confidence"}},                                // in percent
		{[]table.Column{mass, whole("cluster", 3), name, confidence, outlier}, []string{"mass"}},
		{[]table.Column{name, mass, whole("cluster", 3), confidence, outlier}, []string{"cluster name", "mass"}}, // the user's own, of a run without names
		{[]table.Column{name, mass, whole("cluster", 3), nameFound, confidence}, []string{"cluster name", "mass"}},
		{[]table.Column{mass, whole("cluster", 3), name}, []string{"mass", "cluster", "cluster name"}}, // of stars
		{[]table.Column{mass, class, number("outlier", 0, 1), x, y}, []string{"mass", "class", "outlier", "x", "y"}},
	} {
		nodes := &table.Table{Path: "nodes.csv", Rows: n, Columns: test.columns}
		r, remarks, err := New(nodes, Columns{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range r.Columns {
			names = append(names, c.Name)
		}
		texts := inputtest.Texts(remarks.Warnings)
		isSaid := slices.ContainsFunc(texts, func(w string) bool {
			return strings.Contains(w, "left out, a result of an earlier run; Source.Columns.Number keeps it")
		})
		if !slices.Equal(names, test.want) || isSaid != (len(names) < len(test.columns)) {
			t.Errorf("table %d: columns %q, warnings %q, want %q", i+1, names, texts, test.want)
		}
		kept, _, err := New(nodes, Columns{Only: []string{test.columns[len(test.columns)-1].Name}})
		if err != nil || len(kept.Columns) != 1 {
			t.Errorf("table %d: a column that is named becomes %v, %v", i+1, kept, err)
		}
	}
}

// TestManyColumns: 600 columns of an embedding, of which ten are copies, stay 590.
func TestManyColumns(t *testing.T) {
	const n, f = 400, 600
	rnd := rand.New(rand.NewPCG(5, 6))
	nodes := &table.Table{Path: "n.csv", Rows: n}
	for j := range f {
		of := func(int) float64 { return rnd.NormFloat64() }
		if j%60 == 59 {
			of = func(i int) float64 { return 3 - nodes.Columns[j-17].Numbers[i] }
		}
		nodes.Columns = append(nodes.Columns, table.NewNumbers(fmt.Sprint("d", j), floats(n, of)))
	}
	if r, _, err := New(nodes, Columns{}); err != nil || len(r.Columns) != 590 {
		t.Errorf("%d columns, %v, want 590", len(r.Columns), err)
	}
}
