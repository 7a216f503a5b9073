package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/agekit/age/agekit/explain"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/agekit/views"
	"github.com/agekit/age/internal/message"
)

// The size of what agekit fit prints without --verbose.
const (
	summaryWidth    = 120 // characters of a line
	summaryClusters = 12  // lines of clusters
	summaryNames    = 5   // names of columns in a line
	// summarySentences is how many characters the sentences on the views may have; the first is always there.
	summarySentences = 160
	titleWidth       = 9 // characters in front of each line: the title of a part, or blanks
)

// summary is what a person wants to know of a run first: what was read, what was found, what the views say,
// what was written, and what to do next. [printRun] writes all that is known.
type summary struct {
	w   io.Writer
	run *run.Run
	out string // the folder of the files; "" if none were written
}

// printSummary writes the summary of the run r to w, in about ten lines beside those of the clusters.
func (c *fitCmd) printSummary(w io.Writer, r *run.Run) {
	s := &summary{w: w, run: r, out: c.Out}
	s.part("Read", s.read())
	s.part("Found", append(s.found(), clusterTable(shownClusters(r), r.Edges > 0)...))
	s.part("Classes", s.classes())
	s.part("Views", s.views())
	s.part("Written", s.written())
	s.part("Next", []string{s.next()})
}

// part writes the lines of a part of the summary, with its title in front of the first. Long lines continue
// in the next one.
func (s *summary) part(title string, lines []string) {
	for _, text := range lines {
		for _, line := range folded(text, summaryWidth-titleWidth) {
			fmt.Fprintln(s.w, strings.TrimRight(fmt.Sprintf("%-*s%s", titleWidth, title, line), " "))
			title = ""
		}
	}
}

// folded returns the lines of a text: the text itself if it fits in a line of the given width, and otherwise
// as many lines as it needs, broken at blanks.
func folded(text string, width int) []string {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	return wrapped(text, width)
}

// read says how large the graph is, what became of the columns of its table, and where its edges and
// features come from if no file has them.
func (s *summary) read() []string {
	r := s.run
	lines := []string{r.Dataset + ": " + r.About()}
	if r.Data.Nodes != nil {
		lines = append(lines, columnsText(r.Data)...)
	}
	switch {
	case r.Data.Nearest > 0:
		lines = append(lines, fmt.Sprintf("edges: each node is joined to its %d nearest by features", r.Data.Nearest))
	case input.OfStructure(r.Data.Graph):
		lines = append(lines, "no features were given: these are made from the edges")
	}
	if r.From != nil {
		lines = append(lines, r.From.String())
	}
	return lines
}

// columnsText says how many columns of the table of nodes are of which kind, which have the ids and the classes,
// and which were left out.
func columnsText(data *input.Data) (lines []string) {
	counts, named := map[string]int{}, map[string][]string{} // of the kinds of features; the names by role
	for k := range data.Nodes.Columns {
		c := columnOf(data, k)
		counts[c.Kind]++
		named[c.Role] = append(named[c.Role], c.Name)
	}
	gaps := 0 // columns of numbers with gaps
	if data.Recipe != nil {
		for _, c := range data.Recipe.Columns {
			if c.Gaps {
				gaps++
			}
		}
	}
	var kinds, parts []string
	for _, kind := range []struct{ name, singular, plural string }{
		{"number", "number", ""}, {"date", "date", ""}, {"category", "category", "categories"}, {"tags", "list of tags", "lists of tags"}, {"text", "text", ""},
	} {
		if count := counts[kind.name]; count > 0 {
			kinds = append(kinds, english.Plural(count, kind.singular, kind.plural))
		}
	}
	if kinds != nil {
		parts = append(parts, english.OxfordWordSeries(kinds, "and"))
	}
	if gaps > 0 {
		parts[0] += fmt.Sprintf(" (gaps in %d)", gaps)
	}
	if ids := named[roleID]; ids != nil {
		parts = append(parts, "ids in "+firstNames(ids))
	}
	if classes := named[roleLabel]; classes != nil {
		parts = append(parts, fmt.Sprintf("%s in %s, only to compare with", english.Plural(data.Graph.Classes, "class", "classes"), firstNames(classes)))
	}
	if parts != nil {
		lines = append(lines, "columns: "+strings.Join(parts, "; "))
	}
	if names := named[roleLeftOut]; names != nil {
		lines = append(lines, "left out: "+firstNames(names))
	}
	return lines
}

