package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

// lineShape is a way to write pairs in lines other than by fields between separators.
type lineShape struct {
	// isLine reports whether a line, trimmed and not empty, may be one of the shape.
	isLine func(line string) bool
	// start returns a function that returns the records of one line after the other, each a list of fields:
	// one record or none, or several of a text that is one long line. Lines are the first ones of the text,
	// by which start may decide; start returns nil if they are of another shape after all.
	start func(lines []string) func(line string) [][]string
	// names are those of the columns, as far as there are columns; nil if the first record may be a header.
	names []string
	// says is what a warning says of the shape, before a line and what it is read as.
	says string
}

// lineShapes are the known shapes, in the order in which they are tried.
var lineShapes = []*lineShape{
	{
		isLine: func(string) bool { return true },
		start:  startBrackets,
		says:   "brackets around pairs are no part of the ids",
	},
	{
		isLine: triple.MatchString,
		start:  func([]string) func(string) [][]string { return triples },
		names:  []string{"subject", "predicate", "object"},
		says:   "lines of N-Triples are edges from subject to object, but those whose object is a text are left out",
	},
	{
		isLine: dimacs.MatchString,
		start:  startDIMACS,
		names:  []string{"source", "target", "weight"},
		says:   "of the lines of DIMACS edges are read, without their letter",
	},
	{
		isLine: isArrow,
		start:  startArrows,
		says:   "arrows or dashes between two ends are no part of the ids",
	},
}

// linesOfShape is how many of the first lines tell the shape.
const linesOfShape = 1000

// findLineShape sets s.shape if the lines of head, the beginning of a text of pairs, have a known shape and no
// option says how the text is written.
func (s *style) findLineShape(head []byte) {
	if !s.Pairs || s.Verbatim || s.Separator != 0 || separatorLine(head) != 0 {
		return
	}
	var lines []string
	for line := range bytes.Lines(head) {
		if text := strings.TrimSpace(string(line)); text != "" && !isLineComment(text) {
			lines = append(lines, text)
		}
		if len(lines) == linesOfShape {
			break
		}
	}
	for _, shape := range lineShapes {
		if len(lines) == 0 || slices.ContainsFunc(lines, func(line string) bool { return !shape.isLine(line) }) || shape.start(lines) == nil {
			continue
		}
		rewrite := shape.start(lines)
		begin := 0 // the line in which the first record begins
		for k, line := range lines {
			records := rewrite(line)
			if len(records) == 0 {
				if k == 0 || len(shape.names) > 0 {
					begin = k + 1
				}
				continue
			}
			line = strings.Join(lines[begin:k+1], " ")
			if len(shape.names) > 0 {
				s.setNames(shape.names[:min(len(shape.names), len(records[0]))])
			}
			s.said = append(s.said, message.Sprintf("%s: %s is read as %s", shape.says, message.Quote(line), message.Quote(strings.Join(records[0], " "))))
			s.rewrite = func() func(string) [][]string { return shape.start(lines) }
			return
		}
	}
}

// isLineComment reports whether a line is a comment in a text of lines with a shape.
func isLineComment(line string) bool { return line != "" && strings.IndexByte("#%", line[0]) >= 0 }

// rewriter reads a text whose lines have a shape as fields between commas. Each line stays one line, unless it
// has several records.
type rewriter struct {
	text    *bufio.Reader
	records func(line string) [][]string
	ready   bytes.Buffer // what is rewritten and not yet read
}

func (r *rewriter) Read(b []byte) (int, error) {
	for r.ready.Len() == 0 {
		line, err := r.line()
		if line == "" && err != nil {
			return 0, err
		}
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case isLineComment(trimmed):
			r.ready.WriteString(trimmed)
		default:
			for k, record := range r.records(trimmed) {
				if k > 0 {
					r.ready.WriteByte('\n')
				}
				writeFields(&r.ready, record)
			}
		}
		r.ready.WriteByte('\n')
	}
	return r.ready.Read(b)
}

