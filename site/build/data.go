package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/agekit/figure/palette"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/lab"
	"github.com/agekit/age/agekit/tsne"
	"github.com/agekit/age/internal/atomicfile"
	"github.com/agekit/age/internal/linalg"
	"github.com/agekit/age/internal/rng"
)

// pageData returns what pages have before the program runs: colors, small graphs with their drawings, and
// Cora's first map. kept is the path of the file that keeps this map for the next build.
func pageData(kept string) map[string]any {
	cora := agekit.Must(dataset.Load(context.Background(), "cora", dataset.Options{}))
	labels := make([]byte, cora.N())
	for i, c := range cora.Labels {
		labels[i] = byte(c)
	}
	const cornerNodes = 60
	corner, nodes := lab.Corner(cora, cornerNodes)
	const karate = "assets/examples/karate.graphml"
	return map[string]any{
		"colors":    palette.Colors,
		"dark":      palette.DarkColors,
		"homophily": homophily,
		"stories":   stories(cora),
		"cora": map[string]any{
			"places": firstMap(cora, kept),
			"labels": base64.StdEncoding.EncodeToString(labels),
			"names":  cora.ClassNames,
		},
		"corner": map[string]any{"nodes": nodes, "places": drawing(corner)},
		"karate": map[string]any{
			"file":   string(agekit.Must(os.ReadFile(karate))),
			"places": drawing(agekit.Must(agekit.Load(karate))),
		},
	}
}

// homophily has, for graphs of the paper, the share of the edges that join nodes of the same class.
var homophily = [][2]any{{"Cora", 0.81}, {"Citeseer", 0.74}, {"Wiki", 0.61}, {"Pubmed", 0.80}}

// drawing returns the places of a small graph's nodes in a drawing, x and y of each node in turn.
func drawing(g *graph.Graph) []float64 {
	var edges [][2]int
	for i := range g.N() {
		for j := range g.Adjacency.Each(i) {
			if i < j {
				edges = append(edges, [2]int{i, j})
			}
		}
	}
	d := figure.Draw(g.N(), edges)
	var places []float64
	for i := range d.X {
		places = append(places, d.X[i], d.Y[i])
	}
	return places
}

// firstMap returns the t-SNE map of the smoothed features of g, which is Cora: x and y of each node in turn, as
// two-byte numbers in base64. To compute the map takes seconds, so the file kept keeps it for the next
// build.
func firstMap(g *graph.Graph, kept string) string {
	const version = "1 "                   // of the map's settings: raise it when they change
	key := version + g.Fingerprint() + " " // with which the file begins, before the map
	content, err := os.ReadFile(kept)
	if places, isSame := bytes.CutPrefix(content, []byte(key)); err == nil && isSame {
		return string(places)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		agekit.Check(err)
	}
	s := agekit.Settings(g)
	x := linalg.Normalize(agekit.Must(agekit.Smooth(g, s.K, s.Layers)))
	y := agekit.Must(tsne.Map(context.Background(), x, tsne.Options{Iterations: 500}, rng.New(1, rng.Only)))
	var xs, ys []float64
	for i := range y.Rows {
		xs, ys = append(xs, float64(y.Data[2*i])), append(ys, float64(y.Data[2*i+1]))
	}
	gridX, gridY := figure.Grid(xs, ys)
	var raw []byte
	for i := range gridX {
		raw = binary.LittleEndian.AppendUint16(raw, uint16(gridX[i]))
		raw = binary.LittleEndian.AppendUint16(raw, uint16(gridY[i]))
	}
	places := base64.StdEncoding.EncodeToString(raw)
	agekit.Check(os.MkdirAll(filepath.Dir(kept), 0o755))
	agekit.Check(atomicfile.Write(kept, atomicfile.Bytes([]byte(key+places))))
	return places
}
