package figure_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/agekit/age/agekit/figure"
	"gonum.org/v1/gonum/blas/blas32"
)

// spectrum is a distribution of eigenvalues like that of a citation graph.
func spectrum() figure.Bins {
	counts := make([]float64, 40)
	for i := range counts {
		lambda := (float64(i) + 0.5) / 20 // the middle of a bin
		if lambda < 1.48 {                // the largest eigenvalue
			counts[i] = math.Floor(170 * math.Exp(-6*(lambda-0.85)*(lambda-0.85)))
		}
	}
	counts[0] += 80 // eigenvalue 0, once for each component
	return figure.Bins{Counts: counts, Hi: 2}
}

// save saves f, or ends the program.
func save(f *figure.Figure, path string) {
	if err := f.Save(path); err != nil {
		log.Fatal(err)
	}
}

// A figure is saved in the format of its file name.
func ExampleFigure_Save() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f := figure.EigenvalueHistogram("The filter on Cora", spectrum(), 1.4826, figure.Response{K: 1 / 1.4826, Layers: 8})
	for _, name := range []string{"response.svg", "response.png", "response.doc"} {
		fmt.Println(name, f.Save(filepath.Join(dir, name)) == nil)
	}
	// Output:
	// response.svg true
	// response.png true
	// response.doc false
}

func ExampleEigenvalueHistogram() {
	f := figure.EigenvalueHistogram("Eigenvalues of a citation graph", spectrum(), 1.4826,
		figure.Response{K: 1, Layers: 1}, figure.Response{K: 1 / 1.4826, Layers: 1}, figure.Response{K: 1 / 1.4826, Layers: 8})
	save(f, "testdata/eigenvalues.png")
}

func ExampleFrequencyResponse() {
	f := figure.FrequencyResponse("Low-pass or not", 1.4826,
		figure.Response{K: 1, Layers: 1}, figure.Response{K: 1, Layers: 4},
		figure.Response{K: 0.6745, Layers: 1}, figure.Response{K: 0.6745, Layers: 8})
	save(f, "testdata/response.png")
}

func ExampleRayleighBeforeAfter() {
	rnd := rand.New(rand.NewPCG(1, 1))
	var before, after []float64
	for range 1433 {
		r := 0.85 + 0.12*rnd.NormFloat64()
		before, after = append(before, r), append(after, 0.25*r+0.05*rnd.Float64())
	}
	save(figure.RayleighBeforeAfter("Smoothness of the features", before, after), "testdata/rayleigh.png")
}

func ExampleSimilarityHistogram() {
	counts := make([]float64, 60)
	thresholds, selected := [2]float64{0.12, 0.86}, [2]int{}
	for i := range counts {
		s := (float64(i) + 0.5) / 60
		counts[i] = math.Floor(7e5*math.Exp(-20*s)) + math.Floor(4000*math.Exp(-300*(s-0.97)*(s-0.97)))
		if s < thresholds[0] {
			selected[0] += int(counts[i])
		}
		if s > thresholds[1] {
			selected[1] += int(counts[i])
		}
	}
	f := figure.SimilarityHistogram("Similarities and thresholds", figure.Bins{Counts: counts, Hi: 1}, thresholds, selected)
	save(f, "testdata/similarity.png")
}

func ExampleThresholds() {
	var epochs, pos, neg []float64
	for e := 0; e <= 400; e += 10 {
		share := float64(e) / 400
		epochs = append(epochs, float64(e))
		pos, neg = append(pos, 0.001+0.01*share), append(neg, 0.1+0.4*share)
	}
	save(figure.Thresholds("Threshold schedule", epochs, pos, neg), "testdata/thresholds.png")
}

func ExampleFigure_VLine() {
	rnd := rand.New(rand.NewPCG(1, 1))
	var loss []float64
	for i := range 5000 {
		loss = append(loss, 0.2+0.5*math.Exp(-float64(i)/800)+0.01*rnd.Float64())
	}
	save(figure.Lines("Training loss", "step", "loss", figure.Series{Y: loss}).VLine(3200, "chosen"), "testdata/loss.png")
}

