package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/run"
)

// charts draws the page's charts as SVG, in the colors of the page's style.
func (v *view) charts() {
	if v.Training != nil {
		v.Curves = v.Training.Curves
	}
	var loss, index []line
	for i, t := range v.Curves {
		epochs := make([]float64, len(t.Loss))
		for e := range epochs {
			epochs[e] = float64(e + 1)
		}
		loss = append(loss, line{x: epochs, y: t.Loss, color: css(i), mark: -1})
		saved := make([]float64, len(t.Epochs))
		for e, at := range t.Epochs {
			saved[e] = float64(at)
		}
		index = append(index, line{x: saved, y: t.DBI, color: css(i), mark: slices.Index(t.Epochs, t.Chosen)})
	}
	v.Loss = lineChart("Mean loss after each epoch", "epoch", "loss", loss)
	v.Index = lineChart("Davies–Bouldin index of the saved embeddings; the circle is the chosen one", "epoch", "Davies–Bouldin index", index)
	if v.Spectrum != nil {
		v.Eigenvalues = v.spectrum()
	}
	if a := v.Tried; a != nil && a.Numbers != nil {
		share := line{color: css(0), mark: a.Number()}
		for _, n := range a.Numbers {
			share.x, share.y = append(share.x, float64(n.Clusters)), append(share.y, n.EdgeShare)
		}
		v.NumberChart = lineChart("What one end's cluster tells about the other end's, by the number of clusters", "clusters", "share of the information", []line{share})
	}
	if len(v.Run.Tree) > 0 {
		v.Tree = tree(v.Run.Tree, v.Clusters)
	}
}

// line is a line of a chart; the point at mark has a circle, unless it is −1.
type line struct {
	x, y  []float64
	color string
	mark  int
}

// The size of a chart, and of the box between its axes.
const (
	chartWidth, chartHeight = 560, 240
	boxLeft, boxTop         = 62, 12
	boxWidth, boxHeight     = 484, 180
)

// lineChart draws lines, from 0 up if that is not far. It returns nothing if there is
// nothing to draw.
func lineChart(title, x, y string, lines []line) template.HTML {
	var xs, ys []float64
	for i := range lines {
		xs, ys = append(xs, lines[i].x...), append(ys, lines[i].y...)
	}
	if len(xs) < 2 {
		return ""
	}
	low, high := slices.Min(ys), slices.Max(ys)
	if low > 0 && low < high/2 || low == high {
		low = min(low, 0)
	}
	c := newChart(title, x, y, slices.Min(xs), slices.Max(xs), low, high)
	for _, l := range lines {
		var path strings.Builder
		for p := range l.x {
			command := 'L'
			if p == 0 {
				command = 'M'
			}
			fmt.Fprintf(&path, "%c%.1f %.1f", command, c.x(l.x[p]), c.y(l.y[p]))
		}
		fmt.Fprintf(c, `<path d="%s" fill="none" stroke="%s" stroke-width="1.8"/>`, path.String(), l.color)
		if l.mark >= 0 {
			fmt.Fprintf(c, `<circle cx="%.1f" cy="%.1f" r="5" fill="none" stroke="%s" stroke-width="2"/>`, c.x(l.x[l.mark]), c.y(l.y[l.mark]), l.color)
		}
	}
	return c.html()
}

