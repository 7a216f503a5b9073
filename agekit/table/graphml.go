package table

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agekit/age/internal/limit"
)

// xmlElements calls start with each element of a document; the function may read
// the element's content from the decoder.
func xmlElements(ctx context.Context, r io.Reader, start func(d *xml.Decoder, e xml.StartElement) error) error {
	d := xml.NewDecoder(r)
	for k := 0; ; k++ {
		if k&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			if e, ok := token.(xml.StartElement); ok {
				err = start(d, e)
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

// readGraphML reads GraphML (graphml.graphdrawing.org): nodes and edges with data,
// without hyperedges, ports and graphs in nodes.
func readGraphML(ctx context.Context, r io.Reader, b *graphBuilder) error {
	type key struct{ name, fallback string }
	keys := map[string]map[string]key{"node": {}, "edge": {}} // by for and id
	type data struct {
		Key   string `xml:"key,attr"`
		Value string `xml:",chardata"`
	}
	attributes := func(kind string, all []data) (list []attribute, err error) {
		given := map[string]bool{}
		for _, d := range all {
			k, ok := keys[kind][d.Key]
			if !ok {
				return nil, fmt.Errorf("data of the unknown key %s: want a <key> of %ss with this id", limit.Quote(d.Key), kind)
			}
			given[d.Key] = true
			list = append(list, attribute{k.name, d.Value})
		}
		for id, k := range keys[kind] {
			if !given[id] && k.fallback != "" {
				list = append(list, attribute{k.name, k.fallback})
			}
		}
		slices.SortStableFunc(list, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
		return list, nil
	}
	graphs := 0
	return xmlElements(ctx, r, func(d *xml.Decoder, e xml.StartElement) error {
		switch e.Name.Local {
		case "key":
			var k struct {
				ID       string `xml:"id,attr"`
				For      string `xml:"for,attr"`
				Name     string `xml:"attr.name,attr"`
				Fallback string `xml:"default"`
			}
			if err := d.DecodeElement(&k, &e); err != nil {
				return err
			}
			if k.Name == "" {
				k.Name = k.ID
			}
			for _, kind := range []string{"node", "edge"} {
				if k.For == kind || k.For == "all" || k.For == "" {
					keys[kind][k.ID] = key{k.Name, strings.TrimSpace(k.Fallback)}
				}
			}
		case "graph":
			if graphs++; graphs > 1 {
				return errors.New("a second <graph>: want one, without graphs in its nodes")
			}
			for _, a := range e.Attr {
				b.directed = b.directed || a.Name.Local == "edgedefault" && a.Value == "directed"
			}
		case "hyperedge":
			return errors.New("a <hyperedge>: want edges between two nodes")
		case "node":
			var n struct {
				ID    string `xml:"id,attr"`
				Data  []data `xml:"data"`
				Graph []struct {
					ID string `xml:"id,attr"`
				} `xml:"graph"`
			}
			if err := d.DecodeElement(&n, &e); err != nil {
				return err
			}
			if len(n.Graph) > 0 {
				return fmt.Errorf("node %s contains a <graph>: want nodes without graphs", limit.Quote(n.ID))
			}
			list, err := attributes("node", n.Data)
			if err != nil {
				return fmt.Errorf("node %s: %w", limit.Quote(n.ID), err)
			}
			b.node(n.ID, list)
		case "edge":
			var n struct {
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
				Data   []data `xml:"data"`
			}
			if err := d.DecodeElement(&n, &e); err != nil {
				return err
			}
			list, err := attributes("edge", n.Data)
			if err != nil {
				return fmt.Errorf("edge from %s to %s: %w", limit.Quote(n.Source), limit.Quote(n.Target), err)
			}
			b.edge(n.Source, n.Target, list)
		}
		return nil
	})
}
