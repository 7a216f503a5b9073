package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/mat"
)

// smallCoCo returns settings of CoCo for a graph of twelve nodes, and the network on it.
func smallCoCo(t *testing.T, published bool) *compactNet {
	t.Helper()
	g := weightedTwelve(t)
	m := coco{Dims: 5, Inputs: 4, Bases: 7, Focus: 3, Temperature: 0.5, Sample: 6, Memory: 2, Published: published}.withDefaults("cora")
	rnd := rand.New(rand.NewPCG(1, 1))
	local, global, err := m.views(t.Context(), g, rnd)
	testutil.NoError(t, err)
	return m.network(local, global, rnd)
}

// TestCoCoViews compares both views with the formula on dense matrices in float64, to 1e-5: the components
// by gonum's singular value decomposition, up to their signs, and Π as a matrix inverse.
func TestCoCoViews(t *testing.T) {
	g := weightedTwelve(t)
	m := coco{Inputs: 4, Layers: 2, Teleport: 0.3}.withDefaults("")
	local, global, err := m.views(t.Context(), g, rand.New(rand.NewPCG(1, 1)))
	testutil.NoError(t, err)

	x := denseUnitX(g)
	n, f := x.Dims()
	for j := range f {
		mean := mat.Sum(x.ColView(j)) / float64(n)
		for i := range n {
			x.Set(i, j, x.At(i, j)-mean)
		}
	}
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThin)
	var u mat.Dense
	svd.UTo(&u)
	components := mat.DenseCopyOf(u.Slice(0, n, 0, 4))
	components.Apply(func(_, c int, v float64) float64 { return v * svd.Values(nil)[c] }, components)

	convolution := denseConvolution(g.Adjacency)
	var pi mat.Dense // α(I − (1−α)Ŝ)⁻¹
	pi.Scale(-(1 - m.Teleport), convolution)
	for i := range n {
		pi.Set(i, i, pi.At(i, i)+1)
	}
	testutil.NoError(t, pi.Inverse(&pi))
	pi.Scale(m.Teleport, &pi)
	sums := make([]float64, n)
	for i := range n {
		pi.Set(i, i, 1) // Π − diag Π + I
		sums[i] = mat.Sum(pi.RowView(i))
	}
	pi.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(sums[i]*sums[j]) }, &pi)
	for name, view := range map[string]struct {
		got    blas32.General
		filter mat.Matrix
	}{"local": {local, convolution}, "global": {global, &pi}} {
		var want mat.Dense
		want.Mul(view.filter, components)
		want.Mul(view.filter, mat.DenseCopyOf(&want))
		got := linalg.Float64(view.got)
		for c := range 4 { // a component's sign is open
			if mat.Dot(got.ColView(c), want.ColView(c)) < 0 {
				for i := range n {
					want.Set(i, c, -want.At(i, c))
				}
			}
		}
		wantMatrix(t, name, view.got, &want, 1e-5)
	}
}

// TestCompact compares the ten steps with loops over all k bases, as the authors' code has them, to 1e-5: the
// bases that begin with 1 and those that begin with −1 stay equal among themselves.
func TestCompact(t *testing.T) {
	const positive, negative, k = 3, 4, 7
	rnd := rand.New(rand.NewPCG(1, 1))
	y := randomMatrix(10, 6, 1, rnd)
	var mu [10][k]float64
	var z [6][k]float64
	for i := range mu {
		for b := range k {
			mu[i][b] = 1
			if b >= positive {
				mu[i][b] = -1
			}
		}
	}
	at := func(i, j int) float64 { return float64(y.Data[i*y.Stride+j]) }
	for range 10 {
		for j := range z {
			sum := 0.0
			for b := range k {
				product := 0.0
				for i := range mu {
					product += at(i, j) * mu[i][b]
				}
				z[j][b] = math.Exp(product)
				sum += z[j][b]
			}
			for b := range k {
				z[j][b] /= sum
			}
		}
		for b := range k {
			sum := 1e-6
			for j := range z {
				sum += z[j][b]
			}
			length := 0.0
			for j := range z {
				z[j][b] /= sum
			}
			for i := range mu {
				mu[i][b] = 0
				for j := range z {
					mu[i][b] += at(i, j) * z[j][b]
				}
				length += mu[i][b] * mu[i][b]
			}
			for i := range mu {
				mu[i][b] /= 1e-6 + math.Sqrt(length)
			}
		}
	}
	want := mat.NewDense(10, 6, nil)
	want.Apply(func(i, j int, _ float64) (sum float64) {
		for b := range k {
			sum += mu[i][b] * z[j][b]
		}
		return sum
	}, want)
	wantMatrix(t, "μzᵗ", compact(y, []basis{{1, positive}, {-1, negative}}), want, 1e-5)
}

