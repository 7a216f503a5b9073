package formats

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/inputtest"
)

// TestXMLCharacters writes ids, values and names of columns with every character below U+0300, and with
// those at the ends of Unicode's planes: encoding/xml, a strict reader, accepts GraphML and GEXF with
// them.
func TestXMLCharacters(t *testing.T) {
	var all strings.Builder
	for r := range rune(0x300) {
		all.WriteRune(r)
	}
	all.WriteString("\u2028\u202e\ufffd\ufffe\uffff\U00010000\U0010ffff\xff]]>")
	nodes, a := inputtest.Result(t)
	nodes.Columns[0] = table.Column{Name: all.String(), Codes: []int32{0, 1, 2}, Values: []string{all.String(), "\ufffe", "<&\">'"}}
	nodes.Columns = append(nodes.Columns, table.Column{Name: all.String(), Codes: []int32{0, 0, 1}, Values: []string{all.String(), "\uffff"}})
	for name, write := range map[string]func(w io.Writer, nodes *table.Table) error{
		"GraphML": func(w io.Writer, nodes *table.Table) error { return graphMLForm.write(w, nodes, a, nil) },
		"GEXF":    func(w io.Writer, nodes *table.Table) error { return gexfForm.write(w, nodes, a, nil) },
	} {
		var b bytes.Buffer
		if err := write(&b, nodes); err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(&b); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// TestWriteGraph writes a graph as GraphML and as GEXF, and reads the same tables. GEXF also has the
// places and colors of the nodes.
func TestWriteGraph(t *testing.T) {
	nodes, a := inputtest.Result(t)
	place := &Place{X: []float64{0, 1, 2}, Y: []float64{5, -1.5, 0}, Color: func(i int) (r, g, b uint8) { return uint8(i), 0, 255 }}
	for name, write := range map[string]func(b *bytes.Buffer) error{
		"g.graphml": func(b *bytes.Buffer) error { return graphMLForm.write(b, nodes, a, nil) },
		"g.gexf":    func(b *bytes.Buffer) error { return gexfForm.write(b, nodes, a, place) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := ReadTables(context.Background(), path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := inputtest.Shown(g.Nodes); got != inputtest.ResultShown {
			t.Errorf("%s: nodes %s, want %s", name, got, inputtest.ResultShown)
		}
		if got := joinedNodes(g); got != "0-1:2 1-2:0.5" {
			t.Errorf("%s: edges %s", name, got)
		}
		if place := `<viz:color r="1" g="0" b="255"/><viz:position x="1" y="-1.5" z="0"/>`; name == "g.gexf" && !strings.Contains(b.String(), place) {
			t.Errorf("%s lacks %s", b.String(), place)
		}
	}
}

// TestYEd reads GraphML as yEd writes it: the labels that are drawn at nodes, also of groups, are a
// column; an edge without one has none.
func TestYEd(t *testing.T) {
	g, err := ReadTables(t.Context(), inputtest.WriteText(t, "g.graphml", `<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key for="node" id="d5" yfiles.type="nodegraphics"/><key for="edge" id="d9" yfiles.type="edgegraphics"/><graph edgedefault="undirected">
		<node id="n0"><data key="d5"><y:ShapeNode><y:Geometry height="30"/><y:NodeLabel>Person 0<y:LabelModel/></y:NodeLabel></y:ShapeNode></data></node>
		<node id="n1"><data key="d5"><y:ProxyAutoBoundsNode><y:Realizers><y:GroupNode><y:NodeLabel>Person 1</y:NodeLabel></y:GroupNode></y:Realizers></y:ProxyAutoBoundsNode></data></node>
		<edge source="n0" target="n1"><data key="d9"><y:PolyLineEdge/></data></edge></graph></graphml>`))
	if err != nil {
		t.Fatal(err)
	}
	if got := inputtest.Shown(g.Nodes) + inputtest.Shown(g.Edges); got != `"id" n0 n1; "label" Person 0 Person 1; "source" n0; "target" n1; ` {
		t.Error(got)
	}
}
