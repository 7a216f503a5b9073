package figure

import "fmt"

// explorer is what one interactive figure consists of.
type explorer struct {
	name  string   // of the figure's script: scripts/NAME.js
	title string   // a sentence for readers who do not see the figure
	data  any      // what the script draws, written as JSON
	still *Figure  // what is shown where scripts do not run: the first state
	text  string   // what is printed outside a notebook
	needs []string // names of further scripts that the figure's script uses
}

// fragment returns the figure as a self-contained fragment, or one that holds the error of
// the still figure. Where scripts do not run, as in a notebook that Jupyter does not trust,
// the fragment shows the still figure as an image, and says how to make it move.
func (e explorer) fragment() Fragment {
	png, err := e.still.smallPNG()
	if err != nil {
		return Fragment{err: err}
	}
	page, err := interactiveHTML(e.name, e.title, e.still.img(png)+"<p>Run this cell, and the picture moves.</p>", e.data, e.needs...)
	if err != nil {
		return refused("%w", err)
	}
	return Fragment{HTML: page, PNG: png, Text: e.text}
}

// filterScript is the explorer.needs of figures that apply the filter in the reader's browser.
var filterScript = []string{"filter"}

// refused returns a fragment that holds an error, formatted as by [fmt.Errorf].
func refused(format string, args ...any) Fragment {
	return Fragment{err: fmt.Errorf("figure: "+format, args...)}
}

// The range of the sliders of a FrequencyResponseExplorer.
const (
	explorerLowK, explorerHighK = 0.2, 1.5
	explorerLayers              = 12
)

// FrequencyResponseExplorer draws the filter's amplitude |1 − kλ|ᵗ over b, the histogram of
// the eigenvalues from 0 to 2, with a slider for k (0.2 to 1.5) and one for t (1 to 12). It
// also shows what passes the filter, and the share of eigenvalues at or above 1/k, where the
// amplitude rises again and the filter is not low-pass. start has the first k and t; its
// zero value means k = 1/λmax, t = 1. If an argument is out of range, the fragment holds an
// error.
func FrequencyResponseExplorer(b Bins, lambdaMax float64, start Response) Fragment {
	if start == (Response{}) {
		start = Response{K: 1 / lambdaMax, Layers: 1}
	}
	switch err := b.check(); {
	case err != nil:
		return refused("%w", err)
	case b.Lo != 0 || b.Hi != 2:
		return refused("bins from %v to %v: want 0 to 2, the range of the eigenvalues", b.Lo, b.Hi)
	case !isLambdaMax(lambdaMax):
		return refused("λmax is %v: want a number in (0, 2]", lambdaMax)
	case !(start.K >= explorerLowK && start.K <= explorerHighK) || start.Layers < 1 || start.Layers > explorerLayers:
		return refused("start with k = %v and t = %d: want k from %v to %v and t from 1 to %d",
			start.K, start.Layers, explorerLowK, explorerHighK, explorerLayers)
	}
	var counts []float64 // those that the vertical axis marks
	for _, t := range (ticks{}).Ticks(0, b.highest()) {
		if t.Label != "" {
			counts = append(counts, t.Value)
		}
	}
	const title = "Eigenvalues and the filter's amplitude"
	return explorer{
		name: "explorer", title: title, needs: filterScript,
		data: map[string]any{
			"Title": title, "Counts": b.Counts, "Ticks": counts, "LambdaMax": lambdaMax, "K": start.K, "Layers": start.Layers,
			"MostLayers": explorerLayers, "SmallestK": explorerLowK, "LargestK": explorerHighK,
		},
		still: EigenvalueHistogram(title, b, lambdaMax, start),
		text: fmt.Sprintf("λmax = %.4f, %s: %.1f %% of the eigenvalues are at or above 1/k = %.4f\n",
			lambdaMax, responseName(start), 100*b.shareAbove(1/start.K, lambdaMax), 1/start.K),
	}.fragment()
}
