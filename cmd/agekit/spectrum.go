package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

// spectrumReport is what agekit spectrum --json prints.
type spectrumReport struct {
	Dataset   string             `json:"dataset"`
	N         int                `json:"n"` // nodes, and eigenvalues
	LambdaMax float64            `json:"lambda_max"`
	Histogram histogram          `json:"histogram"`
	Quantiles map[string]float64 `json:"quantiles"` // of the eigenvalues, by their share, such as "0.50"
	Method    string             `json:"method"`    // by which histogram and quantiles were computed
}

// histogram counts the eigenvalues in bins of equal width from Lo to Hi.
type histogram struct {
	Bins   int       `json:"bins"`
	Lo     float64   `json:"lo"`
	Hi     float64   `json:"hi"`
	Counts []float64 `json:"counts"` // estimates of a large graph need not be whole
	// StandardErrors are those of the counts; omitted if the counts are exact.
	StandardErrors []float64 `json:"standard_errors,omitempty"`
}

type spectrumCmd struct {
	graphFlags
	jsonFlag
}

func (c *spectrumCmd) Run(rt *Runtime) error {
	data, err := c.load(rt, nil)
	if err != nil {
		return err
	}
	newConsole(rt.Stderr).data(data.Notes, data.Warnings)
	g := data.Graph
	op := laplacian.New(g.Adjacency)
	rnd := rng.New(0, rng.Only)
	largest, err := linalg.LargestEigenvalue(rt.Context, op, rnd)
	if err != nil {
		return err
	}
	shares := []float64{0, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 1}
	counts, standardErrors, quantiles, err := laplacian.Distribution(rt.Context, op, laplacian.MaxOrder, rnd, shares...)
	if err != nil {
		return err
	}
	r := spectrumReport{
		Dataset: g.Name, N: g.N(), LambdaMax: largest.Value, Quantiles: map[string]float64{},
		Histogram: histogram{Bins: len(counts), Lo: 0, Hi: 2, Counts: counts, StandardErrors: standardErrors},
		Method:    "all eigenvalues (Householder tridiagonalization, QL)",
	}
	if standardErrors != nil {
		r.Method = "density of states (stochastic Lanczos quadrature)"
	}
	for i, share := range shares {
		r.Quantiles[fmt.Sprintf("%.2f", share)] = quantiles[i]
	}
	return c.emit(rt, r, func(w io.Writer) { printSpectrum(w, r) })
}

// printSpectrum writes λmax, and a line for each bin of the histogram: where it begins, the number of
// eigenvalues in it, and a bar as long as that.
func printSpectrum(w io.Writer, r spectrumReport) {
	fmt.Fprintf(w, "%s: %d nodes, λmax %.8f, 1/λmax %.4f\n%s\n", r.Dataset, r.N, r.LambdaMax, 1/r.LambdaMax, r.Method)
	h := r.Histogram
	most := max(1, slices.Max(h.Counts)) // in a bin
	width := (h.Hi - h.Lo) / float64(h.Bins)
	const longest = 50 // characters of the longest bar
	for i, count := range h.Counts {
		bar := strings.Repeat("█", int(count/most*longest))
		fmt.Fprintf(w, "%.2f %8.0f %s\n", h.Lo+width*float64(i), count, bar)
	}
}
