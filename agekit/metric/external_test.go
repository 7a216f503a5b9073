package metric_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/agekit/age/agekit/metric"
	"github.com/agekit/age/internal/testutil"
	"pgregory.net/rapid"
)

// golden holds labelings with scikit-learn's ACC, NMI and ARI, and scores of labeled pairs with its AUC and
// average precision.
type golden struct {
	Clustering []struct {
		True, Pred    []int
		ACC, NMI, ARI float64
	}
	Ranking []struct {
		Label   []int
		Score   []float64
		AUC, AP float64
	}
}

// readGolden returns the golden values of testdata/metrics.json.
func readGolden(t *testing.T) golden {
	t.Helper()
	var g golden
	readJSON(t, "testdata/metrics.json", &g)
	if len(g.Clustering) != 30 || len(g.Ranking) != 18 {
		t.Fatalf("%d clusterings and %d rankings, want 30 and 18", len(g.Clustering), len(g.Ranking))
	}
	return g
}

// readJSON reads the file at path into dst.
func readJSON(t *testing.T, path string, dst any) {
	t.Helper()
	data := testutil.Value(os.ReadFile(path)).OrFatal(t)
	testutil.NoError(t, json.Unmarshal(data, dst))
}

// wantNear checks that got is want up to the tolerance; name says what it is.
func wantNear(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g ± %g", name, got, want, tolerance)
	}
}

// TestExternalAgainstScikitLearn compares ACC with the accuracy after scipy's linear_sum_assignment,
// and NMI and ARI with scikit-learn's, for 30 pairs of labelings ([golden]), to 1e-9.
func TestExternalAgainstScikitLearn(t *testing.T) {
	for _, c := range readGolden(t).Clustering {
		wantNear(t, "ACC", metric.Accuracy(c.True, c.Pred), c.ACC, 1e-9)
		wantNear(t, "NMI", metric.NMI(c.True, c.Pred), c.NMI, 1e-9)
		wantNear(t, "ARI", metric.ARI(c.True, c.Pred), c.ARI, 1e-9)
	}
}

// TestExternalEdgeCases compares ACC, NMI, ARI and macro F1 with values worked out by hand, where
// labelings have no nodes, all nodes in one group, or each in its own.
func TestExternalEdgeCases(t *testing.T) {
	together, each := []int{4, 4, 4, 4}, []int{0, 1, 2, 3}
	halves := []int{0, 0, 1, 1}
	for _, c := range []struct {
		name               string
		truth, pred        []int
		acc, nmi, ari, mf1 float64 // in this order in the cases
	}{
		{"no nodes", nil, nil, 1, 1, 1, 1},
		{"one node", []int{3}, []int{-1}, 1, 1, 1, 1},
		{"one class, one cluster", together, []int{7, 7, 7, 7}, 1, 1, 1, 1},
		{"two classes, one cluster", halves, together, .5, 0, 0, 1. / 3},
		{"one class, all apart", together, each, .25, 0, 0, .4},
		{"all apart twice", each, []int{3, 2, 1, 0}, 1, 1, 1, 1},
		// I = H(U) = ln 2 and H(V) = 2 ln 2; 2 of 4 nodes agree; each class
		// has TP 1, FP 0, FN 1.
		{"more clusters than classes", halves, each, .5, 2. / 3, 0, 2. / 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantNear(t, "ACC", metric.Accuracy(c.truth, c.pred), c.acc, 1e-12)
			wantNear(t, "NMI", metric.NMI(c.truth, c.pred), c.nmi, 1e-12)
			wantNear(t, "ARI", metric.ARI(c.truth, c.pred), c.ari, 1e-12)
			wantNear(t, "macro F1", metric.MacroF1(c.truth, c.pred), c.mf1, 1e-12)
		})
	}
}

// TestLengthsMustAgree checks that each score of two labelings panics if their lengths differ.
func TestLengthsMustAgree(t *testing.T) {
	for name, f := range map[string]func(_, _ []int) float64{
		"Accuracy": metric.Accuracy, "MacroF1": metric.MacroF1, "NMI": metric.NMI, "ARI": metric.ARI,
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic for 2 classes and 0 clusters")
				}
			}()
			f([]int{0, 1}, nil)
		})
	}
}

// labelings draws two labelings of 1 to 40 nodes, each with groups from 0 to at most 5.
func labelings(t *rapid.T) (truth, pred []int) {
	n := rapid.IntRange(1, 40).Draw(t, "n")
	groups := func(name string) []int {
		return rapid.SliceOfN(rapid.IntRange(0, rapid.IntRange(0, 5).Draw(t, name+" groups")), n, n).Draw(t, name)
	}
	return groups("truth"), groups("pred")
}

// TestAccuracyAgainstAllAssignments compares the accuracy of random labelings with that of the best of all 720
// one-to-one maps of six clusters to six classes, tried one by one.
func TestAccuracyAgainstAllAssignments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth, pred := labelings(t)
		best := 0
		permutations([]int{0, 1, 2, 3, 4, 5}, 0, func(classOf []int) {
			agree := 0
			for i := range truth {
				if classOf[pred[i]] == truth[i] {
					agree++
				}
			}
			best = max(best, agree)
		})
		if got, want := metric.Accuracy(truth, pred), float64(best)/float64(len(truth)); got != want {
			t.Fatalf("accuracy %v, brute force %v", got, want)
		}
	})
}

