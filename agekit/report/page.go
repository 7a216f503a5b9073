package report

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/spectrum"
	"github.com/agekit/age/internal/interactive"
	"github.com/agekit/age/internal/palette"
	"github.com/dustin/go-humanize"
)

//go:embed page.html page.css
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
	p.Spectrum, _, _, err = spectrum.Distribution(ctx, laplacian.New(r.Model.Graph.Adjacency), exactSpectrum, rand.New(rand.NewPCG(0, 0)))
	return p, err
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
		"color":   palette.CSS,
		"grouped": func(v int) string { return humanize.Comma(int64(v)) },
		"width":   func(v float64) string { return fmt.Sprintf("%.1f", 100*max(0, min(1, v))) },
	}).ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, view)
}

func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// view is what the template shows.
type view struct {
	*Page
	Style                                       template.CSS
	Settings                                    [][2]string
	Map                                         template.HTML // empty if the nodes have no places
	Loss, Index, Eigenvalues, NumberChart, Tree template.HTML
	Unsure, Outliers                            []nodeView
	Trials                                      []trialView
	Curves                                      []run.Curve // none for methods other than AGE
}

type nodeView struct {
	ID                  string
	Cluster             int
	Confidence, Outlier float64
}

// trialView is a row of the table of what was tried.
type trialView struct {
	auto.Trial
	Chosen bool
}

func (p *Page) view() (*view, error) {
	style, err := files.ReadFile("page.css")
	if err != nil {
		return nil, err
	}
	nodes, page, err := p.read()
	if err != nil {
		return nil, err
	}
	v := &view{Page: p, Style: template.CSS(style), Map: template.HTML(page), Settings: p.settings()}
	byConfidence := slices.Clone(nodes)
	slices.SortStableFunc(byConfidence, func(a, b nodeView) int { return cmp.Compare(a.Confidence, b.Confidence) })
	slices.SortStableFunc(nodes, func(a, b nodeView) int { return cmp.Compare(b.Outlier, a.Outlier) })
	if p.Columns.Confidence != "" {
		v.Unsure, v.Outliers = byConfidence[:min(listed, len(nodes))], nodes[:min(listed, len(nodes))]
	}
	v.charts()
	if a := p.Tried; a != nil {
		for _, i := range a.Best() {
			v.Trials = append(v.Trials, trialView{a.Trials[i], i == a.Chosen})
		}
	}
	return v, nil
}

// read returns what the page says of each node, and the map if they have places.
func (p *Page) read() (nodes []nodeView, page string, err error) {
	var failures []error
	numbers := func(name string) []float64 {
		values, err := p.numbers(name)
		failures = append(failures, err)
		return values
	}
	c, n := p.Columns, p.nodes.Rows
	ids, err := p.words(c.ID)
	failures = append(failures, err)
	clusters := numbers(c.Cluster)
	var classes interactive.Coloring
	if c.Class != "" {
		classes, err = p.classes()
		failures = append(failures, err)
	}
	var confidence, outlier, x, y []float64
	if c.Confidence != "" {
		confidence, outlier = numbers(c.Confidence), numbers(c.Outlier)
	}
	if c.X != "" {
		x, y = numbers(c.X), numbers(c.Y)
	}
	if err := errors.Join(failures...); err != nil {
		return nil, "", err
	}
	nodes = make([]nodeView, n)
	own, k := make(interactive.Numbers, n), len(p.Clusters)
	for i, v := range clusters {
		if !(v >= 0 && v < math.MaxUint16) {
			return nil, "", fmt.Errorf("nodes.csv, line %d: cluster %v: want 0 or more", i+2, v)
		}
		own[i], k = int(v), max(k, int(v)+1)
		nodes[i] = nodeView{ID: ids[i], Cluster: own[i]}
		if confidence != nil {
			nodes[i].Confidence, nodes[i].Outlier = confidence[i], outlier[i]
		}
	}
	if x == nil {
		return nodes, "", nil
	}
	view := interactive.View{Colorings: []interactive.Coloring{{Name: "cluster", Numbers: own, Labels: interactive.ClusterNames(k)}}}
	view.X, view.Y = interactive.Grid(x, y)
	if classes.Labels != nil {
		view.Colorings = append(view.Colorings, classes)
	}
	if confidence != nil {
		view.Colorings = append(view.Colorings,
			interactive.NumberColoring("confidence", confidence, 0, 1, "0 or less: between clusters", "1: sure"),
			interactive.NumberColoring("outlier score", outlier, 2, 0, "2 or more: far from its cluster", "0 or less: typical"))
	}
	m := interactive.Map{Title: "Map of the nodes", N: n, Names: ids, Views: []interactive.View{view}}
	if p.Model != nil && p.Model.Graph.Edges() <= mostEdges {
		m.Link(p.Model.Graph.Adjacency)
	}
	page, err = interactive.HTML("map", m.Title, "The map needs JavaScript.", m.Colored())
	return nodes, page, err
}

// classes returns the coloring by the known classes.
func (p *Page) classes() (interactive.Coloring, error) {
	words, err := p.words(p.Columns.Class)
	if err != nil {
		return interactive.Coloring{}, err
	}
	names := slices.Compact(slices.Sorted(slices.Values(words)))
	if names[0] == "" { // of nodes of unknown class
		names = names[1:]
	}
	c := interactive.Coloring{Name: "class", Labels: append(names, "unknown"), Unknown: true}
	for _, w := range words {
		at, ok := slices.BinarySearch(names, w)
		if !ok {
			at = len(names)
		}
		c.Numbers = append(c.Numbers, at)
	}
	return c, nil
}

// numbers returns a column of nodes.csv as numbers.
func (p *Page) numbers(name string) ([]float64, error) {
	k, err := p.nodes.Find(name)
	if err != nil {
		return nil, err
	}
	values := p.nodes.Columns[k].Numbers
	if values == nil || slices.ContainsFunc(values, math.IsNaN) {
		return nil, fmt.Errorf("nodes.csv: column %s: want a number on every line", name)
	}
	return values, nil
}

// words returns a column of nodes.csv as words, empty where it has none.
func (p *Page) words(name string) ([]string, error) {
	k, err := p.nodes.Find(name)
	if err != nil {
		return nil, err
	}
	words := make([]string, p.nodes.Rows)
	for i := range words {
		if text, ok := p.nodes.Columns[k].Text(i); ok {
			words[i] = text
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
