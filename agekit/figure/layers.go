package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// LayerScores are the scores of two networks on one data set: Entangled[t-1] and
// Separate[t-1] have a score of t layers for each seed.
type LayerScores struct {
	Name                string
	Entangled, Separate [][]float64
}

// LayersExplorer shows a graph autoencoder and LS+RA with a number of layers that
// the reader chooses: as chains of filters S, weight matrices W and ReLUs φ
// (paper, §5.3), and their NMI for each number of layers and each seed. A list
// chooses the data set.
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
	line := func(name string, scores [][]float64) Series {
		l := Series{Name: name}
		for _, values := range scores {
			mean, deviation := stat.MeanStdDev(values, nil)
			l.Y, l.Deviation = append(l.Y, mean), append(l.Deviation, deviation)
		}
		return l
	}
	return explorer{
		name: "layers", title: title,
		data:  map[string]any{"Sets": sets, "Layers": 1, "High": math.Ceil(10*highest) / 10}, // High ends the vertical axis
		still: Lines(sets[0].Name, "filter layers", "NMI", line("GAE", sets[0].Entangled), line("LS+RA", sets[0].Separate)),
		text:  fmt.Sprintf("%s: 1 to %d layers\n", title, len(sets[0].Entangled)),
	}.fragment()
}
