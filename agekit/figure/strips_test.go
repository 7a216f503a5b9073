package figure_test

import (
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
)

func ExampleStrips() {
	figure.Strips("Accuracy over ten seeds", "ACC", []float64{0.75, math.NaN(), 0.67},
		figure.Series{Name: "A", Y: []float64{0.70, 0.72, 0.74, 0.71, 0.73}},
		figure.Series{Name: "B", Y: []float64{0.66, 0.70, 0.69}},
		figure.Series{Name: "one", Y: []float64{0.68}},
	).Save("testdata/strips.png")
}

// TestStripsLegend: the legend has "printed" only if a strip has a printed value.
func TestStripsLegend(t *testing.T) {
	strip := figure.Series{Name: "a", Y: []float64{1, 2}}
	if text := svgText(t, figure.Strips("", "", []float64{math.NaN()}, strip)); strings.Contains(text, "printed") {
		t.Errorf("without a printed value, the text is %q", text)
	}
	if text := svgText(t, figure.Strips("", "", []float64{3}, strip)); !strings.Contains(text, "printed") {
		t.Errorf("with a printed value, the text is %q", text)
	}
}

// TestStripsRefuse: no strips, a strip without values or with NaN, and an infinite printed
// value are errors. (The printed value is infinite in all cases, and the only fault of the
// last one.)
func TestStripsRefuse(t *testing.T) {
	for name, strips := range map[string][]figure.Series{
		"none": nil, "empty": {{Name: "a"}}, "NaN": {{Name: "a", Y: []float64{math.NaN()}}}, "infinite": {{Name: "a", Y: []float64{1}}},
	} {
		if figure.Strips("", "", []float64{math.Inf(1)}, strips...).Show() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
