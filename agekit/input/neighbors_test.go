package input

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/recipe"
)

// pairsOf returns the set of the edges of a graph, by the ids of their ends, each in both directions.
func pairsOf(g *graph.Graph) map[[2]string]bool {
	pairs := map[[2]string]bool{}
	for i := range g.N() {
		for j := range g.Adjacency.Each(i) {
			pairs[[2]string{g.NodeNames[i], g.NodeNames[j]}] = true
		}
	}
	return pairs
}

// TestNeighborsAgainstScikitLearn joins each penguin to its 10 nearest by four measurements, and
// compares the edges with those that scikit-learn's kneighbors_graph made of the standardized
// measurements (assets/examples). Edges of two penguins without measurements do not count: for
// scikit-learn they are in the middle, here their gaps are features.
func TestNeighborsAgainstScikitLearn(t *testing.T) {
	const examples = "../../assets/examples/"
	d, err := Open(t.Context(), Source{
		Nodes: examples + "penguins.csv", Neighbors: 10,
		Columns: recipe.Columns{Only: []string{"bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(examples + "penguins-edges.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	unmeasured := func(id string) bool { return id == "p003" || id == "p271" }
	got, want := pairsOf(d.Graph), map[[2]string]bool{}
	crowded := map[string]bool{} // penguins with an unmeasured one among the 10 of scikit-learn, and so another one here
	for _, row := range rows[1:] {
		want[[2]string{row[0], row[1]}], want[[2]string{row[1], row[0]}] = true, true
		crowded[row[0]] = crowded[row[0]] || unmeasured(row[1])
	}
	for p := range want {
		if !got[p] && !unmeasured(p[0]) && !unmeasured(p[1]) {
			t.Errorf("no edge %v", p)
		}
	}
	for p := range got {
		if !want[p] && !unmeasured(p[0]) && !unmeasured(p[1]) && !crowded[p[0]] && !crowded[p[1]] {
			t.Errorf("edge %v is new", p)
		}
	}
	if notes := strings.Join(d.Notes, "\n"); !strings.Contains(notes, `column "id" has the ids`) || !strings.Contains(notes, "each of the 344 nodes is joined to its 10 nearest by features") {
		t.Errorf("notes %s", notes)
	}
}

// TestNeighborsOfMatrix joins each row of a matrix to its three nearest. The columns are in different
// units, which must not matter: the edges are those of a search of all pairs in float64, with distances
// in standard deviations of the columns.
func TestNeighborsOfMatrix(t *testing.T) {
	const n, k = 40, 3
	rnd := rand.New(rand.NewPCG(1, 0))
	var text strings.Builder
	x := make([][3]float64, n)
	for i := range x {
		for j := range x[i] {
			x[i][j] = float64(rnd.IntN(10_000)) / 100
		}
		// A constant, a column as it is, one in a small unit and far from 0, and one in a large unit.
		number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
		text.WriteString("7," + number(x[i][0]) + "," + number(1e-3*x[i][1]+100) + "," + number(1e4*x[i][2]) + "\n")
	}
	path := writeInputs(t, map[string]string{"x.csv": text.String()})
	d, err := Open(t.Context(), Source{Features: path("x.csv"), Neighbors: k})
	if err != nil {
		t.Fatal(err)
	}
	var variance [3]float64 // of the columns, by another formula: half the mean squared difference of two rows
	for j := range variance {
		for a := range x {
			for b := range x {
				variance[j] += (x[a][j] - x[b][j]) * (x[a][j] - x[b][j]) / (2 * n * n)
			}
		}
	}
	want := map[[2]int]bool{}
	for i := range x {
		distance := func(j int) (sum float64) {
			for c := range variance {
				sum += (x[i][c] - x[j][c]) * (x[i][c] - x[j][c]) / variance[c]
			}
			return sum
		}
		var others []int
		for j := range x {
			if j != i {
				others = append(others, j)
			}
		}
		slices.SortFunc(others, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
		for _, j := range others[:k] {
			want[[2]int{i, j}], want[[2]int{j, i}] = true, true
		}
	}
	got := 0 // entries of the adjacency matrix
	for i := range n {
		for j := range d.Graph.Adjacency.Each(i) {
			if got++; !want[[2]int{i, int(j)}] {
				t.Errorf("%d and %d are joined", i, j)
			}
		}
	}
	if got != len(want) {
		t.Errorf("%d entries, want %d", got, len(want))
	}
	if w := d.Graph.Adjacency.Values; w != nil {
		t.Errorf("weights %v, want none", w)
	}
}

// TestNeighborsOfNew: two new nodes without edges are joined to the three old ones with the nearest
// features, which a search of all old nodes in float64 finds, with distances in standard deviations of
// the old nodes. New nodes that have edges, or come after a training with edges, are not joined so.
func TestNeighborsOfNew(t *testing.T) {
	const n, k = 30, 3
	rnd := rand.New(rand.NewPCG(2, 0))
	var rows []string
	var values [n + 2][2]float64 // of the old nodes and two new ones, 30 and 31
	for i := range values {
		values[i] = [2]float64{rnd.NormFloat64(), 1000 * rnd.NormFloat64()}
		if i == n { // far out: it must not change the units
			values[i][1] = 1e6
		}
		rows = append(rows, fmt.Sprintf("%g,%g\n", values[i][0], values[i][1]))
	}
	path := writeInputs(t, map[string]string{"x.csv": strings.Join(rows[:n], ""), "new.csv": strings.Join(rows[n:], ""), "e.tsv": "30\t0\n31\t30\n"})
	d, err := Open(t.Context(), Source{Features: path("x.csv"), Neighbors: k})
	if err != nil {
		t.Fatal(err)
	}
	g, notes, _, err := Extend(t.Context(), d.Graph, d.Reading, Source{Features: path("new.csv")})
	if err != nil || !slices.Contains(notes, "each new node is joined to its 3 nearest of the training by features") {
		t.Fatalf("notes %q, error %v", notes, err)
	}
	var variance [2]float64 // of the old nodes alone
	for c := range variance {
		mean := 0.
		for i := range n {
			mean += values[i][c] / n
		}
		for i := range n {
			variance[c] += (values[i][c] - mean) * (values[i][c] - mean) / n
		}
	}
	for i := n; i < n+2; i++ {
		distance := func(j int32) (sum float64) {
			for c := range variance {
				d := values[i][c] - values[j][c]
				sum += d * d / variance[c]
			}
			return sum
		}
		old := make([]int32, n)
		for j := range old {
			old[j] = int32(j)
		}
		slices.SortFunc(old, func(a, b int32) int { return cmp.Compare(distance(a), distance(b)) })
		want := slices.Sorted(slices.Values(old[:k]))
		var got []int32
		for j := range g.Adjacency.Each(i) {
			got = append(got, int32(j))
		}
		if !slices.Equal(got, want) {
			t.Errorf("new node %d is joined to %v, want %v", i, got, want)
		}
	}
	given, _, _, err := Extend(t.Context(), d.Graph, d.Reading, Source{Features: path("new.csv"), Edges: path("e.tsv")})
	if err != nil || given.Edges() != d.Graph.Edges()+2 { // the edges 30–0 and 31–30
		t.Errorf("with two edges of their own, there are %d more (%v)", given.Edges()-d.Graph.Edges(), err)
	}
	alone, _, _, err := Extend(t.Context(), d.Graph, Reading{}, Source{Features: path("new.csv")})
	if err != nil || alone.Edges() != d.Graph.Edges() {
		t.Errorf("after a training with edges, there are %d more (%v)", alone.Edges()-d.Graph.Edges(), err)
	}
}

// TestNeighborsRefused: options that do not go with Neighbors, too many or negative numbers of
// neighbors, and nodes without features are errors, written by hand.
func TestNeighborsRefused(t *testing.T) {
	path := writeInputs(t, map[string]string{"n.csv": "id,age\na,1\nb,2\nc,4\n", "e.csv": "a,b\n", "ids.csv": "id\na\nb\n", "x.csv": "1\n2\n"})
	for want, s := range map[string]Source{
		"Source.Neighbors makes the edges":                                        {Nodes: path("n.csv"), Edges: path("e.csv"), Neighbors: 1},
		"Source.Neighbors compares features: want Source.Nodes":                   {Neighbors: 1},
		"Source.Neighbors is 3: want at most 2, since there are 3 nodes":          {Nodes: path("n.csv"), Neighbors: 3},
		"Source.Neighbors is -1: want 1 or more":                                  {Nodes: path("n.csv"), Neighbors: -1},
		"no column becomes features, by which Source.Neighbors would compare":     {Nodes: path("ids.csv"), Neighbors: 1},
		"Source.ID and Source.Label are columns of a table of nodes: want Source": {Features: path("x.csv"), ID: "id", Neighbors: 1},
	} {
		if _, err := Open(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
