package figure_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/figure"
)

func ExampleStrips() {
	figure.Strips("Accuracy over ten seeds", "ACC",
		figure.Strip{Name: "A", Y: []float64{0.70, 0.72, 0.74, 0.71, 0.73}, Printed: 0.75},
		figure.Strip{Name: "B", Y: []float64{0.66, 0.70, 0.69}, Printed: math.NaN()},
		figure.Strip{Name: "one", Y: []float64{0.68}, Printed: 0.67},
	).Save("testdata/strips.png")
}

// TestStripsLegend: the printed value is explained only where there is one.
func TestStripsLegend(t *testing.T) {
	strip := figure.Strip{Name: "a", Y: []float64{1, 2}, Printed: math.NaN()}
	if text := svgText(t, figure.Strips("", "", strip)); strings.Contains(text, "printed") {
		t.Errorf("text %q", text)
	}
	strip.Printed = 3
	if text := svgText(t, figure.Strips("", "", strip)); !strings.Contains(text, "printed") {
		t.Errorf("text %q", text)
	}
}

func TestStripsRefuse(t *testing.T) {
	for name, strips := range map[string][]figure.Strip{
		"none": nil, "empty": {{Name: "a"}}, "NaN": {{Name: "a", Y: []float64{math.NaN()}}},
		"infinite": {{Name: "a", Y: []float64{1}, Printed: math.Inf(1)}},
	} {
		if figure.Strips("", "", slices.Clone(strips)...).Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
