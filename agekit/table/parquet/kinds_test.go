package parquet_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
)

// TestKindsByFormat: the same nodes as CSV, TSV, Parquet and JSON get the same kinds of columns and the same
// features: numbers with a unit, marks for missing values, tags, dates with gaps, intervals, embeddings with
// a gap, and ids of 2⁵³ and more and of tuples.
func TestKindsByFormat(t *testing.T) {
	type node struct {
		ID    int64     `parquet:"id" json:"id"`
		Mass  string    `parquet:"mass" json:"mass"`
		Price *string   `parquet:"price,optional" json:"price"`
		Score float64   `parquet:"score" json:"score"`
		Tags  []string  `parquet:"tags,optional,list" json:"tags"`
		Born  string    `parquet:"born" json:"born"`
		Age   string    `parquet:"age" json:"age"`
		E     []float64 `parquet:"e,optional,list" json:"e"`
		Place string    `parquet:"place" json:"place"`
	}
	const n, large = 60, int64(1) << 53
	bank := [][]string{{"C", "C++"}, {"pie", "jam"}, {"🏃", "gym"}}
	var nodes []node
	for i := range n {
		v := node{
			ID: large + 1 + 2*int64(i), Mass: fmt.Sprintf("%d kg", 10+i*i%47), Score: float64(i*i%31) / 4, Tags: slices.Clone(bank[i%3]), Born: fmt.Sprintf("20%d-0%d-1%d", 10+i%9, 1+i%7, i%10),
			Age: []string{"(17.9, 33.4]", "(33.4, 50.1]"}[i%2], E: []float64{float64(i % 7), float64(i%5) / 2}, Place: fmt.Sprintf("(%d, %d)", i/8, i%8),
		}
		if price := fmt.Sprintf("$%d,%03d.50", 1+i%9, i*i%1000); i%9 != 2 {
			v.Price = &price
		}
		if i%6 == 1 {
			v.Score, v.Born, v.E, v.Tags = -999, "NaT", nil, v.Tags[:1]
		}
		if i%4 == 2 {
			slices.Reverse(v.Tags)
		}
		nodes = append(nodes, v)
	}
	names := []string{"id", "mass", "price", "score", "tags", "born", "age", "e", "place"}
	var rows [][]string
	for _, v := range nodes {
		price, e := "", ""
		if v.Price != nil {
			price = *v.Price
		}
		if v.E != nil {
			e = fmt.Sprint(v.E) // as NumPy writes it
		}
		rows = append(rows, []string{fmt.Sprint(v.ID), v.Mass, price, fmt.Sprint(v.Score), strings.Join(v.Tags, ";"), v.Born, v.Age, e, v.Place})
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	separated := func(separator rune) string {
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.Comma = separator
		if err := w.WriteAll(append([][]string{names}, rows...)); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	type link struct {
		Source int64 `json:"source"`
		Target int64 `json:"target"`
	}
	var links []link
	edges := "source,target\n"
	for i := range nodes {
		e := link{nodes[i].ID, nodes[(i+1)%n].ID}
		links = append(links, e)
		edges += fmt.Sprintf("%d,%d\n", e.Source, e.Target)
	}
	graph, err := json.Marshal(map[string]any{"nodes": nodes, "links": links})
	if err != nil {
		t.Fatal(err)
	}
	edgesCSV := write("e.csv", edges)
	kinds := map[string]string{
		"mass": "number", "price": "number", "score": "number", "tags": "tags", "born": "date", "age": "category", "e 1": "number", "e 2": "number",
	}
	features := map[string]string{} // by format: the same values, in the order of the names
	for format, source := range map[string]input.Source{
		"CSV": {Nodes: write("n.csv", separated(',')), Edges: edgesCSV, ID: "id"}, "TSV": {Nodes: write("n.tsv", separated('\t')), Edges: edgesCSV},
		"Parquet": {Nodes: writeRows(t, nodes), Edges: edgesCSV}, "JSON": {Graph: write("g.json", string(graph))},
	} {
		source.Columns.Drop = []string{"place"}
		d, err := input.Open(t.Context(), source)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		found := map[string]string{}
		for _, c := range d.Recipe.Columns {
			found[c.Name] = c.Kind
		}
		if fmt.Sprint(found) != fmt.Sprint(kinds) {
			t.Errorf("%s: %v, want %v", format, found, kinds)
		}
		if d.Graph.NodeNames[0] != fmt.Sprint(large+1) {
			t.Errorf("%s: the first id is %s, want %d", format, d.Graph.NodeNames[0], large+1)
		}
		var lines []string
		x := d.Graph.Features.ToDense()
		for j, name := range d.Graph.FeatureNames {
			line := name
			for i := range x.Rows {
				line += fmt.Sprintf(" %.5f", x.Data[i*x.Stride+j])
			}
			lines = append(lines, line)
		}
		slices.Sort(lines)
		features[format] = strings.Join(lines, "\n")
	}
	for format, values := range features {
		if values != features["CSV"] {
			t.Errorf("%s: other features than CSV", format)
		}
	}
	// Ids that are tuples.
	tuples := "source,target\n"
	for i := range n - 1 {
		tuples += fmt.Sprintf("%q,%q\n", nodes[i].Place, nodes[i+1].Place)
	}
	d, err := input.Open(t.Context(), input.Source{Nodes: writeRows(t, nodes), Edges: write("t.csv", tuples)})
	if err != nil || d.Graph.NodeNames[9] != "(1, 1)" {
		t.Errorf("tuples: %v", err)
	}
}