// firstNames returns the first of the names of columns as a series, and how many more there are.
func firstNames(names []string) string {
	var shown []string
	for _, name := range names[:min(summaryNames, len(names))] {
		shown = append(shown, cut(oneLine(name), summaryWidth/4))
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return english.WordSeries(shown, "and")
}

// found says how many clusters there are, of what, and what it took.
func (s *summary) found() []string {
	r := s.run
	how := r.View.About()
	switch {
	case r.View == "":
		how = r.Method
		if r.Mode == "published" {
			how += " with its published settings"
		}
	case r.Training != nil && r.Training.Sample > 0:
		how += fmt.Sprintf(" on %d nodes", r.Training.Sample)
	}
	lines := []string{fmt.Sprintf("%s in %s: %s", english.Plural(r.NClusters, "cluster", ""), tookText(r.Seconds.Total), how)}
	if n := r.Number; n != nil {
		text := fmt.Sprintf("%d is a useful number of clusters, not the only one", n.Useful)
		var others []string
		for _, k := range n.Levels()[1:] { // the first level is n.Useful itself
			others = append(others, fmt.Sprintf("%d (%s)", k, map[bool]string{true: "finer", false: "coarser"}[k > n.Useful]))
		}
		if others != nil {
			text += ": see also " + strings.Join(others, " and ")
		}
		lines = append(lines, text)
	}
	return lines
}

// tookText returns how long something took: "3.2 s", or "5m20s" for a minute or more, as progress says what is left.
func tookText(seconds float64) string {
	const minute = 60
	if seconds < minute-0.05 { // which rounds to 60.0
		return fmt.Sprintf("%.1f s", seconds)
	}
	return time.Duration(math.Round(seconds) * float64(time.Second)).String()
}

// shownClusters returns the clusters of a run. Where the run does not explain them, as without an embedding, they
// have their numbers, sizes and shares of edges inside alone.
func shownClusters(r *run.Run) []explain.Cluster {
	if r.Clusters != nil || r.Labels == nil {
		return r.Clusters
	}
	return explain.Sizes(r.Data.Graph, r.Labels)
}

// clusterTable returns the lines of a table with a line for each cluster: all of them if they are few, and otherwise the
// largest, and a line for all others. A cluster without a name has its central nodes. withEdges is false for a
// graph without edges.
func clusterTable(clusters []explain.Cluster, withEdges bool) []string {
	if len(clusters) == 0 {
		return nil
	}
	shown, others := clusters, []explain.Cluster(nil)
	if len(clusters) > summaryClusters {
		bySize := slices.Clone(clusters)
		slices.SortStableFunc(bySize, func(a, b explain.Cluster) int { return b.Size - a.Size })
		most := slices.IndexFunc(bySize, func(c explain.Cluster) bool { return c.Size == 1 }) // single nodes share a line
		if most < 0 || most >= summaryClusters {
			most = summaryClusters - 1
		}
		shown, others = bySize[:most], bySize[most:]
	}
	const nameWidth = 52 // of the widest name
	names := make([]string, len(shown))
	withNames, withNodes := false, false
	for k, c := range shown {
		names[k] = cut(oneLine(c.Name), nameWidth)
		if c.Name == "" && len(c.Central) > 0 {
			names[k] = "(" + centralText(c.Central, nameWidth-len("()")) + ")"
			withNodes = true
		}
		withNames = withNames || c.Name != ""
	}
	heading := "" // of the names
	switch {
	case withNames && withNodes:
		heading = "name (or central nodes)"
	case withNames:
		heading = "name"
	case withNodes:
		heading = "(central nodes)"
	}
	width := utf8.RuneCountInString(heading)
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(name))
	}
	row := func(number, name, size, inside string) string {
		text := fmt.Sprintf("%7s  ", number)
		if width > 0 {
			text += fmt.Sprintf("%-*s  ", width, name)
		}
		text += fmt.Sprintf("%6s", size)
		if withEdges {
			text += "  " + inside
		}
		return text
	}
	lines := []string{row("cluster", heading, "nodes", "edges inside")}
	for k, c := range shown {
		lines = append(lines, row(fmt.Sprint(c.Cluster), names[k], fmt.Sprint(c.Size), fmt.Sprintf("%10.0f %%", 100*c.Inside)))
	}
	if others != nil {
		least, most := others[len(others)-1].Size, others[0].Size
		text := fmt.Sprintf("%d more clusters of %d nodes", len(others), least)
		if least < most {
			text = fmt.Sprintf("%d more clusters of %d to %d nodes", len(others), least, most)
		}
		if most == 1 {
			text = english.Plural(len(others), "single node", "")
		}
		lines = append(lines, text)
	}
	return lines
}

