package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/format"
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
	log         []string
	// model writes model.npz; nil for methods without a model.
	model func(io.Writer) error
}

// exports are the values of --export with the files that each adds.
var exports = map[string][]string{
	"parquet": {"nodes.parquet"}, "graphml": {"graph.graphml"}, "gexf": {"graph.gexf"}, "projector": {"tensors.tsv", "metadata.tsv"},
}

// openOutput opens the folder of `age fit --out` and checks that its files can
// be written, before hours are spent on computing what goes there. While it is
// open, no other run can write to it.
func openOutput(dir string, export []string) (*output.Folder, error) {
	folder, err := output.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	names := []string{"embeddings.npy", "labels.txt", "nodes.csv", "model.npz", "log.txt"}
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
	nodes := o.nodes()
	if o.loaded.Graph.NodeNames != nil {
		write, _ := table.Writer("nodes.csv")
		files["nodes.csv"] = func(w io.Writer) error { return write(w, nodes) }
	}
	a := o.loaded.Graph.Adjacency
	for _, format := range export {
		switch format {
		case "parquet":
			files["nodes.parquet"] = func(w io.Writer) error { return parquet.Write(w, nodes) }
		case "graphml":
			files["graph.graphml"] = func(w io.Writer) error { return table.WriteGraphML(w, nodes, a) }
		case "gexf":
			files["graph.gexf"] = func(w io.Writer) error { return table.WriteGEXF(w, nodes, a, nil) }
		case "projector":
			files["tensors.tsv"] = o.tensors
			write, _ := table.Writer("metadata.tsv")
			files["metadata.tsv"] = func(w io.Writer) error { return write(w, nodes) }
		}
	}
	return files
}

// nodes returns the table of the nodes: their ids, the user's own columns, cluster,
// confidence and outlier score. Nodes without ids get their numbers.
func (o outcome) nodes() *table.Table {
	g := o.loaded.Graph
	t := &table.Table{Rows: g.N()}
	names := g.NodeNames
	if names == nil {
		for i := range g.N() {
			names = append(names, strconv.Itoa(i))
		}
	}
	id := "id"
	if o.loaded.Nodes != nil {
		for k, c := range o.loaded.Nodes.Columns {
			if k == o.loaded.IDColumn {
				id = c.Name
			} else {
				t.Columns = append(t.Columns, c)
			}
		}
	}
	t.Columns = slices.Insert(t.Columns, 0, table.NewWords(id, names))
	results := []table.Column{table.NewNumbers("cluster", o.clusters)}
	if e := o.explanation; e != nil {
		results = append(results, table.NewNumbers("confidence", e.Confidence), table.NewNumbers("outlier", e.Outlier))
	}
	for _, c := range results {
		for slices.ContainsFunc(t.Columns, func(own table.Column) bool { return own.Name == c.Name }) {
			c.Name += " (found)"
		}
		t.Columns = append(t.Columns, c)
	}
	for k := range t.Columns {
		if t.Columns[k].Name == "" { // a column without a name would look like an index
			t.Columns[k].Name = "column " + strconv.Itoa(k+1)
		}
	}
	return t
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
