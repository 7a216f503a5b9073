package reproduce

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/pairs"
	"github.com/agekit/age/internal/testutil"
)

// TestTuningRuns: each t is there once, the paper's as a run of table 2, and each threshold is halved and, within
// bounds, doubled. The settings that a run is made with differ from the paper's in that one alone.
func TestTuningRuns(t *testing.T) {
	for dataset, most := range map[string]int{"cora": 10, "citeseer": 6, "wiki": 6} {
		paper, _ := encoder.PaperOptions(dataset)
		var layers []int
		var changed []pairs.Thresholds
		hashes := map[string]bool{}
		for _, r := range tuning.Runs(Selection{Datasets: []string{dataset}, Modes: Modes(), Seeds: 1}) {
			hash, settings, err := r.Hash()
			testutil.NoError(t, err)
			hashes[hash] = true
			var used struct {
				Method struct {
					Filters []struct{ Layers int }
					Config  struct{ Thresholds pairs.Thresholds }
				}
			}
			testutil.NoError(t, json.Unmarshal(settings, &used))
			t1, thr := used.Method.Filters[0].Layers, used.Method.Config.Thresholds
			testutil.NoError(t, thr.Check())
			switch {
			case thr == paper.Thresholds && t1 == paper.Layers && slices.Contains(layers, t1): // of the other table, too
			case thr == paper.Thresholds:
				layers = append(layers, t1)
				if t1 == paper.Layers && !slices.Contains(table2.Runs(Selection{}), r) {
					t.Errorf("%s: %v is not in table 2", dataset, r)
				}
			case t1 == paper.Layers:
				changed = append(changed, thr)
			default:
				t.Errorf("%s: %v changes t and thresholds", dataset, r)
			}
		}
		var want []int
		for l := 1; l <= most; l++ {
			want = append(want, l)
		}
		if !slices.Equal(layers, want) || len(changed) != 8 || len(hashes) != most+8 {
			t.Errorf("%s: t %v, thresholds %v, %d hashes", dataset, layers, changed, len(hashes))
		}
		p := paper.Thresholds
		for _, one := range []pairs.Thresholds{
			{PosStart: p.PosStart / 2, PosEnd: p.PosEnd, NegStart: p.NegStart, NegEnd: p.NegEnd},
			{PosStart: p.PosStart, PosEnd: 2 * p.PosEnd, NegStart: p.NegStart, NegEnd: p.NegEnd},
			{PosStart: p.PosStart, PosEnd: p.PosEnd, NegStart: 0.2, NegEnd: p.NegEnd},
			{PosStart: p.PosStart, PosEnd: p.PosEnd, NegStart: p.NegStart, NegEnd: 0.75},
		} {
			if !slices.Contains(changed, one) {
				t.Errorf("%s: no run with %+v", dataset, one)
			}
		}
	}
}

// TestTuningTable: from a few records, the rows that were worked out by hand, in the order of t. Seed 2, which
// one of the two numbers of layers lacks, is left out there. The note says what the index chooses.
func TestTuningTable(t *testing.T) {
	results := newResults(t)
	less := pairs.Thresholds{PosStart: 0.0015, PosEnd: 0.0005, NegStart: 0.1, NegEnd: 0.5}
	for _, r := range []struct {
		Run
		acc, index float64
	}{
		{Run{Seed: 1}, 0.7, 1.5}, {Run{Seed: 2}, 0.8, 1.1}, {Run{Layers: 2, Seed: 1}, 0.6, 1.4},
		{Run{Thresholds: less, Seed: 1}, 0.8, 1.2}, {Run{Thresholds: less, Seed: 2}, 0.8, 1.8},
	} {
		r.Task, r.Dataset, r.Method, r.Mode = Clustering, "citeseer", "AGE", Paper
		put(t, results, r.Run, map[string]float64{"ACC": r.acc, "DBI": r.index})
	}
	out := render(t, tuning, Selection{Datasets: []string{"citeseer"}, Seeds: 2}, results)
	want := [][]string{
		{"t", "2", "1", "1.400", ".600"},
		{"t", "3 (table 5)", "1", "1.500", ".700"},
		{"t", "3 (table 5)", "2", "1.300 ± .283", ".750 ± .071"},
		{"r_pos at last", "0.0005", "2", "1.500 ± .424", ".800 ± .000"},
	}
	var rows [][]string
	for _, table := range out.Tables {
		rows = append(rows, table.Rows...)
	}
	if !slices.EqualFunc(rows, want, slices.Equal) || len(out.Tables) != 2 || len(out.Figures) != 1 {
		t.Errorf("tables %v, want the rows %q", out.Tables, want)
	}
	for i, note := range []string{
		"Citeseer, t: of 2 settings, the index is lowest, 1.400, at t = 2, with ACC .600; table 5 has 1.500 and ACC .700. The highest ACC, by the labels, is .700, at table 5.",
		"Citeseer, thresholds: of 2 settings, the index is lowest, 1.300, at table 5, with ACC .750. The highest ACC, by the labels, is .800, at r_pos at last = 0.0005.",
	} {
		if out.Notes[i] != note {
			t.Errorf("note %q, want %q", out.Notes[i], note)
		}
	}
}
