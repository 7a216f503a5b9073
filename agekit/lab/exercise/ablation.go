package exercise

import (
	"fmt"
	"math"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/graph"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// ablation are the exercises of notebook 7.
var ablation = []exercise{
	{"7.1", answering("a probability, such as 0.05", checkSmallestP),
		"So five seeds never get below the usual limit of 0.05 by this test, even if every one of them improves. Ten seeds can: their smallest p is 2/2¹⁰, about 0.002. With three it is 0.25, so do not read much into a curve over three seeds."},
	{"7.2", answering("a whole number of layers", checkLayersForK),
		"For small λ, (1 − kλ)ᵗ is about exp(−ktλ): half the k needs about twice the layers. So k and t are nearly one setting, as long as k stays below 1/λmax. What k adds is what happens to the high frequencies."},
	{"7.3", answering("a function of the scores before and after", checkPairedError),
		"The two runs of a seed share its luck, and the difference cancels what they share. That is why pairs tell more than two separate means."},
}

// checkSmallestP checks the smallest p of a test that changes the signs of the differences of
// five seeds: if all five improve, two of the 2⁵ choices of signs are as extreme.
func checkSmallestP(_ *graph.Graph, answer float64) string {
	const choices = 1 << 5
	want := 2.0 / choices
	return firstOf([]finding{
		{closeTo(answer, want, 0.05), ""},
		{answer == 0.05, "0.05 is the limit below which many people call a result significant. The question is how small p can become at all."},
		{closeTo(answer, 100*want, 0.05) || closeTo(answer, 50*want, 0.05), "That looks like a percentage. A probability lies between 0 and 1."},
		{answer < 0 || answer > 1, "A probability lies between 0 and 1."},
		{closeTo(answer, want/2, 0.05), "That is the share of one choice of signs. If all five seeds improve, there is a second choice whose mean is as far from 0, on the other side."},
		{closeTo(answer, 2.0/120, 0.05) || closeTo(answer, 1.0/120, 0.05), "That counts the orders of five seeds. The test changes signs, not the order: each difference has one of two."},
		{closeTo(answer, 2.0/1024, 0.05) || closeTo(answer, 1.0/1024, 0.05), "That is for ten seeds, as in the cell above. Fewer seeds have fewer choices of signs."},
		{closeTo(answer, 0.2, 0.05) || closeTo(answer, 0.4, 0.05), "Five seeds do not make five choices of signs. Each difference can have either sign, independently of the others: how many choices do five of them have?"},
		{answer == 0.5, "0.5 is the probability that one seed improves by chance. How likely is it for all five at once?"},
		{answer > want, "p can become smaller. Think of the clearest result there is: all five seeds improve. For how many of all choices of signs is the mean that far from 0?"},
		{true, "p cannot become that small. Count all choices of signs of five differences, and those among them that are as extreme as the clearest result."},
	})
}

// checkLayersForK checks the number of layers with k = 1/3 after which the features are as rough,
// by their mean Rayleigh quotient, as after eight layers with k = 2/3. A number is right if
// neither one layer fewer nor one more comes closer.
func checkLayersForK(g *graph.Graph, answer int) string {
	const most = 64 // layers that are tried: each takes time
	if answer < 0 || answer > most {
		return fmt.Sprintf("Look between 1 and %d layers.", most)
	}
	roughness := func(k float64, layers int) float64 {
		return stat.Mean(agekit.RayleighQuotients(g, must(agekit.Smooth(g, k, layers))), nil)
	}
	target := roughness(2.0/3, 8)
	distance := func(layers int) float64 { return math.Abs(roughness(1.0/3, layers) - target) }
	here, fewer, more := distance(answer), distance(answer-1), distance(answer+1)
	return firstOf([]finding{
		{here <= fewer && here <= more, ""},
		{answer == 8, "With the same eight layers, half the k removes much less. How rough are the features that the cell prints, compared with k = 2/3?"},
		{answer == 4, "A smaller k removes less in each layer, so it needs more layers, not fewer."},
		{more < here && more < 0.05*target, fmt.Sprintf("Nearly: %d layers are a little too rough. One more is closer.", answer)},
		{fewer < here && fewer < 0.05*target, fmt.Sprintf("Nearly: %d layers are a little too smooth. One fewer is closer.", answer)},
		{more < here, fmt.Sprintf("After %d layers with k = 1/3, the features are rougher than with k = 2/3 and 8 layers. Try more.", answer)},
		{true, fmt.Sprintf("After %d layers with k = 1/3, the features are smoother than with k = 2/3 and 8 layers. Try fewer.", answer)},
	})
}

// checkPairedError tries a student's function on the scores of five seeds before and after a
// step. It must return the mean difference and the standard error of this mean.
func checkPairedError(_ *graph.Graph, answer func(before, after []float64) (float64, float64)) string {
	before := []float64{0.50, 0.60, 0.55, 0.65, 0.70}
	after := []float64{0.53, 0.62, 0.56, 0.69, 0.75}
	n := float64(len(before))
	differences := floats.SubTo(make([]float64, len(before)), after, before)
	mean, deviation := stat.MeanStdDev(differences, nil)
	gotMean, got := answer(before, after)
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-9 }
	unpaired := math.Sqrt((stat.Variance(before, nil) + stat.Variance(after, nil)) / n)
	example := fmt.Sprintf(" (Tried with %v before and %v after.)", before, after)
	return firstOf([]finding{
		{gotMean == 0 && got == 0, "There is no answer yet: the function returns 0 and 0."},
		{near(gotMean, -mean), "The mean has the wrong sign: a step that improves every seed has a positive difference." + example},
		{!near(gotMean, mean), fmt.Sprintf("The mean difference is not %.4g. Subtract seed by seed, then take the mean.", gotMean) + example},
		{near(got, deviation/math.Sqrt(n)), ""},
		{near(got, deviation), "That is the deviation of the differences: how much one seed differs from another. The mean of n seeds is more certain than one seed, by the factor √n." + example},
		{near(got, deviation*deviation/n) || near(got, deviation*deviation), "That is a variance. Its square root has the unit of a score." + example},
		{near(got, unpaired), "That is the standard error of two separate means. It contains how much the seeds differ from each other, which the pairs cancel: start from the differences." + example},
		{near(got, deviation*math.Sqrt((n-1)/n)/math.Sqrt(n)), "That divides by n. The mean was itself computed from the differences, so the variance divides by n − 1, or it comes out too small." + example},
		{near(got, deviation/n), "That divides the deviation by n. Variances of independent seeds add up, so the deviation of their mean falls with √n only." + example},
		{true, fmt.Sprintf("The mean is right, the standard error is not %.4g. It is about the differences: their deviation, and how many there are.", got) + example},
	})
}
