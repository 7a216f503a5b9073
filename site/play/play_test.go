package play

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
)

// ask sends p the request of this name, with arguments in JSON, and returns the reply. An error fails the test.
func ask(t *testing.T, p *Player, name, args string) Reply {
	t.Helper()
	return testutil.Value(p.Call(t.Context(), Request{Name: name, Args: json.RawMessage(args)})).OrFatal(t)
}

// refused sends p a request, as ask does, which must be an error with all these words.
func refused(t *testing.T, p *Player, name, args string, words ...string) {
	t.Helper()
	_, err := p.Call(t.Context(), Request{Name: name, Args: json.RawMessage(args)})
	for _, word := range words {
		testutil.Fails(t, err, word)
	}
}

// TestOwnTables: a table of nodes and one of edges that a user drops become a graph: their names tell which is
// which. Without a choice, no column has the classes; with the column species, there are three, and the
// clusters of a training, which does not see them, match them. Files that do not exist, that have the same
// role, or that are too long are errors that name the files.
func TestOwnTables(t *testing.T) {
	const files = `"Files": [{"Path": "../../assets/examples/penguins.csv"}, {"Path": "../../assets/examples/penguins-edges.csv"}]`
	var p Player
	o := ask(t, &p, "open", `{`+files+`}`).Value.(Opened)
	if o.Files[0].Role != "nodes" || o.Files[1].Role != "edges" {
		t.Errorf("roles %+v, want nodes and edges", o.Files)
	}
	if o.Labeled || !slices.Contains(o.Columns, "species") {
		t.Errorf("%+v, want no labels, and a column species", o)
	}
	o = ask(t, &p, "open", `{`+files+`, "Label": "species"}`).Value.(Opened)
	if !o.Labeled || o.Classes != 3 || o.LabelColumn != "species" || !slices.Contains(o.ClassNames, "Gentoo") {
		t.Errorf("%+v, want the three species as classes", o)
	}
	ask(t, &p, "train.start", `{"layers": 2, "dims": 16, "epochs": 10, "anchors": 100, "epoch_pairs": 2000}`)
	var e Epoch
	for !e.Done {
		e = ask(t, &p, "train.next", `{}`).Value.(Epoch)
	}
	const leastACC = 0.8 // a third by chance
	if acc := *e.Learned.ACC; acc < leastACC {
		t.Errorf("ACC of the penguins is %.3f, want at least %v", acc, leastACC)
	}

	// With the settings that fit chooses, the page is as good as fit --view age, which has .968.
	o = ask(t, &p, "open", `{`+files+`, "Label": "species", "Chosen": true}`).Value.(Opened)
	ask(t, &p, "train.start", fmt.Sprintf(`{"layers": %d, "dims": 128, "epochs": %d, "clusters": %d, "thresholds": {"pos_start": %v, "pos_end": %v, "neg_start": %v, "neg_end": %v}}`,
		o.Layers, o.Epochs, o.Clusters, o.PosStart, o.PosEnd, o.NegStart, o.NegEnd))
	for e = (Epoch{}); !e.Done; {
		e = ask(t, &p, "train.next", `{}`).Value.(Epoch)
	}
	const chosenACC = 0.95
	if acc := *e.Learned.ACC; acc < chosenACC {
		t.Errorf("with the settings of fit, ACC of the penguins is %.3f, want at least %v", acc, chosenACC)
	}
	refused(t, &p, "open", `{"Files": [{"Path": "/dropped/nothing.csv"}]}`, "nothing.csv")
	refused(t, &p, "open", `{"Files": [{"Path": "a.csv"}, {"Path": "b.csv"}]}`, "a.csv", "b.csv", "nodes")
	refused(t, &p, "open", `{"Dataset": "citeseer-of-nobody"}`, "citeseer-of-nobody")

	// A table that would keep the page busy for minutes is refused, and the next one is opened.
	long := filepath.Join(t.TempDir(), "long.csv")
	testutil.NoError(t, os.WriteFile(long, []byte("id,x\n"+strings.Repeat("a,1\n", mostNodes+1)), 0o600))
	refused(t, &p, "open", fmt.Sprintf(`{"Files": [{"Path": %q}]}`, long), "long.csv has 20002 lines: want at most 20000 nodes in a browser")
	ask(t, &p, "open", `{`+files+`}`)
}

