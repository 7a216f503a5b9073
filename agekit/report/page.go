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
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/figure/palette"
	"github.com/agekit/age/agekit/laplacian"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/rng"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

//go:embed page.html page.css page.js
var assets embed.FS

// Page is the page of a run, which [Page.Write] writes.
type Page struct {
	*run.Run
	// Spectrum is the number of eigenvalues of L̃sym in each of 40 bins from 0 to 2; nil
	// if the run has no model.
	Spectrum []float64
	// Title is the name of the column of nodes.csv that says what each node is about. With
	// "", the page takes a column that looks like titles, if there is one.
	Title string

	nodes   *table.Table // nodes.csv
	leftOut int          // the number of the user's columns that the map does not show
}

const (
	// mostEdges is the number of edges above which the map does not show edges.
	mostEdges = 400000
	// exactSpectrum is the number of nodes up to which all eigenvalues are computed.
	exactSpectrum = 1000
	// listed is the number of nodes in the list of the least sure nodes, and in that of outliers.
	listed = 12
)

// New returns the page of a run, which may have just ended or have been loaded from its
// folder. It computes the spectrum if the run has a model.
func New(ctx context.Context, r *run.Run) (*Page, error) {
	p := &Page{Run: r, nodes: r.Nodes()}
	if r.Model == nil {
		return p, nil
	}
	var err error
	p.Spectrum, _, _, err = laplacian.Distribution(ctx, laplacian.New(r.Model.Graph.Adjacency), exactSpectrum, rng.New(0, rng.Only))
	return p, err
}

// Write writes the page to w as HTML. It returns an error if nodes.csv lacks a column that
// the page needs, or has a wrong value there.
func (p *Page) Write(w io.Writer) error {
	view, err := p.newView()
	if err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"percent": func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) },
		"number":  newDecimals(p.Clusters).write, // of a feature's name and a value
		"three":   func(v float64) string { return message.Decimals(v, 3) },
		"two":     func(v float64) string { return message.Decimals(v, 2) },
		"cut":     cut,
		"color":   color,
		"mark":    mark,
		"counted": func(n int, what string) string { return english.Plural(n, what, "") },
		"grouped": func(v int) string { return humanize.Comma(int64(v)) },
		"width":   func(v float64) string { return fmt.Sprintf("%.1f", 100*max(0, min(1, v))) },
	}).ParseFS(assets, "page.html")
	if err != nil {
		return err
	}
	return t.Execute(w, view)
}

// titleLength is the largest number of letters of a title in a list of nodes.
const titleLength = 60

// cut returns a title, of at most titleLength letters: a longer one ends after a whole word, if that leaves half
// of the letters, with "…".
func cut(title string) string {
	letters := []rune(title)
	if len(letters) <= titleLength {
		return title
	}
	start := string(letters[:titleLength-1])
	if end := strings.LastIndexByte(start, ' '); utf8.RuneCountInString(start[:max(0, end)]) >= titleLength/2 {
		start = start[:end]
	}
	return strings.TrimRight(start, " ,;:") + "…"
}

// color returns the color of cluster or class i, as a variable of [colors]: the variable has
// another value on a dark page.
func color(i int) template.CSS { return template.CSS(fmt.Sprintf("var(--c%d)", i%len(palette.Colors))) }

// mark returns the mark of cluster or class i as SVG: a shape in a color. As on the map, the
// first clusters have the first shape in all colors, then come those with the next shape.
func mark(i int) template.HTML {
	shape := palette.Shapes[i/len(palette.Colors)%len(palette.Shapes)]
	return template.HTML(fmt.Sprintf(`<svg class="mark" viewBox="-1.3 -1.3 2.6 2.6" aria-hidden="true"><path d="%s" fill="%s"/></svg>`, shape, color(i)))
}

// colors returns a style sheet with the colors of clusters and classes as variables --c0,
// --c1, …, and with other values for a dark page.
func colors() string {
	var light, dark strings.Builder
	for i, color := range palette.Colors {
		fmt.Fprintf(&light, "--c%d:%s;", i, color)
		if c := palette.DarkColors[color]; c != "" {
			fmt.Fprintf(&dark, "--c%d:%s;", i, c)
		}
	}
	return fmt.Sprintf(":root{%s}\n@media (prefers-color-scheme:dark){:root{%s}}\n", &light, &dark)
}

// minus returns a number's text s with a minus sign instead of a hyphen.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

// view is what the template shows.
type view struct {
	*Page
	Style                          template.CSS
	Script                         template.JS
	Policy                         string        // the Content-Security-Policy
	mapScript                      string        // the map's script, which the policy allows
	Settings                       [][2]string   // names and values
	Map                            template.HTML // empty if the nodes have no places
	Loss, Index, Eigenvalues, Tree template.HTML
	Unsure, Outliers               []nodeView
	Seen                           []seenView // the views of the nodes that the run has
	Found                          int        // the number of clusters
	Cross                          *cross     // of the known classes; nil without them
	Before                         *cross     // of an earlier run's clusters; nil without an earlier run
	Others                         []*cross   // of the clusters of the views that were not chosen
	Levels                         []*cross   // of about half and twice as many clusters
	LeftOut, MostColumns           int        // the user's columns that the map lacks, and the most it shows
	Titled                         bool       // nodes have titles

	titles map[string]string // of nodes, by their ids
	names  []string          // of clusters, with their numbers
}

