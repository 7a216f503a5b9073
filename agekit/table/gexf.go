package table

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/agekit/age/internal/limit"
)

// readGEXF reads GEXF (gexf.net), 1.1 to 1.3, of static graphs.
func readGEXF(ctx context.Context, r io.Reader, b *graphBuilder) error {
	titles := map[string]map[string]string{"node": {}, "edge": {}}
	type values []struct {
		For   string `xml:"for,attr"`
		ID    string `xml:"id,attr"` // GEXF 1.1
		Value string `xml:"value,attr"`
	}
	attributes := func(kind string, all values) (list []attribute, err error) {
		for _, v := range all {
			id := v.For
			if id == "" {
				id = v.ID
			}
			title, ok := titles[kind][id]
			if !ok {
				return nil, fmt.Errorf("value of the unknown attribute %s: want an <attribute> of %ss with this id", limit.Quote(id), kind)
			}
			list = append(list, attribute{title, v.Value})
		}
		return list, nil
	}
	return xmlElements(ctx, r, func(d *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "graph":
			for _, a := range e.Attr {
				b.directed = b.directed || a.Name.Local == "defaultedgetype" && a.Value == "directed"
				if a.Name.Local == "mode" && a.Value == "dynamic" {
					return errors.New(`mode is "dynamic": want a static graph`)
				}
			}
		case "attributes":
			var all struct {
				Class string `xml:"class,attr"`
				List  []struct {
					ID    string `xml:"id,attr"`
					Title string `xml:"title,attr"`
				} `xml:"attribute"`
			}
			if err := d.DecodeElement(&all, &e); err != nil {
				return err
			}
			for _, a := range all.List {
				if titles[all.Class] == nil {
					return fmt.Errorf("attributes of class %s: want node or edge", limit.Quote(all.Class))
				}
				titles[all.Class][a.ID] = a.Title
			}
		case "node":
			var n struct {
				ID     string `xml:"id,attr"`
				Label  string `xml:"label,attr"`
				Values values `xml:"attvalues>attvalue"`
			}
			if err := d.DecodeElement(&n, &e); err != nil {
				return err
			}
			list, err := attributes("node", n.Values)
			if err != nil {
				return fmt.Errorf("node %s: %w", limit.Quote(n.ID), err)
			}
			if n.Label != "" {
				list = append([]attribute{{"label", n.Label}}, list...)
			}
			b.node(n.ID, list)
		case "edge":
			var n struct {
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
				Type   string `xml:"type,attr"`
				Weight string `xml:"weight,attr"`
				Values values `xml:"attvalues>attvalue"`
			}
			if err := d.DecodeElement(&n, &e); err != nil {
				return err
			}
			list, err := attributes("edge", n.Values)
			if err != nil {
				return fmt.Errorf("edge from %s to %s: %w", limit.Quote(n.Source), limit.Quote(n.Target), err)
			}
			if n.Weight != "" && !slices.ContainsFunc(list, func(a attribute) bool { return a.name == "weight" }) {
				list = append(list, attribute{"weight", n.Weight})
			}
			b.directed = b.directed || n.Type == "directed"
			b.edge(n.Source, n.Target, list)
		}
		return nil
	})
}
