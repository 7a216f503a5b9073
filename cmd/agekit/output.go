package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/report"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/agekit/table/parquet"
	"github.com/agekit/age/internal/output"
)

// outcome is what a run found, for the files of --out.
type outcome struct {
	loaded    *format.Loaded
	clusters  []int
	embedding blas32.General // no rows if the method makes none
	// explanation is nil if there is no embedding, or no way to explain it.
	explanation *explain.Explanation
	// places, n×2, are where the nodes are on a map; no rows if there is none.
	places blas32.General
	log    []string
	// model writes model.npz, and fit and training go into run.json; nil for methods
	// other than AGE.
	model    func(io.Writer) error
	fit      *report.Fit
	training []report.Training
}

// exports are the values of --export with the files that each adds.
var exports = map[string][]string{
	"parquet": {"nodes.parquet"}, "graphml": {"graph.graphml"}, "gexf": {"graph.gexf"}, "projector": {"tensors.tsv", "metadata.tsv"},
	"membership": {"membership.npy"},
}

// openOutput opens the folder of `agekit fit --out` and checks that its files can
// be written, before hours are spent on computing what goes there. While it is
// open, no other run can write to it.
func openOutput(dir string, export []string) (*output.Folder, error) {
	folder, err := output.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	names := []string{"embeddings.npy", "labels.txt", "nodes.csv", "run.json", "model.npz", "log.txt"}
	for _, format := range export {
		names = append(names, exports[format]...)
	}
	if err := folder.Check(names...); err != nil {
		folder.Close()
		return nil, fmt.Errorf("--out: %w", err)
	}
	return folder, nil
}

// files returns a function per file that writes it.
func (o outcome) files(export []string) map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{"labels.txt": lines(o.clusters), "log.txt": lines(o.log)}
	if o.model != nil {
		files["model.npz"] = o.model
	}
	if o.embedding.Rows > 0 {
		files["embeddings.npy"] = func(w io.Writer) error { return format.WriteNPY(w, o.embedding) }
	}
	nodes, columns := o.nodes()
	write, _ := table.Writer("nodes.csv")
	files["nodes.csv"] = func(w io.Writer) error { return write(w, nodes) }
	if o.fit != nil {
		run := report.Run{Version: thisVersion().String(), Fit: *o.fit, Columns: columns, Training: o.training}
		files["run.json"] = func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(run)
		}
	}
	a := o.loaded.Graph.Adjacency
	for _, kind := range export {
		switch kind {
		case "parquet":
			files["nodes.parquet"] = func(w io.Writer) error { return parquet.Write(w, nodes) }
		case "graphml":
			files["graph.graphml"] = func(w io.Writer) error { return table.WriteGraphML(w, nodes, a) }
		case "gexf":
			files["graph.gexf"] = func(w io.Writer) error { return table.WriteGEXF(w, nodes, a, o.place()) }
		case "membership":
			if o.explanation != nil {
				files["membership.npy"] = func(w io.Writer) error { return format.WriteNPY(w, o.explanation.Membership) }
			}
		case "projector":
			files["tensors.tsv"] = o.tensors
			write, _ := table.Writer("metadata.tsv")
			files["metadata.tsv"] = func(w io.Writer) error { return write(w, nodes) }
		}
	}
	return files
}

// nodes returns the table of the nodes: their ids, the user's own columns, and the
// results: cluster, confidence, outlier score and place. Nodes without ids get their
// numbers. It also returns the names of the columns that the report needs.
func (o outcome) nodes() (*table.Table, report.Columns) {
	g := o.loaded.Graph
	t := &table.Table{Rows: g.N()}
	names := g.NodeNames
	if names == nil {
		for i := range g.N() {
			names = append(names, strconv.Itoa(i))
		}
	}
	t.Columns = []table.Column{table.NewWords("id", names)}
	class := -1 // the column of the classes
	if o.loaded.Nodes != nil {
		for k, c := range o.loaded.Nodes.Columns {
			if k == o.loaded.IDColumn {
				t.Columns[0].Name = c.Name
				continue
			}
			if g.Labels != nil && k == o.loaded.LabelColumn {
				class = len(t.Columns)
			}
			t.Columns = append(t.Columns, c)
		}
	}
	for k := range t.Columns {
		if t.Columns[k].Name == "" { // a column without a name would look like an index
			t.Columns[k].Name = "column " + strconv.Itoa(k+1)
		}
	}
	columns := report.Columns{ID: t.Columns[0].Name}
	add := func(c table.Column) string {
		for slices.ContainsFunc(t.Columns, func(own table.Column) bool { return own.Name == c.Name }) {
			c.Name += " (found)"
		}
		t.Columns = append(t.Columns, c)
		return c.Name
	}
	switch {
	case class >= 0:
		columns.Class = t.Columns[class].Name
	case g.Labels != nil: // they come from elsewhere
		columns.Class = add(table.NewWords("class", classNames(g)))
	}
	columns.Cluster = add(table.NewNumbers("cluster", o.clusters))
	if e := o.explanation; e != nil {
		columns.Confidence = add(table.NewNumbers("confidence", e.Confidence))
		columns.Outlier = add(table.NewNumbers("outlier", e.Outlier))
	}
	if p := o.place(); p != nil {
		columns.X, columns.Y = add(table.NewNumbers("x", p.X)), add(table.NewNumbers("y", p.Y))
	}
	return t, columns
}

// classNames returns the name of the class of each node, empty if it is unknown.
func classNames(g *graph.Graph) []string {
	names := make([]string, g.N())
	for i, l := range g.Labels {
		switch {
		case l == graph.Unknown:
		case g.ClassNames != nil:
			names[i] = g.ClassNames[l]
		default:
			names[i] = strconv.Itoa(l)
		}
	}
	return names
}

// place returns where the nodes are drawn, in the colors of their clusters; nil if
// there is no map.
func (o outcome) place() *table.Place {
	if o.places.Rows == 0 {
		return nil
	}
	p := &table.Place{Color: func(i int) (r, g, b uint8) {
		return report.Color(o.clusters[i])
	}}
	for i := range o.places.Rows {
		p.X = append(p.X, float64(o.places.Data[i*o.places.Stride]))
		p.Y = append(p.Y, float64(o.places.Data[i*o.places.Stride+1]))
	}
	return p
}

// tensors writes the embedding as text, as TensorBoard's projector reads it.
func (o outcome) tensors(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i := range o.embedding.Rows {
		for j, v := range o.embedding.Data[i*o.embedding.Stride:][:o.embedding.Cols] {
			if j > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// checkExport returns an error for an unknown format, and for one without a folder.
func checkExport(export []string, out string) error {
	for _, format := range export {
		if exports[format] == nil {
			return misused("--export: unknown format %q: want %s", format, strings.Join(slices.Sorted(maps.Keys(exports)), ", "))
		}
	}
	if len(export) > 0 && out == "" {
		return misused("--export: want a folder for the files, --out DIR")
	}
	return nil
}

// lines returns a function that writes each value on a line.
func lines[T any](values []T) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, v := range values {
			if _, err := fmt.Fprintln(w, v); err != nil {
				return err
			}
		}
		return nil
	}
}