// nodeView is what the page says of a node.
type nodeView struct {
	ID, Title           string
	Cluster             int
	Confidence, Outlier float64
}

// Heading returns the page's heading: the data set's name and the number of clusters. If the
// name is only that of a file such as nodes.csv, which says nothing, the number of nodes
// stands in its place.
func (v *view) Heading() string {
	if slices.Contains([]string{"nodes", "edges", "graph", "features", "data"}, v.Dataset) {
		return fmt.Sprintf("%s nodes in %d clusters", humanize.Comma(int64(v.N)), v.Found)
	}
	return fmt.Sprintf("%s: %d clusters", v.Dataset, v.Found)
}

// TitleOf returns the title of the node with an id, or the id if the node has no title.
func (v *view) TitleOf(id string) string { return cmp.Or(v.titles[id], id) }

// Tip returns what a list of nodes does not show of the node with an id: the id, if its title is shown, and the
// whole title, if it is cut. It returns "" if nothing is missing.
func (v *view) Tip(id string) string {
	title := v.TitleOf(id)
	switch {
	case title == id && cut(id) == id:
		return ""
	case title == id || cut(title) == title:
		return id
	}
	return id + ": " + title
}

// Label returns the number and the name of cluster c as one text.
func (v *view) Label(c int) string { return v.names[c] }

// ListedFeatures returns the features of a cluster that the page lists. In a graph whose
// features have no names, these are none. Where nodes have titles, features with a number
// for a name ("place 3") are left out: the titles say more to a reader.
func (v *view) ListedFeatures(c explain.Cluster) (listed []explain.Feature) {
	if !v.Named {
		return nil
	}
	for _, f := range c.Features {
		if !f.Numbered || !v.Titled {
			listed = append(listed, f)
		}
	}
	return listed
}

// newView reads the run's nodes and draws its map and charts, and returns all that the
// template shows.
func (p *Page) newView() (*view, error) {
	style, err := assets.ReadFile("page.css")
	if err != nil {
		return nil, err
	}
	script, err := assets.ReadFile("page.js")
	if err != nil {
		return nil, err
	}
	v := &view{
		Page:        p,
		Style:       template.CSS(colors() + string(style)),
		Script:      template.JS(script),
		Settings:    p.settings(),
		MostColumns: mostColumns,
	}
	nodes, err := v.readNodes()
	if err != nil {
		return nil, err
	}
	v.Policy = v.policy()
	v.LeftOut = p.leftOut
	if p.Columns.Confidence != "" {
		count := min(listed, len(nodes))
		byConfidence := slices.SortedStableFunc(slices.Values(nodes), func(a, b nodeView) int { return cmp.Compare(a.Confidence, b.Confidence) })
		byOutlier := slices.SortedStableFunc(slices.Values(nodes), func(a, b nodeView) int { return cmp.Compare(b.Outlier, a.Outlier) })
		v.Unsure, v.Outliers = byConfidence[:count], byOutlier[:count]
	}
	v.drawCharts()
	return v, nil
}

// nodeColumns are the columns of nodes.csv that the page shows, with one entry per node. A
// column that the run does not have is nil.
type nodeColumns struct {
	ids                       []string
	clusters                  []int
	confidence, outlier, x, y []float64
	classes                   figure.Coloring // without labels if no classes are known
	title                     int             // the index of the column of titles, −1 if there is none
	titles                    []string
}

// readColumns returns the columns, or an error that joins those of all columns that cannot be
// read.
func (p *Page) readColumns() (*nodeColumns, error) {
	var failures []error // some may be nil, which errors.Join leaves out
	// numbers returns the column with a name, nil for "", and notes its error.
	numbers := func(name string) []float64 {
		if name == "" {
			return nil
		}
		values, err := p.numbers(name)
		failures = append(failures, err)
		return values
	}
	names := p.Columns
	c := &nodeColumns{confidence: numbers(names.Confidence), x: numbers(names.X), y: numbers(names.Y)}
	if c.confidence != nil {
		c.outlier = numbers(names.Outlier)
	}
	var err error
	c.ids, err = p.words(names.ID)
	failures = append(failures, err)
	c.title, err = p.titleColumn()
	failures = append(failures, err)
	if err == nil && c.title >= 0 {
		c.titles = p.texts(c.title)
	}
	if names.Class != "" {
		c.classes, err = p.classes()
		failures = append(failures, err)
	}
	for i, number := range numbers(names.Cluster) {
		if !(number >= 0 && number < math.MaxUint16) { // the map's numbers have 16 bits
			line := i + 2 // lines count from 1, and the first is the header
			failures = append(failures, fmt.Errorf("nodes.csv, line %d: cluster %v: want 0 or more", line, number))
			break
		}
		c.clusters = append(c.clusters, int(number))
	}
	return c, errors.Join(failures...)
}