func ExampleLines() {
	layers := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	f := figure.Lines("Cora", "filter layers", "NMI",
		figure.Series{Name: "GAE", X: layers, Y: []float64{0.43, 0.44, 0.42, 0.38, 0.32, 0.38, 0.32, 0.31},
			Deviation: []float64{0.01, 0.02, 0.02, 0.03, 0.05, math.NaN(), 0.03, 0.04}},
		figure.Series{Name: "LS+RA", X: layers, Y: []float64{0.46, 0.43, 0.45, 0.39, 0.41, 0.39, 0.37, 0.39}})
	save(f, "testdata/lines.png")
}

func ExampleBars() {
	f := figure.Bars("Clustering of Cora", "score", []string{"ACC", "NMI", "ARI"},
		figure.Series{Name: "smoothed", Y: []float64{0.638, 0.492, 0.373}},
		figure.Series{Name: "trained", Y: []float64{0.734, 0.579, 0.541}},
		figure.Series{Name: "paper", Y: []float64{0.768, 0.607, 0.565}})
	save(f, "testdata/bars.png")
}

// maps returns three maps of the same classes, better separated each time.
func maps(classes int) (maps []blas32.General, labels []int, names []string) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for c := range classes {
		names = append(names, fmt.Sprintf("Reinforcement Learning %d", c))
	}
	const n = 170
	for i := range n {
		labels = append(labels, i%classes)
	}
	for _, spread := range []float64{3, 8, 14} {
		m := blas32.General{Rows: n, Cols: 2, Stride: 2}
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(labels[i]) / float64(classes))
			m.Data = append(m.Data, float32(spread*cos+2*rnd.NormFloat64()), float32(spread*sin+2*rnd.NormFloat64()))
		}
		maps = append(maps, m)
	}
	return maps, labels, names
}

func ExampleScatter2D() {
	m, labels, names := maps(17)
	save(figure.Scatter2D("Seventeen classes", m[2], labels, names), "testdata/scatter.png")
}

func ExampleRow() {
	m, labels, names := maps(7)
	f := figure.Row(
		figure.Scatter2D("Raw features", m[0], labels, names),
		figure.Scatter2D("Embedding", m[2], labels, names))
	save(f, "testdata/row.png")
}

func ExampleConfusion() {
	f := figure.Confusion("Classes against clusters",
		[][]int{{285, 8, 20, 3, 2, 5, 28}, {12, 150, 3, 0, 11, 4, 0}, {7, 2, 400, 9, 0, 0, 0}, {30, 1, 2, 366, 10, 4, 13},
			{81, 0, 0, 12, 204, 0, 1}, {0, 22, 0, 1, 0, 194, 0}, {44, 6, 18, 120, 5, 77, 548}},
		[]string{"Theory", "Rule Learning", "Neural Networks", "Case Based", "Reinforcement Learning", "Genetic Algorithms", "Probabilistic Methods"},
		[]string{"cluster 0", "cluster 1", "cluster 2", "cluster 3", "cluster 4", "cluster 5", "cluster 6"})
	save(f, "testdata/confusion.png")
}

// Draw what methods reach over the time that they take. The second reading of B is
// an open point.
func ExampleRace() {
	kinds := []string{"graph only", "both"}
	err := figure.Race("Cora", "ACC", kinds, "as published",
		figure.Racer{Name: "A", Seconds: 0.03, Score: 0.4, Deviation: 0.02},
		figure.Racer{Name: "B", Seconds: 20, Score: 0.69, Deviation: math.NaN(), Kind: 1},
		figure.Racer{Name: "B", Seconds: 40, Score: 0.75, Deviation: 0.01, Kind: 1, Open: true},
		figure.Racer{Name: "C", Seconds: 22, Score: 0.68, Deviation: math.NaN(), Kind: 1},
		figure.Racer{Name: "D", Seconds: 24, Score: 0.69, Deviation: math.NaN(), Kind: 1},
	).Save("testdata/race.png")
	if err != nil {
		fmt.Println(err)
	}
}
