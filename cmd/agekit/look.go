package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
)

// look is what agekit fit --dry-run prints: how the files were read, and what the run would do. All of it is of
// the data and the plan of the run.
type look struct {
	Name     string `json:"name"`
	Nodes    int    `json:"nodes"`
	Edges    int    `json:"edges"`
	Features int    `json:"features"`
	Classes  int    `json:"classes,omitempty"`
	// Columns are those of the table of nodes, in its order.
	Columns []lookColumn `json:"columns,omitempty"`
	// FirstEdges are the first ones as read.
	FirstEdges []input.Edge `json:"first_edges"`
	Notes      []string     `json:"notes,omitempty"`    // what was detected
	Warnings   []string     `json:"warnings,omitempty"` // what was left out, guessed or changed
	// Method, View and Clusters are those of the run: Clusters is a number, a range or "" for a method that
	// finds the number. They are empty if the run cannot be planned.
	Method string `json:"method,omitempty"`
	View   string `json:"view,omitempty"`
	// Otherwise is the view of the result, if the edges turn out to be like random ones; "" for View.
	Otherwise string `json:"otherwise,omitempty"`
	Clusters  string `json:"clusters,omitempty"`
	Backend   string `json:"backend"`
	// ReadSeconds is how long the files took to read, and TrainingSeconds an estimate for the training; nil
	// if the view needs none, or none is known for the method and the backend.
	ReadSeconds     float64      `json:"read_seconds"`
	TrainingSeconds *float64     `json:"training_seconds,omitempty"`
	Engine          *runEstimate `json:"engine,omitempty"` // of --engine
}

// The roles of columns.
const (
	roleID      = "id"
	roleLabel   = "label" // classes, only for scores
	roleFeature = "feature"
	roleLeftOut = "left out"
)

// lookColumn is a column of the table of nodes.
type lookColumn struct {
	Name   string   `json:"name"`
	Role   string   `json:"role"`
	Kind   string   `json:"kind,omitempty"`   // of a feature: number, category, date, text
	First  []string `json:"first"`            // the values of the first nodes; "" for a gap
	Remark string   `json:"remark,omitempty"` // what was made of it, or why it was left out
}

// shownNodes is how many nodes show how their table was read.
const shownNodes = 3

// newLook returns how data was read, and what the run does by its plan, which is nil if there is none.
func newLook(data *input.Data, planned *run.Planned, backend string, readSeconds float64) *look {
	g := data.Graph
	_, features := g.Features.Dims()
	l := &look{
		Name: g.Name, Nodes: g.N(), Edges: g.Edges(), Features: features, Classes: g.Classes,
		FirstEdges: data.FirstEdges(), Notes: data.Notes, Warnings: inFlags(data.Warnings), Backend: backend, ReadSeconds: readSeconds,
	}
	if t := data.Nodes; t != nil {
		for k := range t.Columns {
			l.Columns = append(l.Columns, columnOf(data, k))
		}
	}
	if planned != nil {
		l.View, l.Otherwise = string(planned.View()), string(planned.Otherwise())
		if k := planned.Clusters(); k.Most > 0 {
			l.Clusters = k.String()
		}
		if seconds, known := planned.TrainingSeconds(); known {
			l.TrainingSeconds = &seconds
		}
	}
	return l
}

// columnOf returns what was made of column k of the table of nodes.
func columnOf(data *input.Data, k int) lookColumn {
	t := data.Nodes
	c := lookColumn{Name: cmp.Or(t.Columns[k].Name, strconv.Itoa(k+1)), Role: roleLeftOut, Remark: remarkOn(t.Label(k), data)}
	for row := range min(shownNodes, t.Rows) {
		text, _ := t.Columns[k].Text(row)
		c.First = append(c.First, text)
	}
	switch k {
	case data.IDColumn:
		c.Role = roleID
	case data.LabelColumn:
		c.Role = roleLabel
	default:
		if data.Recipe == nil {
			break
		}
		for _, made := range data.Recipe.Columns {
			if made.Name == c.Name {
				c.Role, c.Kind = roleFeature, made.Kind
				c.Remark = strings.TrimPrefix(c.Remark, made.Kind+", ")
			}
		}
	}
	return c
}

// remarkOn returns what a warning, or else a note, says of a column with the label that messages give it, such
// as "year": they begin with "column LABEL: " or "columns (N) LABEL, LABEL: ".
func remarkOn(label string, data *input.Data) string {
	for _, text := range slices.Concat(inFlags(data.Warnings), data.Notes) {
		columns, remark, found := cutColumns(text)
		if found && strings.Contains(", "+columns+", ", ", "+label+", ") {
			return remark
		}
	}
	return ""
}

// cutColumns cuts a message on columns after their labels, with found false for other messages.
func cutColumns(text string) (columns, remark string, found bool) {
	rest, isOne := strings.CutPrefix(text, "column ")
	if !isOne {
		if rest, found = strings.CutPrefix(text, "columns ("); !found {
			return "", "", false
		}
		_, rest, _ = strings.Cut(rest, ") ")
	}
	return strings.Cut(rest, ": ")
}