// readNodes returns what the page says of each node. It also sets the fields of v that follow
// from all nodes: the titles, the number and names of the clusters, the tables of classes and
// other clusters, the views, and the map if the nodes have places.
func (v *view) readNodes() ([]nodeView, error) {
	p := v.Page
	c, err := p.readColumns()
	if err != nil {
		return nil, err
	}
	if c.titles != nil {
		v.Titled, v.titles = true, make(map[string]string, len(c.ids))
		for i, id := range c.ids {
			v.titles[id] = c.titles[i]
		}
	}
	nodes := make([]nodeView, len(c.ids))
	v.Found = len(p.Clusters)
	for i, cluster := range c.clusters {
		v.Found = max(v.Found, cluster+1)
		nodes[i] = nodeView{ID: c.ids[i], Title: v.TitleOf(c.ids[i]), Cluster: cluster}
		if c.confidence != nil {
			nodes[i].Confidence, nodes[i].Outlier = c.confidence[i], c.outlier[i]
		}
	}
	v.names = figure.ClusterNames(v.Found)
	for _, described := range p.Clusters {
		if described.Cluster >= 0 && described.Cluster < v.Found {
			v.names[described.Cluster] = described.Label()
		}
	}
	if c.classes.Labels != nil {
		v.Cross = newCross(c.classes, c.clusters, v.names)
	}
	known := []figure.Coloring{c.classes} // the colorings by groups that are not the page's clusters
	if p.Columns.Earlier != "" {
		earlier, err := p.otherClusters(p.Columns.Earlier, v.Found)
		if err != nil {
			return nil, err
		}
		v.Before = newCross(earlier, c.clusters, v.names)
		known = append(known, earlier)
	}
	if v.Seen, err = v.readViews(c); err != nil {
		return nil, err
	}
	for _, s := range v.Seen {
		if !s.Chosen { // the clusters of the chosen view are the map's first coloring
			known = append(known, s.coloring)
		}
	}
	for _, name := range p.Columns.Levels {
		level, err := p.otherClusters(name, 0)
		if err != nil {
			return nil, err
		}
		v.Levels = append(v.Levels, newCross(level, c.clusters, v.names))
		known = append(known, level)
	}
	if c.x != nil {
		v.Map, err = v.drawMap(c, known)
	}
	return nodes, err
}

// numbers returns the column of nodes.csv with a name as numbers. A missing column is an
// error, and so is one without a number on every line.
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

// words returns the column of nodes.csv with a name as words, "" where a node has no value. A
// missing column is an error.
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

// settings returns the settings of the run as pairs of a name and a value, for the page's last
// table.
func (p *Page) settings() [][2]string {
	all := [][2]string{{"Program", p.Version}}
	training := p.Training // nil for a method other than AGE
	if training == nil {
		all = append(all, [2]string{"Method", p.Method + ", mode " + p.Mode})
	} else {
		filter := fmt.Sprintf("H = (I − kL)ᵗ with k = %.4f and t = %d", training.K, training.Layers)
		if training.LambdaMax > 0 {
			filter += fmt.Sprintf("; λmax = %.4f", training.LambdaMax)
		}
		all = append(all, [2]string{"Filter", filter})
	}
	if training != nil && !training.Trained() {
		all = append(all, [2]string{"Training", "none: the embedding is the smoothed features"})
	}
	if training.Trained() {
		all = append(all, [2]string{"Training", fmt.Sprintf("%d epochs, loss %s, %s ranking of pairs", training.Epochs, training.Loss, training.Ranking)})
		if p.Model != nil {
			c := p.Model.About.Settings
			all = append(all,
				[2]string{"Pairs", fmt.Sprintf("positive: the most similar %.4g %% of all pairs at the start, %.4g %% at the end; negative: those after %.4g %% and %.4g %%",
					100*c.Thresholds.PosStart, 100*c.Thresholds.PosEnd, 100*c.Thresholds.NegStart, 100*c.Thresholds.NegEnd)},
				[2]string{"Embedding", fmt.Sprintf("%d dimensions, learning rate %v, %s", c.Dims, c.LearningRate, english.Plural(max(1, c.Members), "training", ""))})
		}
	}
	return append(all,
		[2]string{"Seed", fmt.Sprint(p.Seed)},
		[2]string{"Backend", fmt.Sprintf("%s (%s)", p.Backend, p.SIMD)},
		[2]string{"Time and memory", fmt.Sprintf("%.1f s, %d MB", p.Seconds.Total, p.PeakRSSBytes>>20)})
}
