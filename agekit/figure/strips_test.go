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

// TestStripsLegend: the printed value is explained only where there is one.
func TestStripsLegend(t *testing.T) {
	strip := figure.Series{Name: "a", Y: []float64{1, 2}}
	if text := svgText(t, figure.Strips("", "", []float64{math.NaN()}, strip)); strings.Contains(text, "printed") {
		t.Errorf("text %q", text)
	}
	if text := svgText(t, figure.Strips("", "", []float64{3}, strip)); !strings.Contains(text, "printed") {
		t.Errorf("text %q", text)
	}
}

// TestStripsRefuse: strips that cannot be drawn, or a printed value that is infinite, are errors.
func TestStripsRefuse(t *testing.T) {
	for name, strips := range map[string][]figure.Series{
		"none": nil, "empty": {{Name: "a"}}, "NaN": {{Name: "a", Y: []float64{math.NaN()}}}, "infinite": {{Name: "a", Y: []float64{1}}},
	} {
		if figure.Strips("", "", []float64{math.Inf(1)}, strips...).Show() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