// permutations calls visit with each order of the elements of p from the index from on. p is the slice
// that visit gets.
func permutations(p []int, from int, visit func([]int)) {
	if from == len(p) {
		visit(p)
		return
	}
	for i := from; i < len(p); i++ {
		p[from], p[i] = p[i], p[from]
		permutations(p, from+1, visit)
		p[from], p[i] = p[i], p[from]
	}
}

// TestARIAgainstPairCounts compares the ARI of random labelings with its formula in numbers of pairs of
// nodes, which the test counts one by one: true and false positives and negatives, where a pair in one
// class should be in one cluster.
func TestARIAgainstPairCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth, pred := labelings(t)
		var tp, fp, fn, tn float64
		for i := range truth {
			for j := range i {
				switch sameClass, sameCluster := truth[i] == truth[j], pred[i] == pred[j]; {
				case sameClass && sameCluster:
					tp++
				case sameCluster:
					fp++
				case sameClass:
					fn++
				default:
					tn++
				}
			}
		}
		want := 1.0
		if fp+fn > 0 {
			want = 2 * (tp*tn - fn*fp) / ((tp+fn)*(fn+tn) + (tp+fp)*(fp+tn))
		}
		if got := metric.ARI(truth, pred); math.Abs(got-want) > 1e-12 {
			t.Fatalf("ARI %v, from pairs %v", got, want)
		}
	})
}

// TestNamesDoNotMatter checks properties of the scores of random labelings: ACC, NMI and ARI are the
// same with other names of classes and clusters and another order of the nodes, and with the two
// labelings swapped, and they are from −0.5 to 1. A labeling has the scores 1 with itself, macro F1
// among them.
func TestNamesDoNotMatter(t *testing.T) {
	names := []int{-7, 1000000, 3, 12, 0, 5} // of the groups 0 to 5
	rapid.Check(t, func(t *rapid.T) {
		truth, pred := labelings(t)
		seed := rapid.Uint64().Draw(t, "seed")
		order := rand.New(rand.NewPCG(seed, 0)).Perm(len(truth))
		renamed := func(labels []int) []int {
			out := make([]int, len(labels))
			for k, from := range order {
				out[k] = names[labels[from]]
			}
			return out
		}
		for name, f := range map[string]func(_, _ []int) float64{
			"ACC": metric.Accuracy, "NMI": metric.NMI, "ARI": metric.ARI,
		} {
			want := f(truth, pred)
			if !(want >= -0.5 && want <= 1) {
				t.Fatalf("%s = %v outside its range", name, want)
			}
			if got := f(renamed(truth), renamed(pred)); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s = %v after renaming, %v before", name, got, want)
			}
			if got := f(pred, truth); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s = %v after swapping, %v before", name, got, want)
			}
			if got := f(renamed(truth), renamed(truth)); math.Abs(got-1) > 1e-12 {
				t.Fatalf("%s = %v of a labeling with itself", name, got)
			}
		}
		if got := metric.MacroF1(truth, truth); got != 1 {
			t.Fatalf("macro F1 of a labeling with itself = %v", got)
		}
	})
}

// TestConfusion compares the confusion matrix of random labelings with counts of the nodes, made one by
// one, and checks the order of its rows and columns that [metric.Confusion] promises. The assigned
// clusters agree with the accuracy. Macro F1 is compared with its definition, from true and false
// positives and false negatives under that assignment.
func TestConfusion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		truth, pred := labelings(t)
		m := metric.NewConfusion(truth, pred)
		total, agree := 0, 0     // number of nodes, and of those in the cluster assigned to their class
		classOf := map[int]int{} // of each assigned cluster
		for r, class := range m.Classes {
			for c, cluster := range m.Clusters {
				count := 0
				for i := range truth {
					if truth[i] == class && pred[i] == cluster {
						count++
					}
				}
				if count != m.Counts[r][c] {
					t.Fatalf("count of class %d in cluster %d is %d, want %d", class, cluster, m.Counts[r][c], count)
				}
				total += count
			}
			if c := m.Assigned[r]; c >= 0 {
				if len(m.Clusters) >= len(m.Classes) && c != r {
					t.Fatalf("row %d is assigned column %d, want the diagonal", r, c)
				}
				classOf[m.Clusters[c]] = class
				agree += m.Counts[r][c]
			}
		}
		if total != len(truth) {
			t.Fatalf("%d nodes counted, want %d", total, len(truth))
		}
		if want := min(len(m.Classes), len(m.Clusters)); len(classOf) != want {
			t.Fatalf("%d clusters assigned, want %d", len(classOf), want)
		}
		if !slices.IsSorted(m.Classes) {
			t.Fatalf("classes %v not ascending", m.Classes)
		}
		if unassigned := m.Clusters[len(classOf):]; !slices.IsSorted(unassigned) {
			t.Fatalf("unassigned clusters %v not ascending", unassigned)
		}
		if want := metric.Accuracy(truth, pred); float64(agree)/float64(total) != want {
			t.Fatalf("%d of %d agree, accuracy %v", agree, total, want)
		}

		f1 := 0.0
		for _, class := range m.Classes {
			var tp, fp, fn float64
			for i := range truth {
				predicted, ok := classOf[pred[i]]
				switch {
				case ok && predicted == class && truth[i] == class:
					tp++
				case ok && predicted == class:
					fp++
				case truth[i] == class:
					fn++
				}
			}
			f1 += 2 * tp / (2*tp + fp + fn) / float64(len(m.Classes))
		}
		if got := metric.MacroF1(truth, pred); math.Abs(got-f1) > 1e-12 {
			t.Fatalf("macro F1 = %v, from the definition %v", got, f1)
		}
	})
}
