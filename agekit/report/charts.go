package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/run"
	"github.com/dustin/go-humanize/english"
)

// drawCharts draws the page's charts, each empty if there is nothing to draw.
func (v *view) drawCharts() {
	var curves []run.Curve // none for methods other than AGE
	if v.Training != nil {
		curves = v.Training.Curves
	}
	var loss, index []figure.Series
	for i, t := range curves {
		name := fmt.Sprint("training ", i+1)
		loss = append(loss, figure.Series{Name: name, Y: t.Loss})
		saved := figure.Series{Name: name, Y: t.DBI, Circled: slices.Index(t.Epochs, t.Chosen) + 1}
		for _, epoch := range t.Epochs {
			saved.X = append(saved.X, float64(epoch))
		}
		index = append(index, saved)
	}
	v.Loss = lines("Loss", "epoch", "mean loss", loss...)
	v.Index = lines("Davies–Bouldin index", "epoch", "index", index...)
	if v.Spectrum != nil && v.Training != nil {
		var filter []figure.Response
		if v.Layers > 0 {
			filter = append(filter, figure.Response{K: v.K, Layers: v.Layers})
		}
		v.Eigenvalues = svg(figure.EigenvalueHistogram("Eigenvalues and the filter", figure.Bins{Counts: v.Spectrum, Hi: 2}, v.LambdaMax, filter...))
	}
	if len(v.Run.Tree) > 0 {
		v.Tree = drawTree(v.Run.Tree, func(c int) string { return v.Label(c) + ", " + english.Plural(v.Clusters[c].Size, "node", "") })
	}
}

// lines draws lines, or nothing if there are fewer than two points.
func lines(title, x, y string, series ...figure.Series) template.HTML {
	points := 0
	for _, s := range series {
		points += len(s.Y)
	}
	if points < 2 {
		return ""
	}
	return svg(figure.Lines(title, x, y, series...))
}

// pageColors are the colors of the page's style for those of figures, so that a dark
// page has dark charts.
var pageColors = strings.NewReplacer("#FFFFFF", "var(--paper)", "#FEFEFE", "var(--paper)", "#000000", "var(--ink)", "#222222", "var(--ink)",
	"#E3E3E3", "var(--line)", "#B4B9C1", "var(--bar)")

// svg returns a figure for the page, or nothing if its data cannot be drawn.
func svg(f *figure.Figure) template.HTML {
	drawn, err := f.Encode(".svg")
	if err != nil {
		return ""
	}
	return template.HTML(pageColors.Replace(string(drawn)))
}

// drawTree draws the joins of the clusters: those that are joined farther left are more
// alike. The names are text beside the drawing, which is as high as they are.
func drawTree(joins []explain.Join, label func(int) string) template.HTML {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, j := range joins {
		lowest, highest = min(lowest, j.Similarity), max(highest, j.Similarity)
	}
	percent := func(similarity float64) float64 { return 4 + 92*(highest-similarity)/max(highest-lowest, 1e-9) }
	// The leaves in the order in which the joins put them beside each other.
	k := len(joins) + 1
	groups := map[int][]int{}
	for c := range k {
		groups[c] = []int{c}
	}
	for i, j := range joins {
		groups[k+i] = slices.Concat(groups[j.Left], groups[j.Right])
	}
	type point struct{ x, y float64 }
	places := map[int]point{}
	var out strings.Builder
	out.WriteString(`<div class="tree"><ol>`)
	for i, c := range groups[k+len(joins)-1] {
		places[c] = point{0, float64(i) + 0.5}
		fmt.Fprintf(&out, "<li>%s<span>%s</span></li>", mark(c), template.HTMLEscapeString(label(c)))
	}
	fmt.Fprintf(&out, `</ol><svg viewBox="0 0 100 %d" preserveAspectRatio="none" role="img" aria-label="Tree of the clusters: the farther left two are joined, the more alike they are">`, k)
	for i, j := range joins {
		a, b, x := places[j.Left], places[j.Right], percent(j.Similarity)
		fmt.Fprintf(&out, `<path d="M%.2f %.2fH%.2fV%.2fH%.2f" fill="none" class="axis" vector-effect="non-scaling-stroke"/>`, a.x, a.y, x, b.y, b.x)
		places[k+i] = point{x, (a.y + b.y) / 2}
	}
	fmt.Fprintf(&out, `</svg><p class="soft"><span>%s</span><span>similarity</span><span>%s</span></p></div>`, minus(fmt.Sprintf("%.2f", highest)), minus(fmt.Sprintf("%.2f", lowest)))
	return template.HTML(out.String())
}
