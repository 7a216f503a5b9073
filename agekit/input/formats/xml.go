package formats

import (
	"bufio"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

func init() {
	Register(Format{Extensions: []string{".graphml"}, Tables: tablesOf(readXML), Write: graphMLForm.write})
	Register(Format{Extensions: []string{".gexf"}, Tables: tablesOf(readXML), Write: gexfForm.write})
}

// xmlGraph reads GraphML (graphml.graphdrawing.org), without hyperedges, ports and graphs in nodes,
// and GEXF (gexf.net), 1.1 to 1.3, of static graphs.
type xmlGraph struct {
	*graphBuilder
	*xml.Decoder
	gexf   bool                         // the document is GEXF, not GraphML
	class  string                       // what the attributes of GEXF that follow are of: "node" or "edge"
	keys   map[string]map[string]xmlKey // the attributes of "node" and "edge", by their ids
	graphs int                          // how many graphs have begun
}

// xmlKey is an attribute: <key> in GraphML, <attribute> in GEXF.
type xmlKey struct {
	ID       string `xml:"id,attr"`
	For      string `xml:"for,attr"`       // of GraphML
	Name     string `xml:"attr.name,attr"` // of GraphML
	Title    string `xml:"title,attr"`     // of GEXF
	Fallback string `xml:"default"`        // the value where a node or an edge has none
	Type     string `xml:"attr.type,attr"` // of GraphML
	// Graphics is set if the data are shapes of yEd, of which only the label is read.
	Graphics string `xml:"yfiles.type,attr"`
}

// readXML adds the nodes and edges of the GraphML or GEXF document in r to b.
func readXML(ctx context.Context, r io.Reader, b *graphBuilder) error {
	x := &xmlGraph{graphBuilder: b, Decoder: xml.NewDecoder(r), keys: map[string]map[string]xmlKey{"node": {}, "edge": {}}}
	x.CharsetReader = decodeCharset
	const tokensPerCheck = 1 << 12
	for k := 0; ; k++ {
		if k%tokensPerCheck == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := x.Token()
		if err == io.EOF {
			if x.gexf { // add has given the weight 1 to edges without one: if all have 1, there are no weights
				b.edges.dropOnes("weight")
			}
			return nil
		}
		if e, isStart := token.(xml.StartElement); isStart && err == nil {
			err = x.readElement(e)
		}
		// err is of x.Token or of x.readElement: both may find text that is no XML.
		var syntax *xml.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("line %d: %s: want XML", syntax.Line, syntax.Msg)
		}
		if line, _ := x.InputPos(); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// readElement reads an element that begins with e: to its end, or only the beginning if nodes and edges are in
// it.
func (x *xmlGraph) readElement(e xml.StartElement) error {
	has := func(name, value string) bool {
		return slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == name && a.Value == value })
	}
	switch name := e.Name.Local; name {
	case "gexf":
		x.gexf = true
	case "graph":
		x.graphs++
		x.directed = has("edgedefault", "directed") || has("defaultedgetype", "directed")
		if x.graphs > 1 {
			return errors.New("a second <graph>: want one, without graphs in its nodes")
		}
		if has("mode", "dynamic") {
			return errors.New(`mode is "dynamic": want a static graph`)
		}
	case "attributes":
		x.class = map[bool]string{true: "node", false: "edge"}[has("class", "node")]
		if x.gexf && x.class == "edge" && !has("class", "edge") {
			return errors.New("<attributes> of no class: want node or edge")
		}
	case "key", "attribute":
		return x.declare(e)
	case "hyperedge":
		return errors.New("a <hyperedge>: want edges between two nodes")
	case "node", "edge":
		var n xmlElement
		if err := x.DecodeElement(&n, &e); err != nil {
			return err
		}
		return x.add(name, &n)
	}
	return nil
}

// declare reads the declaration of an attribute, which begins with e, and adds it to x.keys: to those
// of nodes, of edges, or of both if it does not say of which.
func (x *xmlGraph) declare(e xml.StartElement) error {
	var k xmlKey
	if err := x.DecodeElement(&k, &e); err != nil {
		return err
	}
	k.Name, k.Fallback = cmp.Or(k.Name, k.Title, k.ID), strings.TrimSpace(k.Fallback)
	if k.Graphics != "" {
		k.Name, k.Fallback = "label", ""
	}
	for kind, keys := range x.keys {
		if is := cmp.Or(k.For, x.class, "all"); is == kind || is == "all" {
			keys[k.ID] = k
		}
	}
	return nil
}

// decodeCharset returns a reader of r in UTF-8, where r is in the encoding that an XML file names. UTF-8 and
// UTF-16 are left as they are, since [readfile.Text] has decoded them.
func decodeCharset(name string, r io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(name), "utf") {
		return r, nil
	}
	encoding, err := htmlindex.Get(name)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: want UTF-8", message.Quote(name))
	}
	return encoding.NewDecoder().Reader(r), nil
}

