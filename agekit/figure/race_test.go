package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestNamesBesideBars: a name stands free of bars, and rather over a bar than over a point;
// the line from its point crosses no other point.
func TestNamesBesideBars(t *testing.T) {
	box := func(x0, y0, x1, y1 vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
	}
	point, all := vg.Point{X: 100, Y: 100}, box(0, 0, 200, 200)
	rightBar, others := box(109, 0, 111, 200), []vg.Rectangle{box(60, 90, 70, 110)}
	if nameBox := placeName(point, 30, 10, nil, []vg.Rectangle{rightBar}, all); countOverlaps(nameBox, []vg.Rectangle{rightBar}) > 0 {
		t.Errorf("the name at %v crosses the bar", nameBox)
	}
	if nameBox := placeName(point, 30, 10, others, []vg.Rectangle{rightBar}, all); countOverlaps(nameBox, others) > 0 {
		t.Errorf("the name at %v covers a point", nameBox)
	}
	// Points all around, with room only far to the right, behind a point, and far above.
	var ring []vg.Rectangle
	for x := vg.Length(40); x <= 160; x += 10 {
		for y := vg.Length(40); y <= 160; y += 10 {
			if x != 100 || y < 100 {
				ring = append(ring, boxAround(vg.Point{X: x, Y: y}, 6, 6))
			}
		}
	}
	nameBox := placeName(point, 8, 8, ring, nil, all)
	for k, p := range pointsBetween(point, nearestInside(nameBox, point)) {
		if k > 3 && countOverlaps(boxAround(p, 1, 1), ring) > 0 {
			t.Errorf("the line to the name at %v crosses a point at %v", nameBox, p)
		}
	}
}