// spectrum draws the eigenvalues and what the filter leaves of them.
func (v *view) spectrum() template.HTML {
	most := slices.Max(v.Spectrum)
	c := newChart("Eigenvalues of the Laplacian (bars) and the filter's amplitude |1 − kλ|ᵗ (line, from 0 to 1)", "eigenvalue λ", "number of eigenvalues", 0, 2, 0, most)
	width := 2 / float64(len(v.Spectrum))
	for i, count := range v.Spectrum {
		if count > 0 {
			left, right := c.x(width*float64(i)), c.x(width*float64(i+1))
			fmt.Fprintf(c, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" class="bar"/>`, left, c.y(count), max(0.5, right-left-1), c.y(0)-c.y(count))
		}
	}
	var path strings.Builder
	for i := range 201 {
		at := 2 * float64(i) / 200
		command := 'L'
		if i == 0 {
			command = 'M'
		}
		fmt.Fprintf(&path, "%c%.1f %.1f", command, c.x(at), c.y(most*math.Pow(math.Abs(1-v.K*at), float64(v.Layers))))
	}
	fmt.Fprintf(c, `<path d="%s" fill="none" stroke="%s" stroke-width="1.8"/>`, path.String(), css(1))
	return c.html()
}

// chart is an SVG drawing with axes.
type chart struct {
	strings.Builder
	left, right, low, high float64
}

func newChart(title, x, y string, left, right, low, high float64) *chart {
	if right == left {
		right = left + 1
	}
	if high == low {
		high = low + 1
	}
	c := &chart{left: left, right: right, low: low, high: high}
	fmt.Fprintf(c, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, chartWidth, chartHeight, template.HTMLEscapeString(title))
	for _, at := range ticks(low, high) {
		fmt.Fprintf(c, `<path d="M%d %.1fh%d" class="grid"/><text x="%d" y="%.1f" dy=".35em" text-anchor="end">%s</text>`, boxLeft, c.y(at), boxWidth, boxLeft-8, c.y(at), tick(at))
	}
	for _, at := range ticks(left, right) {
		fmt.Fprintf(c, `<path d="M%.1f %dv4" class="axis"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`, c.x(at), boxTop+boxHeight, c.x(at), boxTop+boxHeight+18, tick(at))
	}
	fmt.Fprintf(c, `<path d="M%d %dv%dh%d" fill="none" class="axis"/>`, boxLeft, boxTop, boxHeight, boxWidth)
	fmt.Fprintf(c, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, boxLeft+boxWidth/2, chartHeight-10, x)
	fmt.Fprintf(c, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`, boxTop+boxHeight/2, y)
	return c
}

func (c *chart) x(v float64) float64 { return boxLeft + boxWidth*(v-c.left)/(c.right-c.left) }

func (c *chart) y(v float64) float64 { return boxTop + boxHeight*(1-(v-c.low)/(c.high-c.low)) }

func (c *chart) html() template.HTML {
	c.WriteString("</svg>")
	return template.HTML(c.String())
}

// ticks returns three to seven round numbers in a range.
func ticks(low, high float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/2)))
	for _, by := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*by) <= 6 {
			step *= by
			break
		}
	}
	var all []float64
	for i := math.Ceil(low/step - 1e-9); i*step <= high+1e-9*step; i++ {
		all = append(all, i*step)
	}
	return all
}

// tick writes a number of an axis.
func tick(v float64) string { return minus(fmt.Sprintf("%.4g", v+0)) } // −0 + 0 is 0

// tree draws the joins of the clusters: those that are joined farther left are more
// alike.
func tree(joins []explain.Join, clusters []run.Cluster) template.HTML {
	k := len(clusters)
	const left, right, row = 150, 540, 22
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, j := range joins {
		lowest, highest = min(lowest, j.Similarity), max(highest, j.Similarity)
	}
	at := func(similarity float64) float64 {
		return left + 20 + (right-left-40)*(highest-similarity)/max(highest-lowest, 1e-9)
	}
	// The leaves in the order in which the joins put them beside each other.
	groups := map[int][]int{}
	for c := range k {
		groups[c] = []int{c}
	}
	for i, j := range joins {
		groups[k+i] = slices.Concat(groups[j.Left], groups[j.Right])
	}
	type point struct{ x, y float64 }
	places := map[int]point{}
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg viewBox="0 0 %d %d" role="img" aria-label="Tree of the clusters: the farther left two are joined, the more alike they are">`, chartWidth, row*k+16)
	for i, c := range groups[k+len(joins)-1] {
		y := float64(row*i) + 16
		places[c] = point{left, y}
		fmt.Fprintf(&svg, `<circle cx="%d" cy="%.1f" r="5" fill="%s"/><text x="%d" y="%.1f" dy=".35em" text-anchor="end">cluster %d, %d nodes</text>`, left, y, css(c), left-12, y, c, clusters[c].Size)
	}
	for i, j := range joins {
		a, b, x := places[j.Left], places[j.Right], at(j.Similarity)
		fmt.Fprintf(&svg, `<path d="M%.1f %.1fH%.1fV%.1fH%.1f" fill="none" class="axis"/>`, a.x, a.y, x, b.y, b.x)
		places[k+i] = point{x, (a.y + b.y) / 2}
	}
	svg.WriteString("</svg>")
	return template.HTML(svg.String())
}
