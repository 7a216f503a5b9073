package input

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/agekit/age/internal/files"
)

func init() {
	Register(Format{Extensions: []string{".gml"}, Tables: tablesOf(readGML)})
}

// readGML reads GML, the Graph Modelling Language: graph [ node [ id 1 label "a" ] edge [
// source 1 target 2 value 3 ] ]. A key that a node has several times is a list, as NetworkX
// writes it.
func readGML(ctx context.Context, r io.Reader, b *graphBuilder) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	p := &gmlReader{graphBuilder: b, ctx: ctx, text: text}
	err = p.pairs(0, func(key, value string) error {
		if key != "graph" || value != "[" {
			return p.skip(1, value)
		}
		return p.pairs(1, p.part)
	})
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("line %d: %w", 1+bytes.Count(text[:p.at], []byte("\n")), err)
	}
	return err
}

// gmlReader reads pairs of keys and values: numbers, words in quotation marks, or lists of
// pairs in brackets.
type gmlReader struct {
	*graphBuilder
	ctx  context.Context
	text []byte
	at   int
}

// gmlToken is a key, a number, a word, a bracket, or a comment.
var gmlToken = regexp.MustCompile(`^(?:"[^"]*"|#[^\n]*|[][]|[^][\s"#]+)`)

// token returns the next token but comments; "" at the end.
func (p *gmlReader) token() (string, error) {
	for {
		p.at = len(p.text) - len(bytes.TrimLeft(p.text[p.at:], " \t\r\n"))
		token := gmlToken.Find(p.text[p.at:])
		if token == nil && p.at < len(p.text) {
			return "", errors.New("a text without an end")
		}
		if p.at += len(token); len(token) == 0 || token[0] != '#' {
			return string(token), nil
		}
	}
}

// pairs calls do with the pairs of a list, to its end. Of a value that is a list, "[", do must
// read the pairs.
func (p *gmlReader) pairs(depth int, do func(key, value string) error) error {
	const deepest = 100
	if depth > deepest {
		return fmt.Errorf("more than %d lists in each other", deepest)
	}
	for {
		key, err := p.token()
		switch {
		case err != nil:
			return err
		case key == "" && depth == 0, key == "]" && depth > 0:
			return nil
		case key == "":
			return io.ErrUnexpectedEOF
		case key[0] == '"' || key == "[" || key == "]":
			return fmt.Errorf("%s: want a key", files.Quote(key))
		}
		value, err := p.token()
		if err == nil && (value == "" || value == "]") {
			err = fmt.Errorf("%s has no value", files.Quote(key))
		}
		if err == nil {
			err = do(key, value)
		}
		if err != nil {
			return err
		}
	}
}

// skip reads over a value.
func (p *gmlReader) skip(depth int, value string) error {
	if value != "[" {
		return nil
	}
	return p.pairs(depth, func(_, value string) error { return p.skip(depth+1, value) })
}

// part reads a part of the graph.
func (p *gmlReader) part(key, value string) error {
	rows, fixed := p.edges, []string{"source", "target"}
	switch {
	case key == "node":
		rows, fixed = p.nodes, []string{"id"}
	case key != "edge":
		p.directed = p.directed || key == "directed" && value == "1"
		return p.skip(2, value)
	}
	if err := p.ctx.Err(); err != nil || value != "[" {
		return cmp.Or(err, fmt.Errorf("%s %s: want a list", key, files.Quote(value)))
	}
	var list []attribute
	several := map[string]bool{}
	err := p.pairs(2, func(name, value string) error {
		if value == "[" {
			p.warn("lists of values in nodes and edges are left out", files.Quote(name))
			return p.skip(3, value)
		}
		value = gmlWord(value)
		if at := slices.IndexFunc(list, func(a attribute) bool { return a.name == name }); at >= 0 {
			list[at].value, several[name] = list[at].value+" "+value, true
		} else {
			list = append(list, attribute{name, value})
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
		if _, numbers := listOf("[" + a.value + "]"); several[a.name] && numbers {
			list[i].value = "[" + a.value + "]"
		}
	}
	rows.add(list, fixed...)
	return nil
}

// gmlWord returns a word without its quotation marks, in UTF-8 or in the letters of the format.
func gmlWord(token string) string {
	if token[0] != '"' {
		return token
	}
	word := token[1 : len(token)-1]
	if !utf8.ValidString(word) {
		word, _ = charmap.ISO8859_1.NewDecoder().String(word)
	}
	return html.UnescapeString(word)
}