// centralText names as many central nodes as fit in a width, the first one at least.
func centralText(nodes []string, width int) string {
	text := cut(oneLine(nodes[0]), width)
	for _, node := range nodes[1:] {
		longer := text + ", " + oneLine(node)
		if utf8.RuneCountInString(longer) > width {
			break
		}
		text = longer
	}
	return text
}

// classes says how much the clusters are like the known classes; nothing without classes.
func (s *summary) classes() []string {
	r := s.run
	if r.ACC == nil {
		return nil
	}
	line := fmt.Sprintf("compared with the %s: ACC %.3f, NMI %.3f, ARI %.3f", english.Plural(r.Data.Graph.Classes, "class", "classes"), *r.ACC, *r.NMI, *r.ARI)
	if others := s.ofViews(func(v explain.View) string { return fmt.Sprintf("%.3f", *v.ACC) }, false); others != "" {
		line += "; ACC by " + others
	}
	return []string{line}
}

// views says how the views see the edges, and what they tell together.
func (s *summary) views() (lines []string) {
	r := s.run
	if r.Edges > 0 && len(r.Views) > 1 {
		lines = append(lines, "edges inside clusters: "+s.ofViews(func(v explain.View) string { return fmt.Sprintf("%.0f %%", 100*v.Inside) }, true))
	}
	if r.Summary != "" {
		lines = append(lines, firstSentences(r.Summary, summarySentences))
	}
	return lines
}

// ofViews returns a series of the views with what figure returns of each: of all, with a mark at the one that is
// the result, or of all others.
func (s *summary) ofViews(figure func(explain.View) string, withResult bool) string {
	var all []string
	for _, v := range s.run.Views {
		switch isResult := v.Name == s.run.View; {
		case !isResult:
			all = append(all, v.Name.Title()+" "+figure(v))
		case withResult:
			all = append(all, v.Name.Title()+" "+figure(v)+" (the result)")
		}
	}
	return strings.Join(all, ", ")
}

// firstSentences returns as many whole sentences of a text as have most characters together, the first at least.
func firstSentences(text string, most int) string {
	end := 0 // of the sentences that are returned
	for next := 0; next < len(text); {
		if period := strings.Index(text[next:], ". "); period >= 0 {
			next += period + 1
		} else {
			next = len(text)
		}
		if end > 0 && utf8.RuneCountInString(text[:next]) > most {
			break
		}
		end = next
	}
	return text[:end]
}