// The size of what a dry run prints.
const (
	lookWidth    = 100 // characters of a line
	lookColumns  = 8   // columns of the table of nodes
	lookNotes    = 4
	lookWarnings = 5 // lines of warnings
)

// print writes the look to w, at most 25 lines. More is in its JSON.
func (l *look) print(w io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintln(w, cut(fmt.Sprintf(format, args...), lookWidth)) }
	line("%s: %s, %s, %s%s", l.Name, english.Plural(l.Nodes, "node", ""), english.Plural(l.Edges, "edge", ""), english.Plural(l.Features, "feature", ""), l.classes())
	l.printNotes(line)
	if len(l.Columns) > 0 {
		l.printColumns(w)
	}
	var edges []string
	for _, e := range l.FirstEdges {
		const width = 14
		text := cut(oneLine(e.Source), width) + " – " + cut(oneLine(e.Target), width)
		if e.Weight != 1 {
			text += fmt.Sprintf(" (%v)", e.Weight)
		}
		edges = append(edges, text)
	}
	line("first edges  %s", strings.Join(edges, ";  "))
	l.printWarnings(line)
	what, took := l.plan()
	line("%s", what)
	line("%s; nothing was written: leave out --dry-run to run it", took)
}

func (l *look) classes() string {
	if l.Classes == 0 {
		return ""
	}
	return ", " + english.Plural(l.Classes, "class", "classes")
}

// printNotes writes the notes that are not about single columns, which are in the table of columns.
func (l *look) printNotes(line func(string, ...any)) {
	written := 0
	for _, note := range l.Notes {
		if _, _, ofColumns := cutColumns(note); ofColumns && len(l.Columns) > 0 {
			continue
		}
		if written == lookNotes {
			line("more of how it was read with --json")
			return
		}
		if path, rest, found := strings.Cut(note, ": "); found && !strings.ContainsAny(path, " \"") {
			note = filepath.Base(path) + ": " + rest
		}
		line("%s", oneLine(note))
		written++
	}
}

// printWarnings writes as many warnings as fit, whole where they can be: what to do about them stands at the end.
func (l *look) printWarnings(line func(string, ...any)) {
	free := lookWarnings
	for k, warning := range l.Warnings {
		lines := wrapped("warning: "+oneLine(warning), lookWidth)
		if free == 0 {
			line("%s with --json", english.Plural(len(l.Warnings)-k, "more warning", ""))
			return
		}
		if len(lines) > free {
			lines = lines[:free]
			lines[free-1] = cut(lines[free-1]+" …", lookWidth)
		}
		for _, text := range lines {
			line("%s", text)
		}
		free -= len(lines)
	}
}

// printColumns writes a table of the columns to w: those that are left out first, since they may be missed, if
// not all have a line.
func (l *look) printColumns(w io.Writer) {
	shown := slices.Clone(l.Columns)
	if len(shown) > lookColumns {
		isFeature := func(c lookColumn) int {
			if c.Role == roleFeature {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(shown, func(a, b lookColumn) int { return isFeature(a) - isFeature(b) })
		shown = shown[:lookColumns]
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "column\trole\tfirst nodes\twhat was made of it")
	for _, c := range shown {
		const nameWidth, firstWidth = 20, 30
		role := strings.TrimSpace(c.Role + " " + c.Kind)
		first := make([]string, len(c.First))
		for k, value := range c.First {
			first[k] = cut(oneLine(value), firstWidth/len(c.First)-len(", "))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", cut(oneLine(c.Name), nameWidth), role, strings.Join(first, ", "), oneLine(c.Remark))
	}
	table.Flush()
	for row := range strings.Lines(text.String()) {
		fmt.Fprintln(w, cut(strings.TrimRight(row, " \n"), lookWidth))
	}
	if more := len(l.Columns) - len(shown); more > 0 {
		fmt.Fprintf(w, "%d more columns with --json\n", more)
	}
}

// plan says what the run would do, and how long that takes.
func (l *look) plan() (what, took string) {
	took = fmt.Sprintf("read in %.1f s", l.ReadSeconds)
	what = l.Method
	if l.View != "" {
		what = "view " + l.View
	}
	if l.Otherwise != "" {
		what += ", or " + l.Otherwise + " if the edges are like random ones"
	}
	if what == "" {
		return "the run cannot be planned, see the error", took
	}
	clusters := "the method finds the number of clusters"
	if l.Clusters != "" {
		clusters = l.Clusters + " clusters"
	}
	if strings.Contains(l.Clusters, "..") {
		clusters = "as many clusters as are useful, from " + l.Clusters
	}
	switch {
	case l.TrainingSeconds != nil:
		took += fmt.Sprintf("; about %s to train on %s", durationText(*l.TrainingSeconds), l.Backend)
	case l.View != "" && l.View != string(views.AGE):
		took += "; no training"
	default:
		took += "; no estimate of the training on " + l.Backend
	}
	return what + "; " + clusters, took
}

// oneLine returns text with one blank for each run of white space, and no line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// cut returns text with at most width characters, the last of them … if it has more.
func cut(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}
