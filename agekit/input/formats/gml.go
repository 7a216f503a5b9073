package formats

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

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
	"golang.org/x/text/encoding/charmap"
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
	if _, err = p.pairs("", 0); err != nil && ctx.Err() == nil {
		err = fmt.Errorf("line %d: %w", 1+bytes.Count(text[:p.at], []byte("\n")), err)
	}
	return err
}

type gmlReader struct {
	*graphBuilder
	ctx  context.Context
	text []byte
	at   int
}

// gmlPair is a key with its value: a number, a word in quotation marks, or "[" and a list of pairs.
type gmlPair struct {
	key, value string
	list       []gmlPair
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

// pairs reads the list that is the value of a key, to its end. The parts of a graph are added to
// it instead.
func (p *gmlReader) pairs(listKey string, depth int) (list []gmlPair, err error) {
	const deepest = 100
	if depth > deepest {
		return nil, fmt.Errorf("more than %d lists in each other", deepest)
	}
	for {
		key, err := p.token()
		switch {
		case err != nil:
			return nil, err
		case key == "" && depth == 0, key == "]" && depth > 0:
			return list, nil
		case key == "":
			return nil, io.ErrUnexpectedEOF
		case key[0] == '"' || key == "[" || key == "]":
			return nil, fmt.Errorf("%s: want a key", message.Quote(key))
		}
		pair := gmlPair{key: key}
		if pair.value, err = p.token(); err == nil && (pair.value == "" || pair.value == "]") {
			err = fmt.Errorf("%s has no value", message.Quote(key))
		}
		if err == nil && pair.value == "[" {
			pair.list, err = p.pairs(key, depth+1)
		}
		if list = append(list, pair); err == nil && depth == 1 && listKey == "graph" {
			list, err = nil, p.part(pair)
		}
		if err != nil {
			return nil, err
		}
	}
}

// part adds a part of the graph.
func (p *gmlReader) part(part gmlPair) error {
	rows, fixed := p.edges, []string{"source", "target"}
	switch {
	case part.key == "node":
		rows, fixed = p.nodes, []string{"id"}
	case part.key != "edge":
		p.directed = p.directed || part.key == "directed" && part.value == "1"
		return nil
	}
	if err := p.ctx.Err(); err != nil || part.value != "[" {
		return cmp.Or(err, fmt.Errorf("%s %s: want a list", part.key, message.Quote(part.value)))
	}
	var list []attribute
	several := map[string]bool{}
	for _, pair := range part.list {
		if pair.value == "[" {
			p.warn("lists of values in nodes and edges are left out", message.Quote(pair.key))
			continue
		}
		value := gmlWord(pair.value)
		if k := slices.IndexFunc(list, func(a attribute) bool { return a.name == pair.key }); k >= 0 {
			list[k].value, several[pair.key] = list[k].value+" "+value, true
		} else {
			list = append(list, attribute{pair.key, value})
		}
	}
	for i, name := range fixed {
		k := slices.IndexFunc(list, func(a attribute) bool { return a.name == name })
		if k < 0 || list[k].value == "" {
			return fmt.Errorf("%s without %s", part.key, name)
		}
		fixed[i] = list[k].value
		list = slices.Delete(list, k, k+1)
	}
	for i, a := range list {
		if _, numbers := table.ListOf("[" + a.value + "]"); several[a.name] && numbers {
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
