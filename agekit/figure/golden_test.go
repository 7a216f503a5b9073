package figure_test

import (
	"os"
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

// TestGoldenImages compares the figures that the examples save with the images in
// testdata. "go test -regen" draws these images again. A pixel may differ by a tenth of
// the largest color difference, since floating point differs between machines.
func TestGoldenImages(t *testing.T) {
	for name, example := range map[string]func(){
		"eigenvalues": ExampleEigenvalueHistogram,
		"response":    ExampleFrequencyResponse,
		"rayleigh":    ExampleRayleighBeforeAfter,
		"similarity":  ExampleSimilarityHistogram,
		"thresholds":  ExampleThresholds,
		"loss":        ExampleFigure_VLine,
		"lines":       ExampleLines,
		"bars":        ExampleBars,
		"scatter":     ExampleScatter2D,
		"row":         ExampleRow,
		"confusion":   ExampleConfusion,
		"strips":      ExampleStrips,
		"paired":      ExamplePaired,
		"race":        ExampleRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { os.Remove("testdata/" + name + ".png") })
			cmpimg.CheckPlotApprox(example, t, 0.1, name+".png")
		})
	}
}
