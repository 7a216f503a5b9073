package formats

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/message"
)

func init() {
	Register(Format{Extensions: []string{".json"}, Tables: tablesOf(readNodeLink)})
}

// readNodeLink reads JSON as networkx.node_link_data and d3 write it: lists nodes and links
// (or edges), whose ends are ids, or places in the list if nodes have none.
func readNodeLink(ctx context.Context, r io.Reader, b *graphBuilder) error {
	var file struct {
		Directed            bool
		Nodes, Links, Edges []json.RawMessage
	}
	d := json.NewDecoder(&withoutNaN{Reader: r, ctx: ctx})
	if err := d.Decode(&file); err != nil {
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) {
			return fmt.Errorf("byte %d: %s: want a JSON object with the lists nodes and links", other.Offset, other.Value)
		}
		return cmp.Or(ctx.Err(), fmt.Errorf("byte %d: %w: want JSON", d.InputOffset(), err))
	}
	if file.Links == nil && file.Edges == nil {
		return errors.New("no list links or edges: want JSON as networkx.node_link_data writes it")
	}
	b.directed = file.Directed
	for _, list := range []struct {
		name    string
		entries []json.RawMessage
		rows    *rowBuilder
	}{{"nodes", file.Nodes, b.nodes}, {"links", file.Links, b.edges}, {"edges", file.Edges, b.edges}} {
		for k, entry := range list.entries {
			if k&0xfff == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := list.rows.object(k, entry); err != nil {
				return fmt.Errorf("%s: entry %d: %w", list.name, k, err)
			}
		}
	}
	return b.byPlace()
}

// withoutNaN reads JSON with an empty text in place of NaN, which Python writes and JSON does
// not know.
type withoutNaN struct {
	io.Reader
	ctx                    context.Context
	quoted, escaped, inNaN bool
}

func (r *withoutNaN) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	err = cmp.Or(r.ctx.Err(), err)
	for k, c := range b[:n] {
		switch {
		case r.escaped:
			r.escaped = false
		case r.quoted:
			r.escaped, r.quoted = c == '\\', c != '"'
		case c == '"':
			r.quoted = true
		case c == 'N':
			b[k] = map[bool]byte{false: '"', true: ' '}[r.inNaN]
			r.inNaN = !r.inNaN
		case c == 'a' && r.inNaN:
			b[k] = '"'
		}
	}
	return n, err
}

// byPlace makes ids of the ends of edges that are places in the list of nodes, as NetworkX 1
// and D3 3 write them: numbers, some of which are no ids, though the nodes have ids.
func (b *graphBuilder) byPlace() error {
	ids := b.nodes.columns[0]
	known := map[string]bool{}
	for _, id := range ids.Values {
		known[id] = true
	}
	isPlace := false
	for _, ends := range b.edges.columns[:2] {
		for _, end := range ends.Values {
			k, err := strconv.Atoi(end)
			if err != nil || k < 0 || k >= len(ids.Codes) {
				return nil
			}
			isPlace = isPlace || !known[end]
		}
	}
	if !isPlace || len(ids.Codes) < b.nodes.rows || slices.Contains(ids.Codes, -1) {
		return nil
	}
	for _, ends := range b.edges.columns[:2] {
		for i, end := range ends.Values {
			k, _ := strconv.Atoi(end)
			ends.Values[i] = ids.Values[ids.Codes[k]]
			b.warn("ends of edges are no ids: numbers are places in the list of nodes, from 0", message.Quote(end))
		}
	}
	return nil
}

// object adds entry k of a list.
func (b *rowBuilder) object(k int, entry []byte) error {
	var o map[string]any
	d := json.NewDecoder(bytes.NewReader(entry))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		return fmt.Errorf("%s: want an object", message.Quote(string(entry)))
	}
	var fixed []string
	for _, column := range b.columns[:b.fixed] {
		name := column.Name
		text, err := scalar(o[name])
		if name == "id" && o[name] == nil { // d3 numbers the nodes
			text = strconv.Itoa(k)
		} else if err != nil || text == "" {
			return fmt.Errorf("%s is %v: want an id, a word or a number", name, o[name])
		}
		delete(o, name)
		fixed = append(fixed, text)
	}
	var attributes []attribute
	for name, value := range o {
		text, err := scalar(value)
		if err != nil {
			return fmt.Errorf("%s: %w", message.Quote(name), err)
		}
		attributes = append(attributes, attribute{name, text})
	}
	slices.SortFunc(attributes, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	b.add(attributes, fixed...)
	return nil
}

// scalar returns a JSON value as text, "" for null. A list of numbers remains one, a list of
// words becomes a text, and booleans are those of Python, as tables have them.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return map[bool]string{true: "True", false: "False"}[v], nil
	case []any:
		words, numbers := make([]string, len(v)), len(v) > 0
		var err error
		for k, element := range v {
			text, bad := scalar(element)
			_, number := element.(json.Number)
			words[k], numbers, err = text, numbers && number, cmp.Or(err, bad)
		}
		text := strings.Join(words, " ")
		if numbers {
			text = "[" + text + "]"
		}
		return text, err
	}
	return "", errors.New("an object: want words, numbers or lists of words")
}
