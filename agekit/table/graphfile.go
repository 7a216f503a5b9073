package table

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agekit/age/internal/limit"
)

// GraphFile is a graph that was read from one file: GraphML, GEXF or NetworkX's
// node-link JSON.
type GraphFile struct {
	// Nodes has the nodes' ids as its first column, "id", and their attributes.
	Nodes *Table
	// Edges has the columns "source" and "target", and the edges' attributes.
	Edges *Table
}

// graphReaders maps an extension to the reader of a graph file.
var graphReaders = map[string]func(ctx context.Context, r io.Reader, b *graphBuilder) error{
	".graphml": readGraphML, ".gexf": readGEXF, ".json": readNodeLink,
}

// HoldsGraph reports whether the extension of path is that of a graph file.
func HoldsGraph(path string) bool { return graphReaders[extension(path)] != nil }

// ReadGraph reads a graph file, whose extension selects the format: .graphml, .gexf
// or .json. Errors name the file, the node or edge and its line, if it has one.
func ReadGraph(ctx context.Context, path string) (*GraphFile, error) {
	read := graphReaders[extension(path)]
	if read == nil {
		return nil, fmt.Errorf("%s: graph of type %s, want .graphml, .gexf or .json", path, limit.Quote(extension(path)))
	}
	f, size, err := limit.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// What is kept of a node or an edge takes less than its text.
	if err := limit.Memory(path+": graph", float64(size)); err != nil {
		return nil, err
	}
	b := &graphBuilder{nodes: newRows("id"), edges: newRows("source", "target")}
	if err := read(ctx, f, b); err != nil {
		return nil, named(f, err)
	}
	if b.nodes.rows == 0 {
		return nil, fmt.Errorf("%s: no nodes: want a graph", path)
	}
	b.dropEqual("label", "id")
	g := &GraphFile{Nodes: b.nodes.table(path), Edges: b.edges.table(path)}
	g.Edges.directed = b.directed
	return g, nil
}

func named(f *os.File, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", f.Name(), err)
}

// graphBuilder collects the nodes and edges of a graph file.
type graphBuilder struct {
	nodes, edges *rowBuilder
	directed     bool
}

// attribute is a name with a value.
type attribute struct{ name, value string }

func (b *graphBuilder) node(id string, attributes []attribute) {
	b.nodes.add([]string{id}, attributes)
}

func (b *graphBuilder) edge(source, target string, attributes []attribute) {
	b.edges.add([]string{source, target}, attributes)
}

// dropEqual removes a column of the nodes that only repeats another one.
func (b *graphBuilder) dropEqual(name, other string) {
	k, j := b.nodes.place[name], b.nodes.place[other]
	if k == 0 {
		return
	}
	c, o := b.nodes.columns[k], b.nodes.columns[j]
	for row := range b.nodes.rows {
		if row >= len(c.codes) || c.codes[row] < 0 || c.values[c.codes[row]] != o.values[o.codes[row]] {
			return
		}
	}
	b.nodes.columns = slices.Delete(b.nodes.columns, k, k+1)
}

// rowBuilder collects rows whose columns become known on the way.
type rowBuilder struct {
	columns []*namedWords
	place   map[string]int
	fixed   int
	rows    int
}

// namedWords is a column of words with its name; the last rows may be missing.
type namedWords struct {
	name string
	Words
}

func newRows(fixed ...string) *rowBuilder {
	b := &rowBuilder{place: map[string]int{}, fixed: len(fixed)}
	for _, name := range fixed {
		b.column(name)
	}
	return b
}

// column returns the place of the column with a name.
func (b *rowBuilder) column(name string) int {
	k, ok := b.place[name]
	if !ok {
		k = len(b.columns)
		b.place[name], b.columns = k, append(b.columns, &namedWords{name: name})
	}
	return k
}

