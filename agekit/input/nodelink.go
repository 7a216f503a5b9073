package input

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/files"
)

func init() {
	Register(Format{Extensions: []string{".json"}, Tables: tablesOf(readNodeLink)})
}

// readNodeLink reads JSON as networkx.node_link_data and d3 write it: lists nodes and links
// (or edges), whose ends are ids, or places in the list if nodes have none.
func readNodeLink(ctx context.Context, r io.Reader, b *graphBuilder) error {
	d := json.NewDecoder(&withoutNaN{Reader: r})
	d.UseNumber()
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return errors.New("want a JSON object with the lists nodes and links")
	}
	linked := false
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return jsonError(d, err)
		}
		switch name := token.(string); name {
		case "nodes", "links", "edges":
			linked = linked || name != "nodes"
			if err := b.objects(ctx, d, name); err != nil {
				return err
			}
		default:
			var value any = &json.RawMessage{} // to be skipped
			if name == "directed" {
				value = &b.directed
			}
			if err := d.Decode(value); err != nil {
				return jsonError(d, err)
			}
		}
	}
	if !linked {
		return errors.New("no list links or edges: want JSON as networkx.node_link_data writes it")
	}
	return b.byPlace()
}

// withoutNaN reads JSON with an empty text in place of NaN, which Python writes and JSON does
// not know.
type withoutNaN struct {
	io.Reader
	quoted, escaped, inNaN bool
}

func (r *withoutNaN) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
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
	isPlace := false
	for _, ends := range b.edges.columns[:2] {
		for _, end := range ends.Values {
			k, err := strconv.Atoi(end)
			if err != nil || k < 0 || k >= len(ids.Codes) {
				return nil
			}
			_, isID := ids.index[end]
			isPlace = isPlace || !isID
		}
	}
	if !isPlace || len(ids.Codes) < b.nodes.rows || slices.Contains(ids.Codes, -1) {
		return nil
	}
	for _, ends := range b.edges.columns[:2] {
		for i, end := range ends.Values {
			k, _ := strconv.Atoi(end)
			ends.Values[i] = ids.Values[ids.Codes[k]]
			b.warn("ends of edges are no ids: numbers are places in the list of nodes, from 0", files.Quote(end))
		}
	}
	return nil
}

func jsonError(d *json.Decoder, err error) error {
	return fmt.Errorf("byte %d: %w: want JSON", d.InputOffset(), err)
}

// objects reads a list of nodes or edges.
func (b *graphBuilder) objects(ctx context.Context, d *json.Decoder, name string) error {
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return fmt.Errorf("byte %d: %s: want a list", d.InputOffset(), name)
	}
	for k := 0; d.More(); k++ {
		if k&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var o map[string]any
		if err := d.Decode(&o); err != nil {
			return jsonError(d, err)
		}
		if err := b.object(name, k, o); err != nil {
			return fmt.Errorf("%s: entry %d: %w", name, k, err)
		}
	}
	_, err := d.Token()
	return err
}

// object adds a node or an edge.
func (b *graphBuilder) object(list string, k int, o map[string]any) error {
	rows, fixed := b.edges, []string{"source", "target"}
	if list == "nodes" {
		rows, fixed = b.nodes, []string{"id"}
	}
	for i, name := range fixed {
		text, err := scalar(o[name])
		if name == "id" && o[name] == nil { // d3 numbers the nodes
			text = strconv.Itoa(k)
		} else if err != nil || text == "" {
			return fmt.Errorf("%s is %v: want an id, a word or a number", name, o[name])
		}
		delete(o, name)
		fixed[i] = text
	}
	var attributes []attribute
	for name, value := range o {
		text, err := scalar(value)
		if err != nil {
			return fmt.Errorf("%s: %w", files.Quote(name), err)
		}
		attributes = append(attributes, attribute{name, text})
	}
	slices.SortFunc(attributes, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	rows.add(attributes, fixed...)
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
		var words []string
		numbers := true
		for _, one := range v {
			text, err := scalar(one)
			if err != nil {
				return "", err
			}
			_, number := one.(json.Number)
			words, numbers = append(words, text), numbers && number
		}
		if text := strings.Join(words, " "); !numbers || len(words) == 0 {
			return text, nil
		}
		return "[" + strings.Join(words, " ") + "]", nil
	}
	return "", errors.New("an object: want words, numbers or lists of words")
}
