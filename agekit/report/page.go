package report

import (
	"cmp"
	"context"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/spectrum"
	"github.com/agekit/age/internal/palette"
)

//go:embed page.html page.css map.js
var files embed.FS

// Page is the page of a run.
type Page struct {
	*run.Run
	// Spectrum is the number of eigenvalues of L̃sym in each of 40 bins from 0 to 2; nil
	// if the run has no model.
	Spectrum []float64

	nodes *input.Table
}

const (
	// mostEdges is the number of edges above which the map does not show them.
	mostEdges = 400000
	// exactSpectrum is the number of nodes up to which all eigenvalues are computed.
	exactSpectrum = 1000
	spectrumBins  = 40
	// listed is the number of nodes in the lists of unsure and outlying ones.
	listed = 12
)

// New returns the page of a run that was just found, or loaded from its folder.
func New(ctx context.Context, r *run.Run) (*Page, error) {
	p := &Page{Run: r, nodes: r.Nodes()}
	if r.Model == nil {
		return p, nil
	}
	var err error
	p.Spectrum, err = histogram(ctx, r.Model.Graph)
	return p, err
}

// histogram counts the eigenvalues of a graph's Laplacian: all of a small one, and an
// estimate otherwise.
func histogram(ctx context.Context, g *graph.Graph) ([]float64, error) {
	op := laplacian.New(g.Adjacency)
	if g.N() <= exactSpectrum {
		values, err := spectrum.Eigenvalues(ctx, op)
		if err != nil {
			return nil, err
		}
		var counts []float64
		for _, c := range spectrum.Histogram(values, spectrumBins, 0, 2) {
			counts = append(counts, float64(c))
		}
		return counts, nil
	}
	d, err := spectrum.EstimateDensity(ctx, op, rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return nil, err
	}
	var counts []float64
	for _, e := range d.Histogram(spectrumBins, 0, 2) {
		counts = append(counts, e.Count)
	}
	return counts, nil
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	view, err := p.view()
	if err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"percent": func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) },
		"number":  run.ThreeDigits,
		"three":   func(v float64) string { return minus(fmt.Sprintf("%.3f", v)) },
		"two":     func(v float64) string { return minus(fmt.Sprintf("%.2f", v)) },
		"color":   css,
		"grouped": grouped,
		"width":   func(v float64) string { return fmt.Sprintf("%.1f", 100*max(0, min(1, v))) },
	}).ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, view)
}

