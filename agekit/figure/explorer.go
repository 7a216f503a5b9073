package figure

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strings"
)

//go:embed explorer.html
var explorerSource string

var explorerTemplate = template.Must(template.New("explorer").Parse(explorerSource))

// The explorer's geometry, in its own units. The script in explorer.html,
// which redraws the moving parts, contains the same numbers.
const (
	exLeft, exRight  = 60.0, 620.0 // λ = 0 and λ = 2
	exBottom, exTop  = 300.0, 36.0 // amplitude 0 and 1; bar height 0 and the highest bar
	exGap            = 0.1         // between bars, as a share of their width
	exSteps          = 200         // segments of the response curve
	exLowK, exHighK  = 0.2, 1.5
	exMostLayers     = 12
	exLambda         = 2.0
	exHighestOnScale = 2.0 // amplitudes above 1.05 are off the drawing and need no exact position
)

// FrequencyResponseExplorer returns a drawing of the filter's amplitude
// |1 − kλ|ᵗ over the eigenvalue histogram, with a slider for k (0.2 to 1.5)
// and one for t (1 to 12). It also shows what passes the filter and the share
// of eigenvalues at or above 1/k, where the amplitude rises again and the
// filter is not low-pass. The zero value of start means k = 1/λmax, t = 1.
//
// The fragment is self-contained: it works in a saved page, without a network
// and without a kernel. Without scripts it shows the start. A page can hold
// any number of them.
func FrequencyResponseExplorer(b Bins, lambdaMax float64, start Response) Fragment {
	if start == (Response{}) {
		start = Response{K: 1 / lambdaMax, Layers: 1}
	}
	var err error
	switch {
	case b.check() != nil:
		err = b.check()
	case b.Lo != 0 || b.Hi != exLambda:
		err = fmt.Errorf("bins from %v to %v: want 0 to 2, the range of the eigenvalues", b.Lo, b.Hi)
	case !(lambdaMax > 0 && lambdaMax <= 2+1e-9):
		err = fmt.Errorf("λmax is %v: want a number in (0, 2]", lambdaMax)
	case !(start.K >= exLowK && start.K <= exHighK) || start.Layers < 1 || start.Layers > exMostLayers:
		err = fmt.Errorf("start with k = %v and t = %d: want k from %v to %v and t from 1 to %d",
			start.K, start.Layers, exLowK, exHighK, exMostLayers)
	}
	if err != nil {
		return Fragment{err: fmt.Errorf("figure: %w", err)}
	}
	var page strings.Builder
	if err := explorerTemplate.Execute(&page, newExplorer(b, lambdaMax, start)); err != nil {
		return Fragment{err: fmt.Errorf("figure: %w", err)}
	}
	return Fragment{HTML: page.String(), Text: fmt.Sprintf("λmax = %.4f, %s: %s of the eigenvalues are at or above 1/k = %.4f\n",
		lambdaMax, start.name(), percent(b.shareAbove(1/start.K, lambdaMax)), 1/start.K)}
}

// explorer is the template's data: the state at the start.
type explorer struct {
	Counts         string // as JSON
	LambdaMax, K   float64
	T              int
	LowK, HighK    float64
	MostT          int
	LambdaMaxX     float64
	Bars           []bar
	XTicks, YTicks []axisTick
	RightTicks     []axisTick
	Passed, Curve  string
	ShadeX, ShadeW float64
	KText, InvText string
	MaxText        string
	AboveText      string
	AtMaxText      string
}

type bar struct{ X, Y, W, H float64 }

type axisTick struct {
	At    float64
	Label string
}

func newExplorer(b Bins, lambdaMax float64, start Response) explorer {
	counts, err := json.Marshal(b.Counts)
	if err != nil {
		panic(err) // checked: all counts are finite
	}
	e := explorer{
		Counts: string(counts), LambdaMax: lambdaMax, K: start.K, T: start.Layers,
		LowK: exLowK, HighK: exHighK, MostT: exMostLayers,
		LambdaMaxX: exX(lambdaMax),
		KText:      fmt.Sprintf("%.3f", start.K),
		InvText:    fmt.Sprintf("%.3f", 1/start.K),
		MaxText:    fmt.Sprintf("%.4f", lambdaMax),
		AboveText:  percent(b.shareAbove(1/start.K, lambdaMax)),
		AtMaxText:  fmt.Sprintf("%.3f", math.Abs(start.At(lambdaMax))),
	}
	gap := exGap * (exRight - exLeft) / float64(len(b.Counts))
	var passed, curve strings.Builder
	for i, c := range b.Counts {
		lo, hi := b.edges(i)
		h := c / b.highest() * (exBottom - exTop)
		e.Bars = append(e.Bars, bar{round(exX(lo)), round(exBottom - h), round(exX(hi) - exX(lo) - gap), round(h)})
		amplitude := min(1, math.Abs(start.At((lo+hi)/2)))
		fmt.Fprintf(&passed, "M%.1f %.1fV%.1fH%.1fV%.1fZ", exX(lo), exBottom, exBottom-h*amplitude, exX(hi)-gap, exBottom)
	}
	for i := range exSteps + 1 {
		lambda := exLambda * float64(i) / exSteps
		fmt.Fprintf(&curve, "%.1f,%.1f ", exX(lambda), exY(math.Abs(start.At(lambda))))
	}
	e.Passed, e.Curve = passed.String(), strings.TrimSpace(curve.String())
	e.ShadeX = round(exX(min(exLambda, 1/start.K)))
	e.ShadeW = round(exRight - e.ShadeX)
	for _, t := range (ticks{}).Ticks(0, exLambda) {
		e.XTicks = append(e.XTicks, axisTick{round(exX(t.Value)), t.Label})
	}
	for _, t := range (ticks{}).Ticks(0, b.highest()) {
		e.YTicks = append(e.YTicks, axisTick{round(exY(t.Value / b.highest())), t.Label})
	}
	for _, v := range []float64{0, 0.5, 1} {
		e.RightTicks = append(e.RightTicks, axisTick{round(exY(v)), fmt.Sprint(v)})
	}
	return e
}

func exX(lambda float64) float64 { return exLeft + (exRight-exLeft)*lambda/exLambda }

func exY(amplitude float64) float64 {
	return exBottom - (exBottom-exTop)*min(exHighestOnScale, amplitude)
}

func round(v float64) float64 { return math.Round(10*v) / 10 }

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
