package input

import (
	"bufio"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agekit/age/internal/limit"
)

// xmlGraph reads GraphML and GEXF, which name the attributes of nodes and edges first.
type xmlGraph struct {
	*graphBuilder
	gexf    bool
	unknown string                       // the error about a key that was not named
	keys    map[string]map[string]xmlKey // of "node" and "edge", by id
}

// xmlKey is the name of an attribute, and its value where a node or an edge has none.
type xmlKey struct{ name, fallback string }

// read reads a document. It calls other with each element but nodes and edges, and with
// the decoder, which has the element's content.
func (x *xmlGraph) read(ctx context.Context, r io.Reader, other func(d *xml.Decoder, e xml.StartElement) error) error {
	x.keys = map[string]map[string]xmlKey{"node": {}, "edge": {}}
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
			if x.keys[e.Name.Local] != nil {
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
		x.edges.add(list, n.Source, n.Target)
		return nil
	}
	if x.gexf && n.Label != "" {
		list = append([]attribute{{"label", n.Label}}, list...)
	}
	x.nodes.add(list, n.ID)
	return nil
}

// attributes returns the values of a node or an edge with their names, or the fallbacks.
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
