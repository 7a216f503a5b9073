package input

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/agekit/age/internal/limit"
)

func init() {
	Register(Format{Extensions: []string{".gml"}, Tables: tablesOf(readGML)})
}

// readGML reads GML, the Graph Modelling Language: graph [ node [ id 1 label "a" ] edge [
// source 1 target 2 value 3 ] ]. A key that a node has several times is a list, as NetworkX
// writes it.
func readGML(ctx context.Context, r io.Reader, b *graphBuilder) error {
	p := &gmlReader{graphBuilder: b, ctx: ctx, r: bufio.NewReader(r), line: 1}
	err := p.pairs(0, func(key string, value gmlToken) error {
		if key != "graph" || !value.begins() {
			return p.skip(1, value)
		}
		return p.pairs(1, p.part)
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("line %d: %w", p.line, err)
	}
	return err
}

// gmlReader reads pairs of keys and values: numbers, words in quotation marks, or lists of
// pairs in brackets.
type gmlReader struct {
	*graphBuilder
	ctx  context.Context
	r    *bufio.Reader
	line int
}

type gmlToken struct {
	text   string
	quoted bool
}

func (t gmlToken) begins() bool { return t.text == "[" && !t.quoted }
func (t gmlToken) ends() bool   { return t.text == "]" && !t.quoted }

// pairs calls do with the pairs of a list, to its end. Of a value that is a list, do must read
// the pairs.
func (p *gmlReader) pairs(depth int, do func(key string, value gmlToken) error) error {
	const deepest = 100
	if depth > deepest {
		return fmt.Errorf("more than %d lists in each other", deepest)
	}
	for {
		key, err := p.token()
		switch {
		case err == io.EOF && depth == 0, err == nil && key.ends() && depth > 0:
			return nil
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case key.quoted || key.begins() || key.ends():
			return fmt.Errorf("%s: want a key", limit.Quote(key.text))
		}
		value, err := p.token()
		if err == io.EOF || err == nil && value.ends() {
			err = fmt.Errorf("%s has no value", limit.Quote(key.text))
		}
		if err == nil {
			err = do(key.text, value)
		}
		if err != nil {
			return err
		}
	}
}

// skip reads over a value.
func (p *gmlReader) skip(depth int, value gmlToken) error {
	if !value.begins() {
		return nil
	}
	return p.pairs(depth, func(_ string, value gmlToken) error { return p.skip(depth+1, value) })
}

// part reads a part of the graph.
func (p *gmlReader) part(key string, value gmlToken) error {
	rows, fixed := p.edges, []string{"source", "target"}
	switch {
	case key == "node":
		rows, fixed = p.nodes, []string{"id"}
	case key != "edge":
		p.directed = p.directed || key == "directed" && value.text == "1"
		return p.skip(2, value)
	}
	if err := p.ctx.Err(); err != nil || !value.begins() {
		return cmp.Or(err, fmt.Errorf("%s %s: want a list", key, limit.Quote(value.text)))
	}
	var list []attribute
	several := map[string]bool{}
	err := p.pairs(2, func(name string, value gmlToken) error {
		at := slices.IndexFunc(list, func(a attribute) bool { return a.name == name })
		switch {
		case value.begins():
			p.warn("lists of values in nodes and edges are left out", limit.Quote(name))
			return p.skip(3, value)
		case at < 0:
			list = append(list, attribute{name, value.text})
		default:
			list[at].value += " " + value.text
			several[name] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, name := range fixed {
		at := slices.IndexFunc(list, func(a attribute) bool { return a.name == name })
		if at < 0 || list[at].value == "" {
			return fmt.Errorf("%s without %s", key, name)
		}
		fixed[i] = list[at].value
		list = slices.Delete(list, at, at+1)
	}
	for i, a := range list {
		if text := "[" + a.value + "]"; several[a.name] {
			if _, ok := listOf(text); ok {
				list[i].value = text
			}
		}
	}
	rows.add(list, fixed...)
	return nil
}

// token returns the next key, value or bracket.
func (p *gmlReader) token() (t gmlToken, err error) {
	var text []byte
	for {
		c, err := p.r.ReadByte()
		if err != nil {
			if t.quoted {
				err = errors.New("a text without an end")
			}
			if len(text) > 0 && !t.quoted {
				err = nil
			}
			return gmlToken{text: string(text)}, err
		}
		if c == '\n' {
			p.line++
		}
		space := c <= ' '
		switch {
		case t.quoted && c == '"':
			if !utf8.Valid(text) { // the letters that the format knows
				text, _ = charmap.ISO8859_1.NewDecoder().Bytes(text)
			}
			t.text = html.UnescapeString(string(text))
			return t, nil
		case t.quoted:
			text = append(text, c)
		case len(text) == 0 && c == '"':
			t.quoted = true
		case len(text) == 0 && c == '#': // a comment
			if _, err := p.r.ReadString('\n'); err != nil {
				return t, err
			}
			p.line++
		case len(text) == 0 && (c == '[' || c == ']'):
			return gmlToken{text: string(c)}, nil
		case len(text) > 0 && (space || c == '[' || c == ']'):
			if c == '\n' {
				p.line--
			}
			return gmlToken{text: string(text)}, p.r.UnreadByte()
		case !space:
			text = append(text, c)
		}
	}
}
