package experiment

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/baseline"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/testutil"
)

// TestOwn: AGE finds planted classes, and those of nodes that come later; labels change
// nothing but scores.
func TestOwn(t *testing.T) {
	const name = "planted:n=200,f=120,classes=4,degree=6,words=12,topic=0.6" // large enough for a training
	g := testutil.Value(dataset.Load(t.Context(), name, dataset.Options{})).OrFatal(t)
	r := Run{Task: ownTask, Dataset: name, Seed: 1}
	a := testutil.Value(carryOut(t.Context(), g, r, baseline.Options{})).OrFatal(t)
	if acc := a.scores[chosenName+": ACC"]; acc < 0.9 {
		t.Errorf("ACC %.3f", acc)
	}
	if d := a.scores[full] - a.scores[later]; math.Abs(d) > 0.1 || a.scores[full] < 0.85 {
		t.Errorf("later nodes: ACC %.3f, %.3f in the training with all", a.scores[later], a.scores[full])
	}
	if err := a.release(); err != nil {
		t.Error(err)
	}
	permuted := *g
	permuted.Labels = slices.Clone(g.Labels)
	slices.Sort(permuted.Labels)
	b := testutil.Value(carryOut(t.Context(), &permuted, r, baseline.Options{})).OrFatal(t)
	for name, v := range a.scores {
		needsLabels := name == later || name == full || strings.HasSuffix(name, "ACC") || strings.HasSuffix(name, "NMI") || strings.HasSuffix(name, "ARI") || strings.HasSuffix(name, "F1")
		if !needsLabels && b.scores[name] != v {
			t.Errorf("%s is %v, with permuted labels %v", name, v, b.scores[name])
		}
	}
	if a.scores[chosenName+": ACC"] == b.scores[chosenName+": ACC"] {
		t.Error("the same ACC with permuted labels")
	}
}

// TestAccuracyOf: clusters are matched by all nodes, and nodes without a class do not
// count.
func TestAccuracyOf(t *testing.T) {
	labels := []int{0, 0, 0, 1, 1, 1, graph.Unknown, 1}
	clusters := []int{2, 2, 2, 5, 5, 2, 5, 7}
	for _, test := range []struct {
		nodes []int
		want  float64
	}{
		{[]int{0, 3}, 1},
		{[]int{0, 3, 5, 6}, 2. / 3}, // node 5 is with the others' class
		{[]int{5, 7}, 0},            // cluster 7 has no class
	} {
		if got := accuracyOf(test.nodes, labels, clusters); got != test.want {
			t.Errorf("%v: %v, want %v", test.nodes, got, test.want)
		}
	}
}

// TestSplit: a fifth of the nodes is later, and each node is on one side.
func TestSplit(t *testing.T) {
	known, late := split(101, Run{Seed: 3}.random("test"))
	if len(late) != 20 || !slices.IsSorted(late) || !slices.IsSorted(known) {
		t.Errorf("%d known, %d later nodes: want 81 and 20, in order", len(known), len(late))
	}
	all := slices.Concat(known, late)
	slices.Sort(all)
	if len(slices.Compact(all)) != 101 {
		t.Error("a node is missing or on both sides")
	}
}
