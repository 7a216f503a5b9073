package cluster

// This part has the colors of clusters and classes.

import "fmt"

// DistinctColors is the number of the first colors that people with any color vision can
// tell apart: those of Okabe and Ito ("Color Universal Design", 2008), without their
// yellow, which is hard to see on white, and with a brown in place of their black.
const DistinctColors = 7

// colors has others, as different as possible, after the distinct ones.
var colors = [...][3]uint8{
	{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73}, {0xcc, 0x79, 0xa7}, {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9}, {0x8c, 0x56, 0x4b},
	{0x6a, 0x3d, 0x9a}, {0x7f, 0x7f, 0x7f}, {0xbc, 0xbd, 0x22}, {0xe3, 0x1a, 0x1c}, {0x17, 0xbe, 0xcf}, {0x33, 0xa0, 0x2c}, {0xf7, 0x81, 0xbf},
	{0x1f, 0x3b, 0x73}, {0xb1, 0x59, 0x28}, {0xa6, 0xce, 0x39}, {0x9e, 0x01, 0x42}, {0x66, 0xc2, 0xa5}, {0xfd, 0xae, 0x61},
}

// Colors is the number of colors. Beyond it they repeat.
const Colors = len(colors)

// Color returns the color of a cluster or class.
func Color(i int) (r, g, b uint8) {
	c := colors[i%Colors]
	return c[0], c[1], c[2]
}

// CSSColor returns the color of a cluster or class as CSS writes it.
func CSSColor(i int) string {
	r, g, b := Color(i)
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}

// DarkColors returns colors to use instead of some of those of [CSSColor] that are hard to see on
// black.
func DarkColors() map[string]string {
	return map[string]string{"#1f3b73": "#5468d6", "#6a3d9a": "#9a6fd8", "#9e0142": "#d6246e"}
}

// shapes are marks about as large as a disc of radius 1 around (0, 0), as paths of SVG.
var shapes = [...]string{
	"M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
	"M-.9-.9H.9V.9H-.9z",
	"M0-1.25L1.2.85H-1.2z",
	"M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4z",
	"M-1.15 0a1.15 1.15 0 1 0 2.3 0a1.15 1.15 0 1 0-2.3 0zM-.6 0a.6.6 0 1 1 1.2 0a.6.6 0 1 1-1.2 0z",
}

// Shapes returns all marks, the disc first and the ring last.
func Shapes() []string { return shapes[:] }

// Shape returns the mark of a cluster or class: where colors repeat, the shape differs, up
// to 100 of them.
func Shape(i int) string { return shapes[i/Colors%len(shapes)] }