// xmlValue is the value of an attribute: <data key="…">…</data> in GraphML, <attvalue
// for="…" value="…"/> in GEXF, with id instead of for in its version 1.1.
type xmlValue struct {
	Key    string     `xml:"key,attr"`
	For    string     `xml:"for,attr"`
	ID     string     `xml:"id,attr"`
	Value  string     `xml:"value,attr"`
	Text   string     `xml:",chardata"`
	Shapes []xmlShape `xml:",any"`
}

// xmlShape is what yEd draws for a node or an edge.
type xmlShape struct {
	Node   string     `xml:"NodeLabel"`
	Edge   string     `xml:"EdgeLabel"`
	Shapes []xmlShape `xml:",any"`
}

// label returns the first label in shapes and the shapes within them, "" if there is none.
func label(shapes []xmlShape) (text string) {
	for _, s := range shapes {
		text = cmp.Or(text, strings.TrimSpace(s.Node), strings.TrimSpace(s.Edge), label(s.Shapes))
	}
	return text
}

// xmlElement is a node or an edge, of GraphML or GEXF, with all that may be in either.
type xmlElement struct {
	ID     string       `xml:"id,attr"`
	Label  string       `xml:"label,attr"`
	Source string       `xml:"source,attr"`
	Target string       `xml:"target,attr"`
	Type   string       `xml:"type,attr"`
	Weight string       `xml:"weight,attr"`
	Data   []xmlValue   `xml:"data"`
	Values []xmlValue   `xml:"attvalues>attvalue"`
	Nodes  []xmlElement `xml:"nodes>node"`
	Edges  []xmlElement `xml:"edges>edge"`
	Graph  []struct{}   `xml:"graph"`
}

// add adds n, which is a "node" or an "edge" as kind says, and the nodes and edges within a node.
func (x *xmlGraph) add(kind string, n *xmlElement) error {
	what := "node " + message.Quote(n.ID)
	if kind == "edge" {
		what = fmt.Sprintf("edge from %s to %s", message.Quote(n.Source), message.Quote(n.Target))
	} else if len(n.Graph) > 0 {
		return fmt.Errorf("%s contains a <graph>: want nodes without graphs", what)
	}
	list, err := x.attributes(kind, what, append(n.Data, n.Values...))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if kind == "edge" {
		if x.gexf && !slices.ContainsFunc(list, func(a attribute) bool { return a.name == "weight" }) {
			list = append(list, attribute{"weight", cmp.Or(n.Weight, "1")})
		}
		x.directed = x.directed || n.Type == "directed"
		x.edges.add(list, n.Source, n.Target)
		return nil
	}
	if n.Label != "" {
		list = append([]attribute{{"label", n.Label}}, list...)
	}
	x.nodes.add(list, n.ID)
	for k := range n.Nodes {
		x.warn("nodes are within others: they count as all others do", message.Quote(n.Nodes[k].ID))
		if err := x.add("node", &n.Nodes[k]); err != nil {
			return err
		}
	}
	for k := range n.Edges {
		if err := x.add("edge", &n.Edges[k]); err != nil {
			return err
		}
	}
	return nil
}

// attributes returns the attributes of a node or an edge, as kind says: its values with their names,
// and the declared fallbacks of attributes that it has no value for. What names the node or edge, for
// errors.
func (x *xmlGraph) attributes(kind, what string, values []xmlValue) (list []attribute, err error) {
	given := map[string]bool{} // names of attributes with a value
	for _, v := range values {
		id := cmp.Or(v.Key, v.For, v.ID)
		k, ok := x.keys[kind][id]
		if !ok {
			return nil, fmt.Errorf("value of the unknown attribute %s: want a <key> of GraphML or an <attribute> of GEXF with this id, for %ss", message.Quote(id), kind)
		}
		if given[k.Name] {
			x.warn("values of an attribute follow another, as over time: the last one counts", message.Quote(k.Name)+" of "+what)
		}
		if value := k.value(cmp.Or(v.Value, v.Text), v.Shapes); value != "" {
			given[k.Name] = true
			list = append(list, attribute{k.Name, value})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.keys[kind])) {
		if k := x.keys[kind][id]; !given[k.Name] && k.Fallback != "" {
			list = append(list, attribute{k.Name, k.Fallback})
		}
	}
	return list, nil
}