func (b *rowBuilder) add(fixed []string, attributes []attribute) {
	for k, value := range fixed {
		b.columns[k].set(b.rows, value)
	}
	for _, a := range attributes {
		k := b.column(a.name)
		if k < b.fixed { // an attribute with the name of what every row has
			k = b.column(a.name + " (attribute)")
		}
		b.columns[k].set(b.rows, a.value)
	}
	b.rows++
}

// table returns the rows as a table, with columns of numbers where all values are.
func (b *rowBuilder) table(path string) *Table {
	t := &Table{Path: path, Rows: b.rows, header: true}
	for _, c := range b.columns {
		c.pad(b.rows)
		t.Columns = append(t.Columns, c.column())
	}
	return t
}

// column returns the column, of numbers if all words are.
func (c *namedWords) column() Column {
	numbers := make([]float64, len(c.values))
	for k, v := range c.values {
		var ok bool
		if numbers[k], _, ok = (style{}).number(v); !ok {
			return c.Column(c.name)
		}
	}
	out := Column{Name: c.name, Numbers: make([]float64, len(c.codes))}
	for row, code := range c.codes {
		out.Numbers[row] = math.NaN()
		if code >= 0 {
			out.Numbers[row] = numbers[code]
		}
	}
	return out
}

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

// readNodeLink reads JSON as networkx.node_link_data and d3 write it: lists nodes
// and links (or edges), whose ends are ids, or places in the list if nodes have
// none.
func readNodeLink(ctx context.Context, r io.Reader, b *graphBuilder) error {
	d := json.NewDecoder(r)
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
		case "directed":
			if err := d.Decode(&b.directed); err != nil {
				return jsonError(d, err)
			}
		case "nodes", "links", "edges":
			linked = linked || name != "nodes"
			if err := eachObject(ctx, d, name, func(k int, o map[string]any) error { return b.object(name, k, o) }); err != nil {
				return err
			}
		default:
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return jsonError(d, err)
			}
		}
	}
	if !linked {
		return errors.New("no list links or edges: want JSON as networkx.node_link_data writes it")
	}
	return nil
}

func jsonError(d *json.Decoder, err error) error {
	return fmt.Errorf("byte %d: %w: want JSON", d.InputOffset(), err)
}

// eachObject calls do with each object of a list.
func eachObject(ctx context.Context, d *json.Decoder, name string, do func(k int, o map[string]any) error) error {
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
		if err := do(k, o); err != nil {
			return fmt.Errorf("%s: entry %d: %w", name, k, err)
		}
	}
	_, err := d.Token()
	return err
}

// object adds a node or an edge.
func (b *graphBuilder) object(list string, k int, o map[string]any) error {
	fixed := []string{"source", "target"}
	if list == "nodes" {
		fixed = []string{"id"}
	}
	var ends []string
	for _, name := range fixed {
		text, err := scalar(o[name])
		if name == "id" && o[name] == nil { // d3 numbers the nodes
			text = strconv.Itoa(k)
		} else if err != nil || text == "" {
			return fmt.Errorf("%s is %v: want an id, a word or a number", name, o[name])
		}
		ends = append(ends, text)
		delete(o, name)
	}
	var attributes []attribute
	for name, value := range o {
		text, err := scalar(value)
		if err != nil {
			return fmt.Errorf("%s: %w", limit.Quote(name), err)
		}
		attributes = append(attributes, attribute{name, text})
	}
	slices.SortFunc(attributes, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	if list == "nodes" {
		b.node(ends[0], attributes)
	} else {
		b.edge(ends[0], ends[1], attributes)
	}
	return nil
}

// scalar returns a JSON value as text, "" for null. Lists of words become their
// words, as a text.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any:
		var words []string
		for _, one := range v {
			text, err := scalar(one)
			if err != nil {
				return "", err
			}
			words = append(words, text)
		}
		return strings.Join(words, " "), nil
	}
	return "", errors.New("an object: want words, numbers or lists of words")
}
