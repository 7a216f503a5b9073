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

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

func init() {
	Register(Format{Extensions: []string{".json"}, Tables: tablesOf(readNodeLink)})
}

// readNodeLink adds the nodes and edges in r to b. The text is JSON as networkx.node_link_data and d3
// write it: an object with the lists nodes and links (or edges). The ends of links are ids, or places
// in the list of nodes if nodes have no ids.
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

// withoutNaN is a reader of JSON that gives an empty text in place of NaN, which Python writes and JSON
// does not know: it replaces the three letters by a quotation mark, another one and a space.
type withoutNaN struct {
	io.Reader
	ctx     context.Context
	quoted  bool // the next byte is in a text
	escaped bool // the next byte follows a backslash in a text
	inNaN   bool // the next byte is in NaN
}

// Read implements [io.Reader].
func (r *withoutNaN) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	err = cmp.Or(r.ctx.Err(), err)
	for k, c := range b[:n] {
		switch {
		case r.escaped: // in a text, after a backslash: part of the text, even if it is a quotation mark
			r.escaped = false
		case r.quoted: // in a text: may begin an escape or end the text
			r.escaped, r.quoted = c == '\\', c != '"'
		case c == '"':
			r.quoted = true
		// Outside texts, JSON has no capital N (null is in lower case): each is of NaN.
		case c == 'N' && !r.inNaN: // the first letter
			b[k], r.inNaN = '"', true
		case c == 'N': // the last letter
			b[k], r.inNaN = ' ', false
		case c == 'a' && r.inNaN:
			b[k] = '"'
		}
	}
	return n, err
}

// byPlace replaces the ends of edges by ids if they are places in the list of nodes, from 0, as
// NetworkX 1 and D3 3 write them though the nodes have ids. They are taken for places if all are below
// the number of nodes, and some is no id.
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

// object adds a row for entry k of a list of nodes or links, which must be a JSON object. A node
// without an id gets k.
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
		if name == "id" && o[name] == nil { // d3 knows nodes by their places
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

// scalar returns a JSON value as the text of a table's cell: "" for null, True and False as Python
// writes them, a list of numbers in brackets, and another list as JSON writes it, of words. An object is
// an error.
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
		words := make([]string, len(v))
		allNumbers := len(v) > 0
		for k, element := range v {
			var err error
			if words[k], err = scalar(element); err != nil {
				return "", err
			}
			if _, isNumber := element.(json.Number); !isNumber {
				allNumbers = false
			}
		}
		if allNumbers {
			return "[" + strings.Join(words, " ") + "]", nil
		}
		return table.WordList(words), nil
	}
	return "", errors.New("an object: want words, numbers or lists of words")
}
