package figure

import (
	"fmt"
	"strconv"
)

// The limits of linked views: more nodes leave no room for numbers in the matrix.
const (
	mostLinked   = 12
	linkedLayers = 12
)

// LinkedExplorer draws the graph d, its filter H = I − k·L̃sym as a matrix, and
// the sum hᵢ = Σⱼ Hᵢⱼxⱼ of one node, side by side. What the reader points at in one of them is
// marked in the other two. A click on an entry says what it is made of, and one on a value
// unfolds the value's own sum in the layer before. Sliders move k and the number of
// layers t, and a list chooses the signal if there are several. The fragment holds an error
// if d has more than 12 nodes, start is out of range (t from 0 to 12) or a signal is not
// finite. LinkedExplorer panics if a signal does not have one value per node.
func LinkedExplorer(title string, d Drawing, signals []Signal, start Response) Fragment {
	if err := checkSmoothing(d, signals, start, linkedLayers); err != nil {
		return refused("%w", err)
	}
	n := len(d.X)
	if n > mostLinked {
		return refused("%d nodes: want at most %d", n, mostLinked)
	}
	for _, s := range signals {
		if s.X == nil {
			return refused("signal %q: want one value per node", s.Name)
		}
	}
	short := make([]string, n)
	for i := range short {
		short[i] = strconv.Itoa(i)
	}
	_, style := LinkedViews()
	return explorer{
		name: "linked", title: title, needs: []string{"linkedviews"},
		data: map[string]any{
			"Graph": d.rounded(), "Short": short, "Signals": signals,
			"K": start.K, "Layers": start.Layers, "MostLayers": linkedLayers, "Style": style,
		},
		still: Graph(title, d, start.SmoothSignal(d.operator(), signals[0].X)),
		text:  fmt.Sprintf("%s: %d nodes, %d edges\n", title, n, len(d.Edges)),
	}.fragment()
}

// LinkedViews returns the script that adds the function linked to an object ui, and the style
// of what the function draws, for a page that has controls of its own. The page's ui has
// html, svg, signal and number, as scripts/ui.js and scripts/linked.js do.
func LinkedViews() (script, style string) {
	text := func(name string) string {
		content, err := scripts.ReadFile("scripts/" + name)
		require(err == nil, "%v", err)
		return string(content)
	}
	return text("linkedviews.js"), text("linkedviews.css")
}
