package input

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/files"
)

func init() {
	Register(Format{Extensions: []string{".gexf"}, Tables: tablesOf(readGEXF), WriteTables: writeGEXF})
}

// readGEXF reads GEXF (gexf.net), 1.1 to 1.3, of static graphs.
func readGEXF(ctx context.Context, r io.Reader, b *graphBuilder) error {
	x := &xmlGraph{graphBuilder: b, gexf: true, unknown: "value of the unknown attribute %s: want an <attribute> of %ss with this id"}
	class := "" // of the attributes that follow
	err := x.read(ctx, r, func(d *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "graph":
			b.directed = b.directed || attributeOf(e, "defaultedgetype") == "directed"
			if attributeOf(e, "mode") == "dynamic" {
				return errors.New(`mode is "dynamic": want a static graph`)
			}
		case "attributes":
			if class = attributeOf(e, "class"); x.keys[class] == nil {
				return fmt.Errorf("attributes of class %s: want node or edge", files.Quote(class))
			}
		case "attribute":
			return x.declare(d, e, func(xmlKey) string { return class })
		}
		return nil
	})
	b.edges.dropOnes("weight") // which edges have if the file says nothing
	return err
}

// writeGEXF writes a graph as GEXF 1.3, Gephi's own format.
func writeGEXF(w io.Writer, nodes *Table, a *graph.CSR, place *Place) error {
	x := xmlWriter{bufio.NewWriter(w)}
	x.print(xml.Header, `<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://gexf.net/1.3 http://gexf.net/1.3/gexf.xsd" version="1.3">`, "\n",
		`  <graph defaultedgetype="undirected" mode="static">`, "\n", `    <attributes class="node">`, "\n")
	for k, c := range nodes.Columns[1:] {
		x.print(`      <attribute id="`, strconv.Itoa(k), `" title="`, escape(c.Name), `" type="`, typeOf(&c), "\"/>\n")
	}
	x.print("    </attributes>\n    <nodes>\n")
	for i := range nodes.Rows {
		id, _ := nodes.Columns[0].Text(i)
		x.print(`      <node id="`, escape(id), `" label="`, escape(id), `"><attvalues>`)
		for k := range nodes.Columns[1:] {
			if v, ok := nodes.Columns[1+k].Text(i); ok {
				x.print(`<attvalue for="`, strconv.Itoa(k), `" value="`, escape(v), `"/>`)
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
		x.print(`      <edge id="`, strconv.Itoa(number), `" source="`, escape(source), `" target="`, escape(target), `"`)
		if a.Values != nil {
			x.print(` weight="`, formatWeight(weight), `"`)
		}
		x.print("/>\n")
		number++
	})
	x.print("    </edges>\n  </graph>\n</gexf>\n")
	return x.Flush()
}