// value returns the text of an attribute as the cell of a table: numbers that graph-tool writes in
// hexadecimal are decimal, lists of numbers are in brackets, and of the shapes of yEd it is the label.
func (k xmlKey) value(text string, shapes []xmlShape) string {
	switch {
	case k.Graphics != "":
		return label(shapes)
	case strings.HasPrefix(k.Type, "vector_") && k.Type != "vector_string":
		return "[" + text + "]"
	case strings.Contains(text, "0x") && (k.Type == "double" || k.Type == "float" || k.Type == "long_double"):
		if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return text
}

// xmlForm has the pieces of text of which a format writes a graph, in their order. Those with arguments
// are formats of package fmt.
type xmlForm struct {
	begin  string
	column string // declares a column: its number, name and type
	weight string // declares the weights of the edges, if they have any
	nodes  string // begins the nodes
	node   string // begins a node: its id
	value  string // a value of the node: the number of its column, and the value
	values string // ends the values
	place  string // where the node is drawn: red, green, blue and the coordinates
	edges  string // ends the nodes and begins the edges
	edge   string // begins an edge: its number and its two ends
	weighs string // ends an edge with a weight: the weight
	end    string
}

// gexfForm is GEXF 1.3, Gephi's own format.
var gexfForm = xmlForm{
	begin: `<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://gexf.net/1.3 http://gexf.net/1.3/gexf.xsd" version="1.3">
  <graph defaultedgetype="undirected" mode="static">
    <attributes class="node">
`,
	column: `      <attribute id="%d" title="%s" type="%s"/>` + "\n",
	nodes:  "    </attributes>\n    <nodes>\n",
	node:   `      <node id="%[1]s" label="%[1]s"><attvalues>`,
	value:  `<attvalue for="%d" value="%s"/>`,
	values: "</attvalues>",
	place:  `<viz:color r="%d" g="%d" b="%d"/><viz:position x="%.6g" y="%.6g" z="0"/>`,
	edges:  "    </nodes>\n    <edges>\n",
	edge:   `      <edge id="%d" source="%s" target="%s"`,
	weighs: ` weight="%g"/>` + "\n",
	end:    "    </edges>\n  </graph>\n</gexf>\n",
}

// graphMLForm is GraphML, which Gephi, NetworkX, igraph and Cytoscape read.
var graphMLForm = xmlForm{
	begin:  `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">` + "\n",
	column: `  <key id="d%d" for="node" attr.name="%s" attr.type="%s"/>` + "\n",
	weight: `  <key id="w" for="edge" attr.name="weight" attr.type="double"/>` + "\n",
	nodes:  `  <graph edgedefault="undirected">` + "\n",
	node:   `    <node id="%s">`,
	value:  `<data key="d%d">%s</data>`,
	edge:   `    <edge source="%[2]s" target="%[3]s"`,
	weighs: `><data key="w">%g</data></edge>` + "\n",
	end:    "  </graph>\n</graphml>\n",
}

// write writes a graph with a table of nodes, whose first column has the ids, and an adjacency matrix
// a. Place is nil if the nodes have no places. Errors of writing are returned by Flush: the buffer
// keeps the first one.
func (f *xmlForm) write(w io.Writer, nodes *table.Table, a *graph.CSR, place *Place) error {
	b := bufio.NewWriter(w)
	b.WriteString(xml.Header + f.begin)
	for k, c := range nodes.Columns[1:] {
		fmt.Fprintf(b, f.column, k, escape(c.Name), typeOf(&c))
	}
	if a.Values != nil {
		b.WriteString(f.weight)
	}
	b.WriteString(f.nodes)
	ids := make([]string, nodes.Rows)
	for i := range ids {
		id, _ := nodes.Columns[0].Text(i)
		ids[i] = escape(id)
		fmt.Fprintf(b, f.node, ids[i])
		for k := range nodes.Columns[1:] {
			if v, ok := nodes.Columns[1+k].Text(i); ok {
				fmt.Fprintf(b, f.value, k, escape(v))
			}
		}
		b.WriteString(f.values)
		if place != nil && f.place != "" {
			red, green, blue := place.Color(i)
			fmt.Fprintf(b, f.place, red, green, blue, place.X[i], place.Y[i])
		}
		b.WriteString("</node>\n")
	}
	b.WriteString(f.edges)
	edges := 0
	for i := range a.Rows {
		for j, weight := range a.Each(i) {
			if j < i { // the mirror image of an edge that was written
				continue
			}
			fmt.Fprintf(b, f.edge, edges, ids[i], ids[j])
			if a.Values != nil {
				fmt.Fprintf(b, f.weighs, weight)
			} else {
				b.WriteString("/>\n")
			}
			edges++
		}
	}
	b.WriteString(f.end)
	return b.Flush()
}

// typeOf returns the name of the type of a column's values, which is the same in both formats.
func typeOf(c *table.Column) string {
	switch {
	case c.Numbers == nil:
		return "string"
	case slices.ContainsFunc(c.Numbers, func(v float64) bool { return v != math.Trunc(v) }): // also for NaN, which is not written
		return "double"
	}
	return "long"
}

// escape returns a text as XML has it between tags and in attributes.
func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder returns no errors
	return b.String()
}