// line returns the next line of r.text, with its end. A line that is too long is an error.
func (r *rewriter) line() (string, error) {
	var line []byte
	for {
		part, err := r.text.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > readfile.LongestLine {
			return "", fmt.Errorf("a line has more than %d bytes", readfile.LongestLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// newRewriter returns a reader of a text with the records that a function gives for each line.
func newRewriter(text *bufio.Reader, records func(line string) [][]string) io.Reader {
	return &rewriter{text: text, records: records}
}

// writeFields writes fields with commas between them, in quotation marks where they need them.
func writeFields(b *bytes.Buffer, fields []string) {
	for k, field := range fields {
		if k > 0 {
			b.WriteByte(',')
		}
		if field == "" || strings.ContainsAny(field, "\",\r\n") || field[0] == ' ' {
			field = `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
		}
		b.WriteString(field)
	}
}

// nesting follows the brackets of a text, character by character. Those within quotation marks do not count.
type nesting struct {
	depth int
	quote rune // the quotation mark of a text that has begun; 0 outside
	last  rune // the last character other than a space
}

// next takes the next character, and reports whether it is within quotation marks or one of them.
func (n *nesting) next(c rune) (isQuoted bool) {
	begins := n.last == 0 || strings.ContainsRune("([{,:", n.last) // a value
	switch {
	case n.quote != 0:
		isQuoted = true
		if c == n.quote && n.last != '\\' {
			n.quote = 0
		}
	case (c == '\'' || c == '"') && begins:
		n.quote, isQuoted = c, true
	case strings.ContainsRune("([{", c):
		n.depth++
	case strings.ContainsRune(")]}", c):
		n.depth--
	}
	if !unicode.IsSpace(c) {
		n.last = c
	}
	return isQuoted
}

// startBrackets is [lineShape].start of pairs in brackets, as Python, JSON and numpy print them: (0, 1) or
// [0 1] in each line, or a list of those in brackets of its own. Ids may be in brackets themselves, and
// (0, 0) (0, 1) in a line are two ids.
func startBrackets(lines []string) func(string) [][]string {
	if strings.IndexByte("([{", lines[0][0]) < 0 {
		return nil
	}
	var n nesting
	deepest, endsEarly, opener := 0, false, lines[0][0]
	for k, c := range lines[0] {
		n.next(c)
		deepest = max(deepest, n.depth)
		endsEarly = endsEarly || n.depth == 0 && strings.Trim(lines[0][k+1:], " ,") != ""
	}
	depth := 1 // of the brackets around a record
	switch {
	case n.depth > 0 || len(lines) == 1 && deepest > 1 && !endsEarly:
		depth = 2
	case endsEarly:
		depth = 0
	}
	if depth < 2 && (opener == '{' || strings.ContainsAny(lines[0], ";|")) { // a record of JSON, or columns
		return nil
	}
	start := func() func(line string) [][]string { return bracketed(depth) }
	records := start()
	fields, count := 0, 0
	for _, line := range lines {
		for _, record := range records(line) {
			if last := len(record) - 1; last > 1 && strings.HasPrefix(record[last], "{") {
				record = record[:2] // the attributes of an edge
			}
			if count++; fields == 0 {
				fields = len(record)
			}
			if len(record) != fields {
				return nil
			}
		}
	}
	const most = 4 // columns: more are no pairs, but a matrix
	if count == 0 || fields < 2 || fields > most {
		return nil
	}
	return start()
}

// bracketed returns a function that returns the records in a line: what is within brackets at a depth, or, if
// the depth is 0, in the line.
func bracketed(depth int) func(line string) [][]string {
	var n nesting
	var record strings.Builder // the one that has begun
	return func(line string) (records [][]string) {
		if depth == 0 {
			return [][]string{splitNested(line)}
		}
		for _, c := range line {
			outside := n.depth < depth
			if isQuoted := n.next(c); !isQuoted && !outside && n.depth < depth { // the record ends
				records = append(records, splitNested(record.String()))
				record.Reset()
				continue
			}
			if !outside {
				record.WriteRune(c)
			}
		}
		if record.Len() > 0 {
			record.WriteByte(' ') // the line's end
		}
		return records
	}
}

// splitNested splits a text at the tabs outside of brackets and quotation marks, or, if there are none, at the
// commas, or else at spaces. The fields are as Python's str gives them.
func splitNested(text string) (fields []string) {
	split := func(isSeparator func(c rune) bool) (fields []string) {
		var n nesting
		begin := 0
		for k, c := range text {
			if isQuoted := n.next(c); !isQuoted && n.depth == 0 && isSeparator(c) {
				fields = append(fields, text[begin:k])
				begin = k + len(string(c))
			}
		}
		return append(fields, text[begin:])
	}
	separator := ','
	if strings.Contains(text, "\t") {
		separator = '\t'
	}
	fields = split(func(c rune) bool { return c == separator })
	if len(fields) > 1 && strings.TrimSpace(fields[len(fields)-1]) == "" { // (0, 1,)
		fields = fields[:len(fields)-1]
	}
	if len(fields) == 1 {
		fields = slices.DeleteFunc(split(unicode.IsSpace), func(field string) bool { return field == "" })
	}
	for k, field := range fields {
		fields[k] = pythonText(field)
	}
	return fields
}

// scalar is how numpy prints a number or a text on its own.
var scalar = regexp.MustCompile(`^(?:np|numpy)\.\w+\((.*)\)$`)

// pythonText returns a value that Python has printed as Python's str gives it: without quotation marks.
func pythonText(value string) string {
	value = strings.TrimSpace(value)
	if inside := scalar.FindStringSubmatch(value); inside != nil {
		value = inside[1]
	}
	if last := len(value) - 1; last > 0 && (value[0] == '\'' || value[0] == '"') && value[last] == value[0] {
		return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`).Replace(value[1:last])
	}
	return value
}

// triple is a line of N-Triples or N-Quads.
var triple = regexp.MustCompile(`^(<[^>]*>|_:\S+)\s+(<[^>]*>)\s+(<[^>]*>|_:\S+|".*"\S*)(?:\s+(?:<[^>]*>|_:\S+))?\s*\.$`)

// triples returns the subject, the predicate and the object of a line of N-Triples; nothing if the object is
// a text.
func triples(line string) [][]string {
	terms := triple.FindStringSubmatch(line)
	if terms == nil {
		return [][]string{{line}}
	}
	if strings.HasPrefix(terms[3], `"`) {
		return nil
	}
	fields := terms[1:4]
	for k, term := range fields {
		fields[k] = strings.TrimSuffix(strings.TrimPrefix(term, "<"), ">")
	}
	return [][]string{fields}
}

// dimacs is a line of DIMACS: a comment, the problem, a node, or an edge, which has a letter before two
// numbers, or none in PACE's form. dimacsProblem and dimacsEdge are two of these.
var (
	dimacs        = regexp.MustCompile(`^(?:c|c\s.*|p\s+\w+\s.*|[ns]\s+\d+\s+\S+|v\s+\d+\s.*|(?:[ae]\s+)?\d+\s+\d+(?:\s+[-+.\deE]+)?)$`)
	dimacsProblem = regexp.MustCompile(`^p\s+\w+\s+\d+\s+\d+`)
	dimacsEdge    = regexp.MustCompile(`^([ae]?)\s*\b(\d+)\s+(\d+)(?:\s+([-+.\deE]+))?$`)
)

// startDIMACS is [lineShape].start of DIMACS: a line says the problem, or all lines are edges with the same
// letter before them; and all edges have the same number of fields.
func startDIMACS(lines []string) func(string) [][]string {
	k := slices.IndexFunc(lines, dimacsEdge.MatchString)
	if k < 0 {
		return nil
	}
	first := dimacsEdge.FindStringSubmatch(lines[k])
	isSaid := slices.ContainsFunc(lines, dimacsProblem.MatchString)
	if !isSaid && first[1] == "" {
		return nil
	}
	for _, line := range lines {
		edge := dimacsEdge.FindStringSubmatch(line)
		if edge == nil && !isSaid || edge != nil && (edge[1] != first[1] || (edge[4] == "") != (first[4] == "")) {
			return nil
		}
	}
	return func(line string) [][]string {
		edge := dimacsEdge.FindStringSubmatch(line)
		switch {
		case edge == nil && dimacs.MatchString(line):
			return nil
		case edge == nil:
			return [][]string{{line}}
		case first[4] == "":
			return [][]string{edge[2:4]}
		}
		return [][]string{edge[2:]}
	}
}

// arrow is what may stand between two ends.
var arrow = regexp.MustCompile(`\s*(?:<?-{1,2}>|<-{1,2}|<?=>|→|↔|←|⟶)\s*|\s+--\s+`)

// isArrow reports whether a line has one arrow, between two ends.
func isArrow(line string) bool {
	found := arrow.FindAllStringIndex(line, 2)
	if len(found) != 1 || strings.ContainsAny(line, "[{") {
		return false
	}
	source, target := line[:found[0][0]], line[found[0][1]:]
	return source != "" && target != "" && !strings.ContainsAny(source, ",;|\t") && strings.IndexByte(",;|\t", target[0]) < 0
}

// startArrows is [lineShape].start of a -> b. A number may follow, after a comma, a tab, a colon or a space.
func startArrows(lines []string) func(string) [][]string {
	weighted := 0
	for _, line := range lines {
		source, target := cutArrow(line)
		switch {
		case weight.MatchString(target) && !(strings.Contains(source, " ") && endsInSpace.MatchString(target)):
			weighted++
		case strings.ContainsAny(target, ",|\t"), !strings.ContainsAny(line, " \t") && strings.Contains(target, " "):
			return nil // columns, and an arrow in a word
		}
	}
	hasWeights := weighted == len(lines)
	return func(line string) [][]string {
		if !isArrow(line) {
			return [][]string{{line}}
		}
		source, target := cutArrow(line)
		record := []string{pythonText(source), pythonText(target)}
		if found := weight.FindStringSubmatch(target); hasWeights && found != nil {
			record = []string{record[0], pythonText(found[1]), found[2]}
		}
		return [][]string{record}
	}
}

// weight is a target and a number after it. endsInSpace says that a space is before the number, as in a name
// of two words.
var (
	endsInSpace = regexp.MustCompile(`[^,\t: ] +\S+$`)
	weight      = regexp.MustCompile(`^(.*[^\s,:])(?:\s*[,:]\s*|\s+)(\d[\d.eE+-]*)$`)
)

// cutArrow returns what is before and after the arrow of a line, without a semicolon at the end.
func cutArrow(line string) (source, target string) {
	place := arrow.FindStringIndex(line)
	if place == nil {
		return line, ""
	}
	return line[:place[0]], strings.TrimSpace(strings.TrimSuffix(line[place[1]:], ";"))
}
