package play

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/inputtest"
	"github.com/agekit/age/internal/testutil"
)

// TestSavedTable: the table that the page saves has the columns of nodes.csv of a fit of the same files, in the
// same order, and the same text in the columns that were there before: the user's own. The clusters are those
// that the page shows, each with one name of its own; other results have six significant digits, and the places
// are the page's. Before there are clusters, and with places of another number of nodes, it is an error.
func TestSavedTable(t *testing.T) {
	const nodes, edges = "../../assets/examples/penguins.csv", "../../assets/examples/penguins-edges.csv"
	data := testutil.Value(input.Open(t.Context(), input.Source{Nodes: nodes, Edges: edges, Label: "species"})).OrFatal(t)
	o := &run.Options{Map: true}
	o.View, o.Epochs, o.Dims, o.Members, o.Clusters = views.AGE, 5, 8, 1, views.Exactly(3)
	fitted := testutil.Value(run.Fit(t.Context(), data, o)).OrFatal(t)
	dir := filepath.Join(t.TempDir(), "run")
	testutil.NoError(t, fitted.Save(t.Context(), dir))
	want := testutil.Value(table.Read(t.Context(), filepath.Join(dir, "nodes.csv"), table.Options{})).OrFatal(t)

	var p Player
	ask(t, &p, "open", fmt.Sprintf(`{"Files": [{"Path": %q}, {"Path": %q}], "Label": "species"}`, nodes, edges))
	refused(t, &p, "train.table", `{}`, "train until there are clusters first")
	ask(t, &p, "train.start", `{"layers": 2, "dims": 16, "epochs": 10, "anchors": 100, "epoch_pairs": 2000}`)
	refused(t, &p, "train.table", `{}`, "train until there are clusters first")
	var shown []float32
	for e := (Epoch{}); !e.Done; {
		reply := ask(t, &p, "train.next", `{}`)
		e = reply.Value.(Epoch)
		if c := reply.Numbers["clusters"]; c != nil {
			shown = c
		}
	}
	places := make([]float32, 2*want.Rows)
	for i := range places {
		places[i] = float32(i) / 7
	}
	reply := testutil.Value(p.Call(t.Context(), Request{Name: "train.table", Args: json.RawMessage(`{}`), Numbers: map[string][]float32{"places": places}})).OrFatal(t)
	got := testutil.Value(table.Read(t.Context(), inputtest.WriteText(t, "nodes.csv", reply.Value.(Written).Text), table.Options{})).OrFatal(t)
	if got.Names() != want.Names() {
		t.Fatalf("columns %s, want those of fit, %s", got.Names(), want.Names())
	}
	cell := func(name string, row int) string {
		return got.Columns[testutil.Value(got.Find(name)).OrFatal(t)].Cell(row)
	}
	own := len(data.Nodes.Columns)
	names := map[string]string{} // of the clusters
	for row := range want.Rows {
		for k := range own {
			if got.Columns[k].Cell(row) != want.Columns[k].Cell(row) {
				t.Fatalf("row %d, %s: %q, want %q", row, got.Columns[k].Name, got.Columns[k].Cell(row), want.Columns[k].Cell(row))
			}
		}
		cluster, name := cell("cluster", row), cell("cluster name", row)
		if known, ok := names[cluster]; name == "" || ok && known != name {
			t.Fatalf("row %d: cluster %s has the name %q and in a row before %q", row, cluster, name, known)
		}
		names[cluster] = name
		if cluster != fmt.Sprint(shown[row]) {
			t.Fatalf("row %d: cluster %s, want %v as on the page", row, cluster, shown[row])
		}
		if x, y := cell("x", row), cell("y", row); x != sixDigits(places[2*row]) || y != sixDigits(places[2*row+1]) {
			t.Fatalf("row %d: place %s, %s, want %v", row, x, y, places[2*row:2*row+2])
		}
		for _, name := range []string{"confidence", "outlier"} {
			if digits := strings.TrimLeft(strings.Replace(cell(name, row), ".", "", 1), "-0"); len(digits) > 6 && !strings.Contains(digits, "e") {
				t.Fatalf("row %d: %s %s, want six digits", row, name, cell(name, row))
			}
		}
	}
	if len(names) != 3 {
		t.Errorf("clusters %q, want three", names)
	}
	_, err := p.Call(t.Context(), Request{Name: "train.table", Numbers: map[string][]float32{"places": places[2:]}})
	testutil.Fails(t, err, "686 numbers of places: want 688")
}

// sixDigits returns a number with six significant digits, in the form of tables.
func sixDigits(v float32) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}