// written names the files that a person opens first.
func (s *summary) written() []string {
	if s.out == "" {
		return nil
	}
	what := "each node with its cluster"
	if s.run.Data.Nodes != nil {
		what = "your table with each node's cluster"
	}
	return []string{fmt.Sprintf("%s: nodes.csv (%s), log.txt (all details), and more", s.out, what)}
}

// next says what to do next.
func (s *summary) next() string {
	text := "agekit report " + shellWord(s.out) + " makes a page of it"
	if s.out == "" {
		text = "--out DIR writes each node's cluster, --verbose prints all details"
	}
	if s.run.View != "" && len(s.run.Views) > 1 {
		text += "; --view NAME makes another view the result"
	}
	return text
}

// shellWord returns a path as a shell takes it.
func shellWord(path string) string {
	if strings.ContainsAny(path, " \t'\"\\$&;()*?<>|#~`!") && filepath.Separator == '/' {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// choiceLine says in a line how the clusters were found, and why in this way.
func choiceLine(r *run.Record) string {
	var line string
	switch t := r.Training; {
	case t == nil:
		line = fmt.Sprintf("%s, mode %s", r.Method, r.Mode)
	case r.View != views.AGE:
		line = r.View.About()
	default:
		line = fmt.Sprintf("t %d, k %.4f; %s", t.Layers, t.K, epochsText(t))
		if t.Sample > 0 {
			line += fmt.Sprintf(", on a sample of %d nodes", t.Sample)
		}
	}
	line = fmt.Sprintf("%s; %s", english.Plural(r.NClusters, "cluster", ""), line)
	if r.View != "" {
		line = fmt.Sprintf("view %s: %s", r.View.Title(), line)
	}
	return line
}

// scoreLine returns a line with the scores, first those that compare with labels if the graph has any.
func scoreLine(r *run.Record) string {
	line := fmt.Sprintf("modularity %.4f  conductance %.4f", r.Modularity, r.Conductance)
	if r.ACC != nil {
		line = fmt.Sprintf("ACC %.4f  NMI %.4f  ARI %.4f  F1 %.4f  ", *r.ACC, *r.NMI, *r.ARI, *r.F1) + line
	}
	return line
}

// reportLines returns the lines of [printRun], for the log.
func reportLines(r *run.Run) []string {
	var b strings.Builder
	printRun(&b, r)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// shortWarning returns a warning in a line of at most summaryWidth characters: whole if it fits, and otherwise its
// beginning, with the first alone of several columns, and as much of what can be done about it as there is room for.
func shortWarning(m message.Message) string {
	const leastSaid = 50 // characters of the beginning
	whole := oneLine("warning: " + m.In(flagOf))
	if utf8.RuneCountInString(whole) <= summaryWidth {
		return whole
	}
	advised := m
	m.Advice = nil
	said := oneLine(m.In(flagOf))
	count := 0 // of the columns
	if _, err := fmt.Sscanf(said, "columns (%d)", &count); err == nil {
		labels, remark, _ := cutColumns(said)
		first, _, _ := strings.Cut(labels, `", "`)
		said = fmt.Sprintf(`column %s" and %d more: %s`, strings.TrimSuffix(first, `"`), count-1, remark)
	}
	said = "warning: " + said
	for ; len(advised.Advice) > 0; advised.Advice = advised.Advice[:len(advised.Advice)-1] {
		advice := strings.TrimPrefix(oneLine(advised.In(flagOf)), oneLine(m.In(flagOf)))
		if room := summaryWidth - utf8.RuneCountInString(advice); room >= leastSaid {
			return cutWords(said, room) + advice
		}
	}
	return cutWords(said, summaryWidth)
}

// cutWords returns text with at most width characters: if it has more, as many of its first words as fit, and ….
func cutWords(text string, width int) string {
	cut := cut(text, width)
	if blank := strings.LastIndex(cut, " "); cut != text && blank > 0 {
		return strings.TrimRight(cut[:blank], " ,;:") + "…"
	}
	return cut
}
