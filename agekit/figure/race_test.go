package figure

import (
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestNamesBesideBars: placeName puts a name where it crosses no bar and covers no point, and
// so that the line from its point to the name crosses no other point.
func TestNamesBesideBars(t *testing.T) {
	const width, height = 30, 10 // of the name
	box := func(x0, y0, x1, y1 vg.Length) vg.Rectangle {
		return vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}
	}
	point, canvas := vg.Point{X: 100, Y: 100}, box(0, 0, 200, 200)
	bars := []vg.Rectangle{box(109, 0, 111, 200)}  // right of the point, where a name would stand first
	others := []vg.Rectangle{box(60, 90, 70, 110)} // another point, on the left
	if nameBox := placeName(point, width, height, nil, bars, canvas); countOverlaps(nameBox, bars) > 0 {
		t.Errorf("the name at %v crosses the bar", nameBox)
	}
	if nameBox := placeName(point, width, height, others, bars, canvas); countOverlaps(nameBox, others) > 0 {
		t.Errorf("the name at %v covers a point", nameBox)
	}
	// Other points all around, but for a lane upward from the point: a name has room only far
	// away, behind other points, or above.
	var ring []vg.Rectangle
	for x := vg.Length(40); x <= 160; x += 10 {
		for y := vg.Length(40); y <= 160; y += 10 {
			if x != 100 || y < 100 {
				ring = append(ring, boxAround(vg.Point{X: x, Y: y}, 6, 6))
			}
		}
	}
	nameBox := placeName(point, 8, 8, ring, nil, canvas) // a small name
	for k, p := range pointsBetween(point, nearestInside(nameBox, point)) {
		if k > 3 && countOverlaps(boxAround(p, 1, 1), ring) > 0 {
			t.Errorf("the line to the name at %v crosses a point at %v", nameBox, p)
		}
	}
}