// TestErrorsNameNoFolder: an error names a file that was dropped by its name, without the folder that the page
// puts it in, which its user does not know.
func TestErrorsNameNoFolder(t *testing.T) {
	var p Player
	_, err := p.Call(t.Context(), Request{Name: "open", Args: json.RawMessage(`{"Files": [{"Path": "/dropped/x.graphml"}]}`)})
	if err == nil || strings.Contains(err.Error(), Folder) || !strings.Contains(err.Error(), "x.graphml") {
		t.Errorf("error %v, want one about x.graphml without %s", err, Folder)
	}
}

// TestMessagesNameNoFields: errors and warnings name an option such as Source.Neighbors by its last word,
// neighbors, as the page does. The first table is an error, since all its rows are equal; the second has a
// column that is left out with a warning.
func TestMessagesNameNoFields(t *testing.T) {
	tableArgs := func(text string) string { // of a request that opens a table of nodes
		path := filepath.Join(t.TempDir(), "nodes.csv")
		testutil.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return fmt.Sprintf(`{"Files": [{"Path": %q}]}`, path)
	}
	var p Player
	const equalRows = "row,x\n7,1\n7,1\n7,1\n"
	_, err := p.Call(t.Context(), Request{Name: "open", Args: json.RawMessage(tableArgs(equalRows))})
	if err == nil || strings.Contains(err.Error(), "Source.") || !strings.Contains(err.Error(), "neighbors") {
		t.Errorf("%v, want an error about neighbors", err)
	}

	differentWords := "x,odd\n" // a column that is left out, with advice
	for k := range 30 {
		differentWords += fmt.Sprintf("%d,word%d\n", k%7*k, k)
	}
	o := ask(t, &p, "open", tableArgs(differentWords)).Value.(Opened)
	if warnings := strings.Join(o.Warnings, "\n"); strings.Contains(warnings, "Source.") || !strings.Contains(warnings, "category keeps it") {
		t.Errorf("warnings %q, want advice about category", warnings)
	}
}

// TestOneFile: one file alone becomes a graph with all its nodes and some edges: a graph file, a list of edges,
// and a table of nodes, which are joined by their features.
func TestOneFile(t *testing.T) {
	for name, nodes := range map[string]int{"karate.graphml": 34, "karate.txt": 34, "penguins.csv": 344} {
		var p Player
		args := fmt.Sprintf(`{"Files": [{"Path": "../../assets/examples/%s"}]}`, name)
		if o := ask(t, &p, "open", args).Value.(Opened); o.Nodes != nodes || o.Edges == 0 {
			t.Errorf("%s: %d nodes, %d edges, want %d nodes", name, o.Nodes, o.Edges, nodes)
		}
	}
}

// TestFilter compares signals that were smoothed with the closed form, by the eigenvalues λ: the filter
// multiplies the coefficient of each eigenvector by (1 − kλ)ᵗ, and the Rayleigh quotient is the mean of λ
// weighted by the squares of the coefficients. Low-pass is what k·λmax ≤ 1 is. Wrong requests are errors.
func TestFilter(t *testing.T) {
	var p Player
	refused(t, &p, "filter.start", `{}`, "open a graph")
	ask(t, &p, "planted", `{"Nodes": 80}`)
	const last = 79 // the index of the last node, and of the largest eigenvalue
	values := ask(t, &p, "filter.start", `{}`).Value.(FilterGraph).Values
	const tolerance = 1e-5 // replies have float32
	for _, args := range []string{
		`{"Signal": "noise", "Index": 2, "K": 0.6, "Layers": 3}`,
		`{"Signal": "class", "Index": 1, "K": 1.4, "Layers": 2}`,
		`{"Signal": "node", "Index": 5, "K": 0.6, "Layers": 1}`,
		`{"Signal": "eigenvector", "Index": 79, "K": 1, "Layers": 0}`,
	} {
		var a filterAsked
		testutil.NoError(t, json.Unmarshal([]byte(args), &a))
		r := ask(t, &p, "filter.apply", args)
		f := r.Value.(Filtered)
		before, after := r.Numbers["spectrumBefore"], r.Numbers["spectrumAfter"] // the coefficients
		var weighted, total float64
		for i, lambda := range values {
			want := float64(before[i]) * math.Pow(1-a.K*lambda, float64(a.Layers))
			if math.Abs(float64(after[i])-want) > tolerance {
				t.Errorf("%s: coefficient %d is %v, want %v", args, i, after[i], want)
			}
			weighted += lambda * want * want
			total += want * want
		}
		if want := weighted / total; math.Abs(f.RayleighAfter-want) > tolerance {
			t.Errorf("%s: Rayleigh quotient %v, want %v", args, f.RayleighAfter, want)
		}
		if want := a.K*values[last] <= 1; f.LowPass != want {
			t.Errorf("%s: low-pass %v, want %v", args, f.LowPass, want)
		}
	}
	refused(t, &p, "filter.apply", `{"Signal": "node", "Index": 80, "K": 0.5, "Layers": 1}`, "node 80", "79")
	refused(t, &p, "filter.apply", `{"Signal": "class", "Index": 0, "K": 0, "Layers": 1}`, "k")
}

