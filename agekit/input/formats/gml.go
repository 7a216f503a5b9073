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

// readGML adds the nodes and edges in r to b. The text is GML, the Graph Modelling Language: graph [
// node [ id 1 label "a" ] edge [ source 1 target 2 value 3 ] ]. A key that a node has several times is
// a list, as NetworkX writes it.
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

// gmlReader parses a text of GML.
type gmlReader struct {
	*graphBuilder
	ctx  context.Context
	text []byte
	at   int // where in the text the next token begins
}

// gmlPair is a key with its value: a number, a word in quotation marks, or "[" and a list of pairs.
type gmlPair struct {
	key, value string
	list       []gmlPair // if value is "["
}

// gmlToken matches a word in quotation marks, a comment, a bracket, or a key or number, at the
// beginning of a text.
var gmlToken = regexp.MustCompile(`^(?:"[^"]*"|#[^\n]*|[][]|[^][\s"#]+)`)

// token returns the next token that is no comment; "" at the end of the text.
func (p *gmlReader) token() (string, error) {
	for {
		p.at = len(p.text) - len(bytes.TrimLeft(p.text[p.at:], " \t\r\n"))
		token := gmlToken.Find(p.text[p.at:])
		if token == nil && p.at < len(p.text) {
			return "", errors.New("a text without an end")
		}
		p.at += len(token)
		if len(token) == 0 || token[0] != '#' {
			return string(token), nil
		}
	}
}

// pairs reads a list of pairs to its end, and returns it. ListKey is the key whose value the list is,
// "" for the whole text, and depth is in how many lists it is. The list of a graph is not returned: its
// parts are added to the builder.
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
		list = append(list, pair)
		if err == nil && depth == 1 && listKey == "graph" {
			list, err = nil, p.part(pair)
		}
		if err != nil {
			return nil, err
		}
	}
}

// part adds a part of the graph, a node or an edge, to the builder. Of other parts only "directed 1" counts.
func (p *gmlReader) part(part gmlPair) error {
	rows, fixed := p.edges, []string{"source", "target"} // where the part goes, and what it must have
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
	several := map[string]bool{} // keys that are there more than once
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
	for i, name := range fixed { // each name is replaced by its value
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

// gmlWord returns the text of a token. A word in quotation marks loses them; if it is no UTF-8, it is
// taken for Latin-1; and its entities, such as &amp;, are replaced by their characters.
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
