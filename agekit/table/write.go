package table

import (
	"bufio"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/limit"
)

// WriteFunc writes a table.
type WriteFunc func(w io.Writer, t *Table) error

// writers maps an extension to its writer.
var writers = map[string]WriteFunc{".csv": writeSeparated(','), ".tsv": writeSeparated('\t')}

// RegisterWriter adds a writer for files with an extension, as [Register] does for
// readers.
func RegisterWriter(write WriteFunc, extension string) {
	if writers[extension] != nil {
		panic(fmt.Sprintf("table: extension %q registered twice", extension))
	}
	writers[extension] = write
}

// Writer returns the function that writes a table in the format that the extension
// of path selects.
func Writer(path string) (WriteFunc, error) {
	if write := writers[extension(path)]; write != nil {
		return write, nil
	}
	return nil, errors.New(limit.Shorten(fmt.Sprintf("%s: table of type %s, want %s", path, limit.Quote(extension(path)), strings.Join(slices.Sorted(maps.Keys(writers)), ", "))))
}

// writeSeparated writes text with a header line; missing values are empty.
func writeSeparated(separator rune) WriteFunc {
	return func(w io.Writer, t *Table) error {
		c := csv.NewWriter(w)
		c.Comma = separator
		record := make([]string, len(t.Columns))
		for k, column := range t.Columns {
			record[k] = column.Name
		}
		if err := c.Write(record); err != nil {
			return err
		}
		for row := range t.Rows {
			for k := range t.Columns {
				record[k], _ = t.Columns[k].Text(row)
				if t.Columns[k].Numbers != nil && math.IsNaN(t.Columns[k].Numbers[row]) {
					record[k] = ""
				}
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	}
}

// NewWords returns a column of words, of which empty ones are missing.
func NewWords(name string, words []string) Column {
	var w Words
	for _, word := range words {
		w.Add(word)
	}
	return w.Column(name)
}

// NewNumbers returns a column of numbers, of which NaN are missing.
func NewNumbers[T int | int32 | float32 | float64](name string, numbers []T) Column {
	c := Column{Name: name, Numbers: make([]float64, len(numbers))}
	for i, v := range numbers {
		c.Numbers[i] = float64(v)
	}
	return c
}

// Place says where the nodes of a graph are drawn, and in which color.
type Place struct {
	// X and Y are the coordinates.
	X, Y []float64
	// Color returns a node's color: red, green and blue from 0 to 255.
	Color func(node int) (r, g, b uint8)
}

// WriteGraphML writes a graph as GraphML: the first column of nodes has the ids, the
// others become their data, and weights the edges'. Gephi, NetworkX, igraph and
// Cytoscape read it.
func WriteGraphML(w io.Writer, nodes *Table, a *graph.CSR) error {
	x := &xmlWriter{w: bufio.NewWriter(w)}
	x.print(xml.Header, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">`, "\n")
	for k, c := range nodes.Columns[1:] {
		x.print(`  <key id="d`, strconv.Itoa(k), `" for="node" attr.name="`, x.escape(c.Name), `" attr.type="`, typeOf(&c), "\"/>\n")
	}
	if a.Values != nil {
		x.print(`  <key id="w" for="edge" attr.name="weight" attr.type="double"/>`, "\n")
	}
	x.print(`  <graph edgedefault="undirected">`, "\n")
	for i := range nodes.Rows {
		id, _ := nodes.Columns[0].Text(i)
		x.print(`    <node id="`, x.escape(id), `">`)
		for k := range nodes.Columns[1:] {
			if v, ok := nodes.Columns[1+k].Text(i); ok {
				x.print(`<data key="d`, strconv.Itoa(k), `">`, x.escape(v), `</data>`)
			}
		}
		x.print("</node>\n")
	}
	eachEdge(nodes, a, func(source, target string, weight float32) {
		x.print(`    <edge source="`, x.escape(source), `" target="`, x.escape(target), `"`)
		if a.Values != nil {
			x.print(`><data key="w">`, formatWeight(weight), "</data></edge>\n")
		} else {
			x.print("/>\n")
		}
	})
	x.print("  </graph>\n</graphml>\n")
	return x.end()
}

// WriteGEXF writes a graph as GEXF 1.3, as [WriteGraphML] does, with the places and
// colors of the nodes if place is not nil. It is Gephi's own format.
func WriteGEXF(w io.Writer, nodes *Table, a *graph.CSR, place *Place) error {
	x := &xmlWriter{w: bufio.NewWriter(w)}
	x.print(xml.Header, `<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://gexf.net/1.3 http://gexf.net/1.3/gexf.xsd" version="1.3">`, "\n",
		`  <graph defaultedgetype="undirected" mode="static">`, "\n", `    <attributes class="node">`, "\n")
	for k, c := range nodes.Columns[1:] {
		x.print(`      <attribute id="`, strconv.Itoa(k), `" title="`, x.escape(c.Name), `" type="`, typeOf(&c), "\"/>\n")
	}
	x.print("    </attributes>\n    <nodes>\n")
	for i := range nodes.Rows {
		id, _ := nodes.Columns[0].Text(i)
		x.print(`      <node id="`, x.escape(id), `" label="`, x.escape(id), `"><attvalues>`)
		for k := range nodes.Columns[1:] {
			if v, ok := nodes.Columns[1+k].Text(i); ok {
				x.print(`<attvalue for="`, strconv.Itoa(k), `" value="`, x.escape(v), `"/>`)
			}
		}
		x.print("</attvalues>")
		if place != nil {
			r, g, b := place.Color(i)
			x.print(fmt.Sprintf(`<viz:color r="%d" g="%d" b="%d"/><viz:position x="%.6g" y="%.6g" z="0"/>`, r, g, b, place.X[i], place.Y[i]))
		}
		x.print("</node>\n")
	}
	x.print("    </nodes>\n    <edges>\n")
	number := 0
	eachEdge(nodes, a, func(source, target string, weight float32) {
		x.print(`      <edge id="`, strconv.Itoa(number), `" source="`, x.escape(source), `" target="`, x.escape(target), `"`)
		if a.Values != nil {
			x.print(` weight="`, formatWeight(weight), `"`)
		}
		x.print("/>\n")
		number++
	})
	x.print("    </edges>\n  </graph>\n</gexf>\n")
	return x.end()
}

func formatWeight(w float32) string { return strconv.FormatFloat(float64(w), 'g', -1, 32) }

// typeOf names the type of a column's values as both formats do.
func typeOf(c *Column) string {
	if c.Numbers == nil {
		return "string"
	}
	for _, v := range c.Numbers {
		if v != math.Trunc(v) { // also NaN, which is not written
			return "double"
		}
	}
	return "long"
}

// eachEdge calls do with each edge once.
func eachEdge(nodes *Table, a *graph.CSR, do func(source, target string, weight float32)) {
	for i := range a.Rows {
		source, _ := nodes.Columns[0].Text(i)
		columns, values := a.Row(i)
		for p, j := range columns {
			if int(j) < i {
				continue
			}
			weight := float32(1)
			if values != nil {
				weight = values[p]
			}
			target, _ := nodes.Columns[0].Text(int(j))
			do(source, target, weight)
		}
	}
}

// xmlWriter keeps the first error.
type xmlWriter struct {
	w   *bufio.Writer
	err error
	b   strings.Builder
}

func (x *xmlWriter) print(parts ...string) {
	for _, part := range parts {
		if x.err == nil {
			_, x.err = x.w.WriteString(part)
		}
	}
}

func (x *xmlWriter) escape(s string) string {
	if !strings.ContainsAny(s, "<>&\"'\t\n\r") && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0xfffd || r > 0xffff }) {
		return s
	}
	x.b.Reset()
	_ = xml.EscapeText(&x.b, []byte(s))
	return x.b.String()
}

func (x *xmlWriter) end() error {
	if x.err != nil {
		return x.err
	}
	return x.w.Flush()
}
