package input

import "cmp"

import "slices"

import "github.com/agekit/age/internal/limit"

import "fmt"

import "errors"

import "encoding/xml"

import "strings"

import "bufio"

import "io"

import "context"

// xmlGraph reads nodes and edges of GraphML and GEXF, which name the attributes of both
// first.
type xmlGraph struct {
	*graphBuilder
	keys    map[string]map[string]xmlKey // of "node" and "edge", by id
	unknown string                       // the error about a key that was not named
	gexf    bool
}

// xmlKey is the name of an attribute, and its value where a node or an edge has none.
type xmlKey struct{ name, fallback string }

func newXMLGraph(b *graphBuilder, unknown string) *xmlGraph {
	return &xmlGraph{b, map[string]map[string]xmlKey{"node": {}, "edge": {}}, unknown, false}
}

// read reads a document, and calls other with each element but nodes and edges; it may
// read the element's content from the decoder.
func (x *xmlGraph) read(ctx context.Context, r io.Reader, other func(d *xml.Decoder, e xml.StartElement) error) error {
	d := xml.NewDecoder(r)
	for k := 0; ; k++ {
		if k&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if e, ok := token.(xml.StartElement); ok && err == nil {
			if name := e.Name.Local; name == "node" || name == "edge" {
				err = x.element(d, e)
			} else {
				err = other(d, e)
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

// xmlValue is the value of an attribute: <data key="…">…</data> in GraphML, <attvalue
// for="…" value="…"/> in GEXF, with id instead of for in its version 1.1.
type xmlValue struct {
	Key   string `xml:"key,attr"`
	For   string `xml:"for,attr"`
	ID    string `xml:"id,attr"`
	Value string `xml:"value,attr"`
	Text  string `xml:",chardata"`
}

// element reads a node or an edge.
func (x *xmlGraph) element(d *xml.Decoder, e xml.StartElement) error {
	var n struct {
		ID     string     `xml:"id,attr"`
		Label  string     `xml:"label,attr"`
		Source string     `xml:"source,attr"`
		Target string     `xml:"target,attr"`
		Type   string     `xml:"type,attr"`
		Weight string     `xml:"weight,attr"`
		Data   []xmlValue `xml:"data"`
		Values []xmlValue `xml:"attvalues>attvalue"`
		Graph  []struct{} `xml:"graph"`
	}
	if err := d.DecodeElement(&n, &e); err != nil {
		return err
	}
	kind, what, values := e.Name.Local, "node "+limit.Quote(n.ID), n.Data
	if kind == "edge" {
		what = fmt.Sprintf("edge from %s to %s", limit.Quote(n.Source), limit.Quote(n.Target))
	}
	if x.gexf {
		values = n.Values
	} else if len(n.Graph) > 0 && kind == "node" {
		return fmt.Errorf("%s contains a <graph>: want nodes without graphs", what)
	}
	list, err := x.attributes(kind, values)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if kind == "edge" {
		if x.gexf && n.Weight != "" && !slices.ContainsFunc(list, func(a attribute) bool { return a.name == "weight" }) {
			list = append(list, attribute{"weight", n.Weight})
		}
		x.directed = x.directed || x.gexf && n.Type == "directed"
		x.edge(n.Source, n.Target, list)
		return nil
	}
	if x.gexf && n.Label != "" {
		list = append([]attribute{{"label", n.Label}}, list...)
	}
	x.node(n.ID, list)
	return nil
}

// attributes returns the values of a node or an edge with their names, and those that it
// lacks with their fallbacks.
func (x *xmlGraph) attributes(kind string, values []xmlValue) (list []attribute, err error) {
	given := map[string]bool{}
	for _, v := range values {
		id, value := v.Key, v.Text
		if x.gexf {
			id, value = cmp.Or(v.For, v.ID), v.Value
		}
		k, ok := x.keys[kind][id]
		if !ok {
			return nil, fmt.Errorf(x.unknown, limit.Quote(id), kind)
		}
		given[id] = true
		list = append(list, attribute{k.name, value})
	}
	if x.gexf {
		return list, nil
	}
	for id, k := range x.keys[kind] {
		if !given[id] && k.fallback != "" {
			list = append(list, attribute{k.name, k.fallback})
		}
	}
	slices.SortStableFunc(list, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// attributeOf returns an attribute of an element, "" if it has none of that name.
func attributeOf(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
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
