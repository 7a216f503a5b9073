package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/plotter"
)

// LayerScores are the scores of two networks on the data set Name: Entangled[t-1] are the
// scores of a graph autoencoder with t layers, one for each seed, and Separate[t-1] those of
// LS+RA with t filter layers.
type LayerScores struct {
	Name                string
	Entangled, Separate [][]float64
}

// LayersExplorer shows a graph autoencoder and LS+RA with a number of layers that
// the reader chooses: as chains of filters S, weight matrices W and ReLUs φ
// (paper, §5.3), and the NMI of each network for each number of layers and each seed. A
// list chooses the data set. All sets have the same number of layers, or LayersExplorer
// panics. Where scripts do not run, a chart of the first set stands instead.
func LayersExplorer(title string, sets []LayerScores) Fragment {
	if len(sets) == 0 {
		return refused("%w", errNoData)
	}
	highest := 0.0
	for _, s := range sets {
		require(len(s.Entangled) == len(sets[0].Entangled) && len(s.Separate) == len(sets[0].Entangled), "%s has scores of %d and %d layers: want %d", s.Name, len(s.Entangled), len(s.Separate), len(sets[0].Entangled))
		for t, values := range slices.Concat(s.Entangled, s.Separate) {
			if len(values) == 0 || !finite(values...) || slices.Min(values) < 0 {
				return refused("%s, entry %d: scores %v: want numbers from 0", s.Name, t, values)
			}
			highest = max(highest, slices.Max(values))
		}
	}
	means := []Series{{Name: "GAE"}, {Name: "LS+RA"}}
	dots := make([]plotter.XYs, len(means)) // one for each seed
	for k, scores := range [][][]float64{sets[0].Entangled, sets[0].Separate} {
		for t, values := range scores {
			means[k].Y = append(means[k].Y, stat.Mean(values, nil))
			for _, value := range values {
				dots[k] = append(dots[k], plotter.XY{X: float64(t + 1), Y: value})
			}
		}
	}
	still := Lines(sets[0].Name, "filter layers", "NMI", means...)
	for k, points := range dots {
		still.panels[0].Add(&plotter.Scatter{XYs: points, GlyphStyle: glyphStyle(k, 2)})
	}
	return explorer{
		name: "layers", title: title,
		data:  map[string]any{"Sets": sets, "Layers": 1, "High": math.Ceil(10*highest) / 10}, // High ends the vertical axis
		still: still,
		text:  fmt.Sprintf("%s: 1 to %d layers\n", title, len(sets[0].Entangled)),
	}.fragment()
}