// grouped writes a number with commas, such as 63,436.
func grouped(v int) string {
	text := strconv.Itoa(v)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// css returns the color of a cluster as CSS writes it.
func css(i int) string {
	r, g, b := palette.Color(i)
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}

// view is what the template shows.
type view struct {
	*Page
	Style                                       template.CSS
	Script                                      template.JS
	Data                                        template.JS // JSON
	Settings                                    [][2]string
	Loss, Index, Eigenvalues, NumberChart, Tree template.HTML
	Unsure, Outliers                            []nodeView
	Trials                                      []trialView
	Placed                                      bool
	Curves                                      []run.Curve // none for methods other than AGE
}

type nodeView struct {
	ID                  string
	Cluster             int
	Confidence, Outlier float64
}

type trialView struct {
	Name    string
	Score   float64
	Feature float64
	Cut     float64
	Seconds float64
	Chosen  bool
}

func (p *Page) view() (*view, error) {
	style, err := files.ReadFile("page.css")
	if err != nil {
		return nil, err
	}
	script, err := files.ReadFile("map.js")
	if err != nil {
		return nil, err
	}
	v := &view{Page: p, Style: template.CSS(style), Script: template.JS(script), Settings: p.settings()}
	data, nodes, err := p.data()
	if err != nil {
		return nil, err
	}
	v.Placed = data.X != ""
	encoded, err := json.Marshal(data) // with <, > and & as escapes
	if err != nil {
		return nil, err
	}
	v.Data = template.JS(encoded)
	byConfidence := slices.Clone(nodes)
	slices.SortStableFunc(byConfidence, func(a, b nodeView) int { return cmp.Compare(a.Confidence, b.Confidence) })
	slices.SortStableFunc(nodes, func(a, b nodeView) int { return cmp.Compare(b.Outlier, a.Outlier) })
	if p.Columns.Confidence != "" {
		v.Unsure, v.Outliers = byConfidence[:min(listed, len(nodes))], nodes[:min(listed, len(nodes))]
	}
	v.charts()
	if a := p.Tried; a != nil {
		for _, i := range a.Best() {
			t := a.Trials[i]
			v.Trials = append(v.Trials, trialView{t.Name(), t.Score, t.FeatureInformation, t.MeanConductance, t.Seconds, i == a.Chosen})
		}
	}
	return v, nil
}

// mapData is what the map's script draws. Arrays of numbers are base64: places and
// clusters are little-endian 16-bit numbers, confidences and outlier scores bytes.
type mapData struct {
	Name   string
	N      int
	X      string `json:",omitempty"`
	Y      string `json:",omitempty"`
	IDs    []string
	Colors []string
	// Clusters, Classes (0 is unknown), Confidence (0 is −1, 254 is 1) and Outlier (in
	// tenths, from −10).
	Clusters   string
	Classes    string   `json:",omitempty"`
	ClassNames []string `json:",omitempty"`
	Confidence string   `json:",omitempty"`
	Outlier    string   `json:",omitempty"`
	K          int
	// Starts and Ends are the adjacency matrix in 32-bit numbers.
	Starts string `json:",omitempty"`
	Ends   string `json:",omitempty"`
}

func (p *Page) data() (d mapData, nodes []nodeView, err error) {
	c, n := p.Columns, p.nodes.Rows
	d = mapData{Name: p.Dataset, N: n, K: len(p.Clusters)}
	ids, err := p.words(c.ID)
	if err != nil {
		return d, nil, err
	}
	clusters, err := p.numbers(c.Cluster)
	if err != nil {
		return d, nil, err
	}
	d.IDs = ids
	nodes = make([]nodeView, n)
	small := make([]uint16, n)
	for i, v := range clusters {
		if !(v >= 0 && v < math.MaxUint16) {
			return d, nil, fmt.Errorf("nodes.csv, line %d: cluster %v: want 0 or more", i+2, v)
		}
		small[i] = uint16(v)
		nodes[i] = nodeView{ID: ids[i], Cluster: int(v)}
		d.K = max(d.K, int(v)+1)
	}
	d.Clusters = packed(small)
	most := d.K
	if c.Confidence != "" {
		confidence, err := p.numbers(c.Confidence)
		if err != nil {
			return d, nil, err
		}
		outlier, err := p.numbers(c.Outlier)
		if err != nil {
			return d, nil, err
		}
		one, two := make([]byte, n), make([]byte, n)
		for i := range n {
			nodes[i].Confidence, nodes[i].Outlier = confidence[i], outlier[i]
			one[i] = byte(math.Round(127 + 127*max(-1, min(1, confidence[i]))))
			two[i] = byte(math.Round(max(0, min(255, 100+10*outlier[i]))))
		}
		d.Confidence, d.Outlier = base64.StdEncoding.EncodeToString(one), base64.StdEncoding.EncodeToString(two)
	}
	if c.Class != "" {
		words, err := p.words(c.Class)
		if err != nil {
			return d, nil, err
		}
		number := map[string]uint16{"": 0}
		for _, w := range slices.Compact(slices.Sorted(slices.Values(words))) {
			if w != "" {
				d.ClassNames = append(d.ClassNames, w)
				number[w] = uint16(len(d.ClassNames))
			}
		}
		for i, w := range words {
			small[i] = number[w]
		}
		d.Classes = packed(small)
		most = max(most, len(d.ClassNames))
	}
	for i := range min(most, palette.Len) {
		d.Colors = append(d.Colors, css(i))
	}
	if c.X != "" {
		if d.X, d.Y, err = p.places(); err != nil {
			return d, nil, err
		}
	}
	if p.Model != nil && p.Model.Graph.Edges() <= mostEdges {
		a := p.Model.Graph.Adjacency
		starts := make([]uint32, len(a.Indptr))
		for i, s := range a.Indptr {
			starts[i] = uint32(s)
		}
		d.Starts, d.Ends = packed(starts), packed(a.Indices)
	}
	return d, nodes, nil
}

// packed returns numbers as base64 of their little-endian bytes.
func packed[T uint16 | uint32 | int32](values []T) string {
	b, _ := binary.Append(nil, binary.LittleEndian, values) // fixed sizes: no error
	return base64.StdEncoding.EncodeToString(b)
}

// places returns the places as 16-bit numbers, with the same scale along both axes.
func (p *Page) places() (x, y string, err error) {
	var axes [2][]float64
	for a, name := range []string{p.Columns.X, p.Columns.Y} {
		if axes[a], err = p.numbers(name); err != nil {
			return "", "", err
		}
	}
	width := max(slices.Max(axes[0])-slices.Min(axes[0]), slices.Max(axes[1])-slices.Min(axes[1]), 1e-30)
	var all [2]string
	for a, values := range axes {
		middle := (slices.Max(values) + slices.Min(values)) / 2
		small := make([]uint16, len(values))
		for i, v := range values {
			small[i] = uint16(math.Round(math.MaxUint16 * (0.5 + (v-middle)/width)))
		}
		all[a] = packed(small)
	}
	return all[0], all[1], nil
}

// numbers returns a column of nodes.csv as numbers.
func (p *Page) numbers(name string) ([]float64, error) {
	k, err := p.nodes.Find(name)
	if err != nil {
		return nil, err
	}
	c := p.nodes.Columns[k]
	if c.Numbers == nil || slices.ContainsFunc(c.Numbers, math.IsNaN) {
		return nil, fmt.Errorf("nodes.csv: column %s: want a number on every line", name)
	}
	return c.Numbers, nil
}

// words returns a column of nodes.csv as words, empty where it has none.
func (p *Page) words(name string) ([]string, error) {
	k, err := p.nodes.Find(name)
	if err != nil {
		return nil, err
	}
	c := p.nodes.Columns[k]
	words := make([]string, p.nodes.Rows)
	for i := range words {
		switch {
		case c.Numbers != nil && !math.IsNaN(c.Numbers[i]):
			words[i] = strconv.FormatFloat(c.Numbers[i], 'f', -1, 64)
		case c.Numbers == nil && c.Codes[i] >= 0:
			words[i] = c.Values[c.Codes[i]]
		}
	}
	return words, nil
}

// settings lists what the run was made with.
func (p *Page) settings() [][2]string {
	all := [][2]string{{"Program", p.Version}}
	f := p.Training
	if f == nil {
		all = append(all, [2]string{"Method", p.Method + ", mode " + p.Mode})
	} else {
		all = append(all, [2]string{"Filter", fmt.Sprintf("H = (I − kL)ᵗ with k = %.4f and t = %d; λmax = %.4f", f.K, f.Layers, f.LambdaMax)})
	}
	if f != nil && !f.Trained() {
		all = append(all, [2]string{"Training", "none: the embedding is the smoothed features"})
	}
	if f.Trained() {
		all = append(all, [2]string{"Training", fmt.Sprintf("%d epochs, loss %s, %s ranking of pairs", f.Epochs, f.Loss, f.Ranking)})
		if p.Model != nil {
			c := p.Model.About.Settings
			all = append(all,
				[2]string{"Pairs", fmt.Sprintf("positive: the most similar %.4g %% of all pairs at the start, %.4g %% at the end; negative: those after %.4g %% and %.4g %%", 100*c.Thresholds.PosStart, 100*c.Thresholds.PosEnd, 100*c.Thresholds.NegStart, 100*c.Thresholds.NegEnd)},
				[2]string{"Embedding", fmt.Sprintf("%d dimensions, learning rate %v, %d trainings", c.Dims, c.LearningRate, max(1, c.Members))})
		}
	}
	return append(all,
		[2]string{"Seed", fmt.Sprint(p.Seed)},
		[2]string{"Backend", fmt.Sprintf("%s (%s)", p.Backend, p.SIMD)},
		[2]string{"Time and memory", fmt.Sprintf("%.1f s, %d MB", p.Seconds.Total, p.PeakRSSBytes>>20)})
}
