package input

import (
	"bufio"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/agekit/age/internal/files"
)

// xmlGraph reads GraphML and GEXF, which name the attributes of nodes and edges first.
type xmlGraph struct {
	*graphBuilder
	gexf    bool
	unknown string                       // the error about a key that was not named
	keys    map[string]map[string]xmlKey // of "node" and "edge", by id
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

// declare reads an attribute of nodes or edges, or both if the kind is "" or "all".
func (x *xmlGraph) declare(d *xml.Decoder, e xml.StartElement, kind func(xmlKey) string) error {
	var k xmlKey
	if err := d.DecodeElement(&k, &e); err != nil {
		return err
	}
	k.Name, k.Fallback = cmp.Or(k.Name, k.Title, k.ID), strings.TrimSpace(k.Fallback)
	if k.Graphics != "" {
		k.Name, k.Fallback = "label", ""
	}
	for of, keys := range x.keys {
		if is := kind(k); is == of || is == "all" || is == "" {
			keys[k.ID] = k
		}
	}
	return nil
}

// read reads a document. It calls other with each element but nodes and edges, and with
// the decoder, which has the element's content.
func (x *xmlGraph) read(ctx context.Context, r io.Reader, other func(d *xml.Decoder, e xml.StartElement) error) error {
	x.keys = map[string]map[string]xmlKey{"node": {}, "edge": {}}
	d := xml.NewDecoder(r)
	d.CharsetReader = decoded
	for k := 0; ; k++ {
		if k&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if e, ok := token.(xml.StartElement); ok && err == nil {
			var n xmlElement
			if kind := e.Name.Local; x.keys[kind] == nil {
				err = other(d, e)
			} else if err = d.DecodeElement(&n, &e); err == nil {
				err = x.add(kind, n)
			}
		}
		if err != nil {
			var syntax *xml.SyntaxError
			if errors.As(err, &syntax) {
				return fmt.Errorf("line %d: %s: want XML", syntax.Line, syntax.Msg)
			}
			line, _ := d.InputPos()
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// decoded returns a reader of a text in the encoding that an XML file names. [files.NewText] has
// read UTF-8 and UTF-16.
func decoded(name string, r io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(name), "utf") {
		return r, nil
	}
	encoding, err := htmlindex.Get(name)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: want UTF-8", files.Quote(name))
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

// label returns the first label.
func label(shapes []xmlShape) (text string) {
	for _, s := range shapes {
		text = cmp.Or(text, strings.TrimSpace(s.Node), strings.TrimSpace(s.Edge), label(s.Shapes))
	}
	return text
}

// xmlElement is a node or an edge.
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

// add adds a node or an edge, and the nodes and edges within a node.
func (x *xmlGraph) add(kind string, n xmlElement) error {
	what, values := "node "+files.Quote(n.ID), n.Data
	if kind == "edge" {
		what = fmt.Sprintf("edge from %s to %s", files.Quote(n.Source), files.Quote(n.Target))
	}
	if x.gexf {
		values = n.Values
	} else if len(n.Graph) > 0 && kind == "node" {
		return fmt.Errorf("%s contains a <graph>: want nodes without graphs", what)
	}
	list, err := x.attributes(kind, what, values)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if kind == "edge" {
		if x.gexf && !slices.ContainsFunc(list, func(a attribute) bool { return a.name == "weight" }) {
			list = append(list, attribute{"weight", cmp.Or(n.Weight, "1")})
		}
		x.directed = x.directed || x.gexf && n.Type == "directed"
		x.edges.add(list, n.Source, n.Target)
		return nil
	}
	if x.gexf && n.Label != "" {
		list = append([]attribute{{"label", n.Label}}, list...)
	}
	x.nodes.add(list, n.ID)
	for _, child := range n.Nodes {
		x.warn("nodes are within others: they count as all others do", files.Quote(child.ID))
		if err := x.add("node", child); err != nil {
			return err
		}
	}
	for _, edge := range n.Edges {
		if err := x.add("edge", edge); err != nil {
			return err
		}
	}
	return nil
}

// attributes returns the values of a node or an edge with their names, or the fallbacks.
func (x *xmlGraph) attributes(kind, what string, values []xmlValue) (list []attribute, err error) {
	given := map[string]bool{}
	for _, v := range values {
		id, value := v.Key, v.Text
		if x.gexf {
			id, value = cmp.Or(v.For, v.ID), v.Value
		}
		k, ok := x.keys[kind][id]
		if !ok {
			return nil, fmt.Errorf(x.unknown, files.Quote(id), kind)
		}
		if given[k.Name] && x.gexf {
			x.warn("values of an attribute follow another, as over time: the last one counts", files.Quote(k.Name)+" of "+what)
		}
		if value = k.value(value, v.Shapes); value != "" {
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

// value returns the value of an attribute as tables have it: numbers are decimal, which
// graph-tool writes in hexadecimal, and lists of numbers are in brackets.
func (k xmlKey) value(text string, shapes []xmlShape) string {
	switch {
	case k.Graphics != "":
		return label(shapes)
	case strings.HasPrefix(k.Type, "vector_") && k.Type != "vector_string":
		return "[" + text + "]"
	case strings.Contains(text, "0x") && (k.Type == "double" || k.Type == "float" || k.Type == "long_double"):
		if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return formatNumber(v)
		}
	}
	return text
}

// attributeOf returns an attribute of an element, "" if it has none of that name.
func attributeOf(e xml.StartElement, name string) string {
	if k := slices.IndexFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == name }); k >= 0 {
		return e.Attr[k].Value
	}
	return ""
}

// xmlWriter writes text. Its buffer keeps the first error until it is flushed.
type xmlWriter struct{ *bufio.Writer }

func (x xmlWriter) print(parts ...string) {
	for _, part := range parts {
		_, _ = x.WriteString(part)
	}
}

func escape(s string) string {
	if !strings.ContainsAny(s, "<>&\"'\t\n\r") && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r >= 0xfffd }) {
		return s
	}
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder returns no errors
	return b.String()
}
