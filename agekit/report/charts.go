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

// drawCharts sets the charts of v: Loss, Index, Eigenvalues and Tree. A chart without data
// stays empty.
func (v *view) drawCharts() {
	var curves []run.Curve // one for each training; none for methods other than AGE
	if v.Training != nil {
		curves = v.Training.Curves
	}
	var loss, index []figure.Series
	for i, t := range curves {
		name := fmt.Sprint("training ", i+1)
		loss = append(loss, figure.Series{Name: name, Y: t.Loss})
		indexOfEpochs := figure.Series{Name: name, Y: t.DBI, Circled: slices.Index(t.Epochs, t.Chosen) + 1}
		for _, epoch := range t.Epochs {
			indexOfEpochs.X = append(indexOfEpochs.X, float64(epoch))
		}
		index = append(index, indexOfEpochs)
	}
	v.Loss = lines("Loss", "epoch", "mean loss", loss...)
	v.Index = lines("Davies–Bouldin index", "epoch", "index", index...)
	if v.Spectrum != nil && v.Training != nil {
		var filter []figure.Response // none if the features were not smoothed
		if v.Layers > 0 {
			filter = append(filter, figure.Response{K: v.K, Layers: v.Layers})
		}
		v.Eigenvalues = svg(figure.EigenvalueHistogram("Eigenvalues and the filter", figure.Bins{Counts: v.Spectrum, Hi: 2}, v.LambdaMax, filter...))
	}
	if len(v.Run.Tree) > 0 {
		v.Tree = drawTree(v.Run.Tree, func(c int) string { return v.Label(c) + ", " + english.Plural(v.Clusters[c].Size, "node", "") })
	}
}

// lines returns a chart of the series as lines, or "" if they have fewer than two points
// together.
func lines(title, xLabel, yLabel string, series ...figure.Series) template.HTML {
	points := 0
	for _, s := range series {
		points += len(s.Y)
	}
	if points < 2 {
		return ""
	}
	return svg(figure.Lines(title, xLabel, yLabel, series...))
}

// pageColors replaces the colors of figures by the variables of the page's style, so that a
// dark page has dark charts.
var pageColors = strings.NewReplacer("#FFFFFF", "var(--paper)", "#FEFEFE", "var(--paper)", "#000000", "var(--ink)", "#222222", "var(--ink)",
	"#E3E3E3", "var(--line)", "#B4B9C1", "var(--bar)")

// svg returns a figure for the page, or "" if its data cannot be drawn.
func svg(f *figure.Figure) template.HTML {
	drawn, err := f.Encode(".svg")
	if err != nil {
		return ""
	}
	return template.HTML(pageColors.Replace(string(drawn)))
}

// drawTree returns a drawing of the tree that joins the clusters two by two: the farther left
// two are joined, the more alike they are. label returns the text of a cluster, which stands
// beside the drawing; there is one unit of height for each label. In joins, numbers from
// 0 to k−1 are clusters, and k+i is the group that join i makes.
func drawTree(joins []explain.Join, label func(int) string) template.HTML {
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, j := range joins {
		lowest, highest = min(lowest, j.Similarity), max(highest, j.Similarity)
	}
	// percent returns the place of a similarity in the drawing's width, with a margin of 4 at
	// both sides.
	percent := func(similarity float64) float64 { return 4 + 92*(highest-similarity)/max(highest-lowest, 1e-9) }
	k := len(joins) + 1       // the number of clusters
	groups := map[int][]int{} // the clusters in a group, in the order in which joins put them beside each other
	for c := range k {
		groups[c] = []int{c}
	}
	for i, j := range joins {
		groups[k+i] = slices.Concat(groups[j.Left], groups[j.Right])
	}
	type point struct{ x, y float64 }
	places := map[int]point{} // where the line of a cluster or group begins
	var out strings.Builder
	out.WriteString(`<div class="tree"><ol>`)
	all := groups[k+len(joins)-1] // the last join has all clusters
	for i, c := range all {
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
