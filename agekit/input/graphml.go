package input

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strconv"

	"github.com/agekit/age/agekit/graph"
)

func init() {
	Register(Format{Extensions: []string{".graphml"}, Tables: tablesOf(readGraphML), WriteTables: writeGraphML})
}

// readGraphML reads GraphML (graphml.graphdrawing.org): nodes and edges with data,
// without hyperedges, ports and graphs in nodes.
func readGraphML(ctx context.Context, r io.Reader, b *graphBuilder) error {
	x := &xmlGraph{graphBuilder: b, unknown: "data of the unknown key %s: want a <key> of %ss with this id"}
	graphs := 0
	return x.read(ctx, r, func(d *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "key":
			return x.declare(d, e, func(k xmlKey) string { return k.For })
		case "graph":
			if graphs++; graphs > 1 {
				return errors.New("a second <graph>: want one, without graphs in its nodes")
			}
			b.directed = attributeOf(e, "edgedefault") == "directed"
		case "hyperedge":
			return errors.New("a <hyperedge>: want edges between two nodes")
		}
		return nil
	})
}

// writeGraphML writes a graph as GraphML, which Gephi, NetworkX, igraph and Cytoscape read.
func writeGraphML(w io.Writer, nodes *Table, a *graph.CSR, _ *Place) error {
	x := xmlWriter{bufio.NewWriter(w)}
	x.print(xml.Header, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">`, "\n")
	for k, c := range nodes.Columns[1:] {
		x.print(`  <key id="d`, strconv.Itoa(k), `" for="node" attr.name="`, escape(c.Name), `" attr.type="`, typeOf(&c), "\"/>\n")
	}
	if a.Values != nil {
		x.print(`  <key id="w" for="edge" attr.name="weight" attr.type="double"/>`, "\n")
	}
	x.print(`  <graph edgedefault="undirected">`, "\n")
	for i := range nodes.Rows {
		id, _ := nodes.Columns[0].Text(i)
		x.print(`    <node id="`, escape(id), `">`)
		for k := range nodes.Columns[1:] {
			if v, ok := nodes.Columns[1+k].Text(i); ok {
				x.print(`<data key="d`, strconv.Itoa(k), `">`, escape(v), `</data>`)
			}
		}
		x.print("</node>\n")
	}
	eachEdge(nodes, a, func(source, target string, weight float32) {
		x.print(`    <edge source="`, escape(source), `" target="`, escape(target), `"`)
		if a.Values != nil {
			x.print(`><data key="w">`, formatWeight(weight), "</data></edge>\n")
		} else {
			x.print("/>\n")
		}
	})
	x.print("  </graph>\n</graphml>\n")
	return x.Flush()
}