// TestLab: which method wins changes with the graph, as lab.html says. Where only edges say something of the
// classes (high homophily, few words on the topic), Leiden, which sees edges alone, beats K-means, which
// sees features alone; where only words do, K-means wins; where both do, methods that see both are good. The
// clusters that the page draws have the accuracy that it shows, by package metric.
func TestLab(t *testing.T) {
	accuracies := func(planted string) map[string]float64 { // by method, on the planted graph with these settings
		t.Helper()
		var p Player
		ask(t, &p, "planted", planted)
		found := map[string]float64{}
		for _, name := range []string{"K-means", "Leiden", "LS", "LS+RA", "AGE"} {
			r := ask(t, &p, "method", `{"Method": "`+name+`", "Seed": 1}`)
			shown := *r.Value.(Found).ACC
			drawn := ints(r.Numbers["clusters"])
			if len(drawn) != p.g.N() || math.Abs(metric.Accuracy(p.g.Labels, drawn)-shown) > 1e-12 {
				t.Errorf("%s: the clusters are not those that are scored", name)
			}
			if chance := r.Value.(Found).Chance; chance < 0.26 || chance > 0.33 { // matched clusters are above ¼
				t.Errorf("%s: random clusters have ACC %v", name, chance)
			}
			found[name] = shown
		}
		return found
	}
	const far = 0.2 // in ACC
	if acc := accuracies(`{"Homophily": 0.95, "Topic": 0.05}`); acc["Leiden"] < acc["K-means"]+far {
		t.Errorf("good edges: ACC %v, want Leiden, which sees them, far above K-means", acc)
	}
	if acc := accuracies(`{"Homophily": 0.25, "Topic": 0.9}`); acc["K-means"] < acc["Leiden"]+far {
		t.Errorf("good words: ACC %v, want K-means, which sees them, far above Leiden", acc)
	}
	if acc := accuracies(`{"Homophily": 0.9, "Topic": 0.4}`); acc["LS"] < acc["K-means"] || acc["AGE"] < 0.7 {
		t.Errorf("both: ACC %v, want LS above K-means, and AGE above .7", acc)
	}
	var p Player
	ask(t, &p, "planted", `{}`)
	refused(t, &p, "method", `{"Method": "magic"}`, "magic", "LS+RA")
	refused(t, &p, "planted", `{"Homophily": 2}`, "homophily")
}

// ints returns the numbers of a reply, which are whole, as ints.
func ints(numbers []float32) []int {
	out := make([]int, len(numbers))
	for i, v := range numbers {
		out[i] = int(v)
	}
	return out
}