// TestCoCoLoss compares the loss with loops in float64, to 1e-5, and its gradients with finite differences, to
// 1 % of the largest, with the reconstruction held constant, as in the training: with the same nodes in both
// views and with different ones, in the same views and in exchanged ones.
func TestCoCoLoss(t *testing.T) {
	for _, published := range []bool{false, true} {
		c := smallCoCo(t, published)
		losses := c.draw(rand.New(rand.NewPCG(2, 2)))
		if same := slices.Equal(losses[0][0], losses[0][1]); same == published {
			t.Errorf("published %v: the same nodes in both views: %v", published, same)
		}
		first, _ := c.encode()
		compacted := compact(first, c.bases)
		value := func() float64 {
			for _, p := range c.parameters() {
				clear(p.gradient.Data)
			}
			unit, lengths := c.encode()
			return testutil.Value(c.differentiate(t.Context(), unit, lengths, compacted, losses, false)).OrFatal(t)
		}
		got := value()

		z, _ := c.rows(first, compacted)
		want, n := 0.0, c.inputs[0].Rows
		softmax := func(memory blas32.General, row []float32) []float64 {
			all, sum := make([]float64, memory.Rows), 0.0
			for r := range all {
				for j := range c.Dims {
					all[r] += float64(memory.Data[r*memory.Stride+j]) * float64(row[j])
				}
				all[r] = math.Exp(all[r] / c.Temperature)
				sum += all[r]
			}
			for r := range all {
				all[r] /= sum
			}
			return all
		}
		for k, nodes := range losses {
			for s := range nodes[0] {
				p := softmax(c.memories[0], linalg.Row(z, k*n+int(nodes[0][s])))
				q := softmax(c.memories[1], linalg.Row(z, (1-k)*n+int(nodes[1][s])))
				for r := range p {
					want += p[r] * math.Log(p[r]/q[r]) / float64(2*len(nodes[0]))
				}
			}
		}
		if math.Abs(got-want) > 1e-5*want {
			t.Errorf("published %v: loss %v, want %v", published, got, want)
		}

		var gradients []blas32.General
		for _, p := range c.parameters() {
			g := p.gradient
			g.Data = slices.Clone(g.Data)
			gradients = append(gradients, g)
		}
		const h = 1.0 / 1024
		for k, p := range c.parameters() {
			largest, worst := 0.0, 0.0
			for i := range p.value.Rows {
				for j := range p.value.Cols {
					entry := &p.value.Data[i*p.value.Stride+j]
					kept := *entry
					*entry = kept + h
					up := value()
					*entry = kept - h
					down := value()
					*entry = kept
					g := float64(gradients[k].Data[i*gradients[k].Stride+j])
					largest, worst = max(largest, math.Abs(g)), max(worst, math.Abs(g-(up-down)/(2*h)))
				}
			}
			if !(worst <= 0.01*largest) {
				t.Errorf("published %v, weight %d: gradient off by %.3g of %.3g", published, k, worst, largest)
			}
		}
	}
}

// TestCoCoMemory: after a step, the first rows of the first memory are the nodes drawn in the first view and
// then in the second, and the next step writes after them. In published mode its gradients are added to
// those of the step before; in fair mode they are its own.
func TestCoCoMemory(t *testing.T) {
	for _, published := range []bool{false, true} {
		c := smallCoCo(t, published)
		unit, lengths := c.encode()
		compacted := compact(unit, c.bases)
		losses := c.draw(rand.New(rand.NewPCG(2, 2)))
		z, _ := c.rows(unit, compacted)
		step := func(remember bool) []float32 {
			testutil.Value(c.differentiate(t.Context(), unit, lengths, compacted, losses, remember)).OrFatal(t)
			return slices.Clone(c.weights[0].gradient.Data)
		}
		once, twice := step(false), step(false)
		for k := range once {
			if want := once[k]; published {
				once[k] = 2 * want
			}
		}
		wantMatrix(t, "gradient", blas32.General{Rows: 1, Cols: len(twice), Stride: len(twice), Data: twice}, linalg.Float64(blas32.General{Rows: 1, Cols: len(once), Stride: len(once), Data: once}), 1e-5)
		step(true)
		for k, nodes := range losses {
			for s, i := range nodes[0] {
				if want := linalg.Row(z, k*c.inputs[0].Rows+int(i)); !slices.Equal(linalg.Row(c.memories[0], k*c.Sample+s), want) {
					t.Errorf("row %d of the memory is not that of node %d in view %d", k*c.Sample+s, i, k)
				}
			}
		}
		if c.next != 2*c.Sample {
			t.Errorf("the next row is %d, want %d", c.next, 2*c.Sample)
		}
	}
}

// TestCoCoSettings: the defaults of published mode are the authors' for Cora and Citeseer, and others for the rest;
// those of fair mode are Cora's.
func TestCoCoSettings(t *testing.T) {
	for name, want := range map[string][2]float64{"cora": {0.2, 10}, "citeseer": {0.2, 9}, "wiki": {1, 1}} {
		m := newCoCo(Settings{Published: true}).withDefaults(name)
		if m.Slope != want[0] || m.Focus != want[1] || m.Epochs != 1000 {
			t.Errorf("%s: settings %+v, want slope and focus %v", name, m, want)
		}
	}
	if m := newCoCo(Settings{}); m.Focus != 10 || m.Slope != 0.2 || m.withDefaults("wiki") != m {
		t.Errorf("fair settings %+v", m)
	}
}
