package figure_test

import (
	"bytes"
	"encoding/base64"
	"image/color"
	"image/png"
	"regexp"
	"testing"

	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/testutil"
	"gonum.org/v1/gonum/mat"
)

// TestStepsExplorer compares pixels of a step's picture with those by hand. Nodes 0 and 2 are
// alike, and node 1 is not like them. In the order 0, 2, 1, the pairs of 0 and 2 are the four
// pixels at the top left. The pair (0, 2) is positive, and (2, 0) is not. An order that is
// shorter than the number of nodes is an error.
func TestStepsExplorer(t *testing.T) {
	z := mat.NewDense(3, 2, []float64{1, 0, 0, 1, 1, 0})
	page := figure.StepsExplorer("Steps", []int{0, 2, 1}, []figure.Step{{Z: z, Positive: [][2]int{{0, 2}}, Text: "Epoch 0."}})
	found := regexp.MustCompile(`"Picture":"([^"]*)","Text":"Epoch 0."`).FindStringSubmatch(page.HTML)
	if found == nil {
		t.Fatalf("no picture in %.200s", page.HTML)
	}
	data := testutil.Value(base64.StdEncoding.DecodeString(found[1])).OrFatal(t)
	picture := testutil.Value(png.Decode(bytes.NewReader(data))).OrFatal(t)
	dark, light, blue := color.Gray{51}, color.Gray{255}, color.RGBA{0x00, 0x72, 0xb2, 0xff}
	for _, want := range []struct {
		x, y int
		c    color.Color
	}{{0, 0, dark}, {1, 0, blue}, {0, 1, dark}, {2, 0, light}, {1, 2, light}, {2, 2, dark}} {
		r, g, b, _ := picture.At(want.x, want.y).RGBA()
		wantR, wantG, wantB, _ := want.c.RGBA()
		if r != wantR || g != wantG || b != wantB {
			t.Errorf("pixel (%d, %d) is %v, want %v", want.x, want.y, picture.At(want.x, want.y), want.c)
		}
	}
	testutil.Fails(t, figure.StepsExplorer("Steps", []int{0, 1}, []figure.Step{{Z: z}}).Show(), "3 nodes")
}