// TestTrainReplies: in the reply after the tenth epoch, the pairs that are shown as positive or negative are so
// by the thresholds, as scalar products of the embedding's rows in the same reply say, and the histogram
// counts all ordered pairs of nodes. Wrong requests are errors. The page can go back to an earlier epoch,
// and later ones are then forgotten.
func TestTrainReplies(t *testing.T) {
	var p Player
	refused(t, &p, "train.start", `{}`, "open a graph")
	refused(t, &p, "train.next", `{}`, "start a training")
	ask(t, &p, "planted", `{"Nodes": 200}`)
	refused(t, &p, "train.start", `{"learning_rate": -1}`, "learning_rate")
	refused(t, &p, "train.start", `{"thresholds": {"pos_start": 0.5, "pos_end": 0.5, "neg_start": 0.2, "neg_end": 0.2}}`, "threshold")
	refused(t, &p, "train.start", `{"Nonsense": 1}`, "Nonsense")
	ask(t, &p, "train.start", `{"layers": 3, "dims": 16, "epochs": 20, "ranking": "exact"}`)
	const dims = 16
	var r Reply
	for range 10 {
		r = ask(t, &p, "train.next", `{}`)
	}
	s, z := r.Value.(Epoch).Selected, r.Numbers["rows"]
	similarity := func(i, j int) (sum float64) {
		for d := range dims {
			sum += float64(z[dims*i+d]) * float64(z[dims*j+d])
		}
		return sum
	}
	for kind, fits := range map[string]func(similarity float64) bool{
		"positives": func(v float64) bool { return v >= float64(s.PosThreshold)-1e-5 },
		"negatives": func(v float64) bool { return v <= float64(s.NegThreshold)+1e-5 },
	} {
		ends := ints(r.Numbers[kind])
		const leastPairs = 50 // enough to compare
		if len(ends) < 2*leastPairs {
			t.Errorf("%d ends of %s, want %d pairs or more", len(ends), kind, leastPairs)
		}
		for pair := range slices.Chunk(ends, 2) {
			if v := similarity(pair[0], pair[1]); !fits(v) {
				t.Errorf("%s: nodes %d and %d have the similarity %.4f", kind, pair[0], pair[1], v)
			}
		}
	}
	total := 0
	for _, c := range s.Histogram {
		total += c
	}
	if total != 200*200 {
		t.Errorf("the histogram has %d pairs, want 200²", total)
	}
	refused(t, &p, "train.back", `{"Epoch": 15}`, "epoch 15")
	refused(t, &p, "train.back", `{"Epoch": 5, "Training": {"dims": 8}}`, "dimensions")
	if back := ask(t, &p, "train.back", `{"Epoch": 5}`).Value.(Epoch); back.Epoch != 5 || back.Done {
		t.Errorf("back at epoch %+v", back)
	}
	if _, ok := p.train.states[7]; ok {
		t.Error("an epoch after the one gone back to is kept")
	}
}

// TestMap: on the map of rows in three groups, two rows of the same group are nearer than two of different
// groups. A map that starts from the places of another one moves rows less far than the map is wide. Rows
// that do not fit the number of dimensions are an error.
func TestMap(t *testing.T) {
	const n = 60
	var rows []float32
	for i := range n {
		row := make([]float32, 4)
		row[i%3] = 1
		row[3] = float32(i) / 1000 // no two rows are equal
		rows = append(rows, row...)
	}
	var p Player
	call := func(numbers map[string][]float32) []float32 {
		t.Helper()
		r := testutil.Value(p.Call(t.Context(), Request{Name: "map", Args: json.RawMessage(`{"Dims": 4}`), Numbers: numbers})).OrFatal(t)
		return r.Numbers["places"]
	}
	places := call(map[string][]float32{"rows": rows})
	again := call(map[string][]float32{"rows": rows, "places": places})
	distance := func(a, b []float32, i, j int) float64 {
		return math.Hypot(float64(a[2*i]-b[2*j]), float64(a[2*i+1]-b[2*j+1]))
	}
	within := distance(places, places, 0, 3)  // row i is in group i%3
	between := distance(places, places, 0, 1) // of other groups
	if within > between {
		t.Errorf("rows of the same group are %v apart, of others %v", within, between)
	}
	var moved, width float64
	for i := range n {
		moved = max(moved, distance(places, again, i, i))
		width = max(width, distance(places, places, 0, i))
	}
	if moved > width {
		t.Errorf("from its places, the map moved by %v, more than its width %v", moved, width)
	}
	if _, err := p.Call(t.Context(), Request{Name: "map", Args: json.RawMessage(`{"Dims": 7}`), Numbers: map[string][]float32{"rows": rows}}); err == nil {
		t.Error("no error for rows that do not fit")
	}
}
