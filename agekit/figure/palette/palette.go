package palette

// DistinctColors is how many of the first Colors people with any color vision can tell apart.
// These are the colors of Okabe and Ito ("Color Universal Design", 2008), without their
// yellow, which is hard to see on white, and with a brown in place of their black.
const DistinctColors = 7

// Colors are the colors of clusters and classes, as CSS writes them: first DistinctColors, then
// others as different as possible. If there are more clusters than colors, the colors repeat.
var Colors = [...]string{
	"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b",
	"#6a3d9a", "#7f7f7f", "#bcbd22", "#e31a1c", "#17becf", "#33a02c", "#f781bf",
	"#1f3b73", "#b15928", "#a6ce39", "#9e0142", "#66c2a5", "#fdae61",
}

// DarkColors maps those of Colors that are hard to see on black to the colors that replace them
// on a dark page.
var DarkColors = map[string]string{"#1f3b73": "#5468d6", "#6a3d9a": "#9a6fd8", "#9e0142": "#d6246e"}

// Shapes are marks about as large as a disc of radius 1 around (0, 0), as paths of SVG: a disc,
// a square, a triangle, a cross and a ring. Each time that the colors repeat, the next shape
// is used, so that 100 clusters or classes differ.
var Shapes = [...]string{
	"M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
	"M-.9-.9H.9V.9H-.9z",
	"M0-1.25L1.2.85H-1.2z",
	"M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4z",
	"M-1.15 0a1.15 1.15 0 1 0 2.3 0a1.15 1.15 0 1 0-2.3 0zM-.6 0a.6.6 0 1 1 1.2 0a.6.6 0 1 1-1.2 0z",
}
