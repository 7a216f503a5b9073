package lab

import (
	"math"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/metric"
	"gonum.org/v1/gonum/mat"
)

// TestFeatureProducts compares the products XXᵀ of a corner of Cora with gonum's.
func TestFeatureProducts(t *testing.T) {
	g, _ := Corner(cora(), 20)
	x := g.Features.ToDense()
	dense := mat.NewDense(x.Rows, x.Cols, nil)
	for i := range x.Rows {
		for j := range x.Cols {
			dense.Set(i, j, float64(x.Data[i*x.Stride+j]))
		}
	}
	var want mat.SymDense
	want.SymOuterK(1, dense)
	if !mat.EqualApprox(FeatureProducts(g), &want, 1e-9) {
		t.Error("the products differ from XXᵗ")
	}
}

// TestRankingTables: notebook 06 shows the AUC and the average precision of its small example,
// which were worked out by hand, and package metric computes the same.
func TestRankingTables(t *testing.T) {
	shown := ""
	for _, c := range cells(t, "06") {
		for _, o := range c.Outputs {
			shown += string(o.Data["text/html"])
		}
	}
	for _, want := range []string{"right: 15.5 of 20", "1/1 = 1.000", "2/2 = 1.000", "3/4 = 0.750", "4/8 = 0.500"} {
		if !strings.Contains(shown, want) {
			t.Errorf("notebook 06 shows no %q", want)
		}
	}
	edges, others := []float64{0.9, 0.8, 0.6, 0.3}, []float64{0.7, 0.5, 0.4, 0.3, 0.1}
	positive := []bool{true, true, true, true, false, false, false, false, false}
	scores := append(append([]float64(nil), edges...), others...)
	if got := metric.AUC(positive, scores); math.Abs(got-15.5/20) > 1e-12 {
		t.Errorf("AUC %v, want 15.5/20", got)
	}
	if got := metric.AveragePrecision(positive, scores); math.Abs(got-(1+1+0.75+0.5)/4) > 1e-12 {
		t.Errorf("AP %v, want 3.25/4", got)
	}
}
