package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
	"github.com/agekit/age/internal/system"
)

// style says how a text file writes its table: what the options of the reader say, and what was detected.
type style struct {
	Options
	separator rune
	extent
	rewrite  func() func(line string) [][]string // starts to rewrite lines that are no fields between separators ([lineShape]); nil if there are none
	before   int                                 // how many records, of titles, a header and the like, come before the first row
	header   bool                                // the columns have names
	names    []string                            // the names of the columns; empty strings without a header
	headless bool                                // there is no header, which the lines show and no option says
	said     []Warning                           // about what comes before the first row, and how lines are read
	guessed  string                              // the first line that is no UTF-8, if the text is taken for Windows-1252; else ""
	sample   [][]string                          // the first rows after the header
}

// isComment reports whether a record is a comment, by the rule at [Options].Verbatim.
func (s *style) isComment(record []string) bool {
	text, ok := strings.CutPrefix(record[0], "#")
	if s.Verbatim || !ok {
		return false
	}
	return text == "" || strings.IndexByte(" \t#", text[0]) >= 0 || len(record) != len(s.names)
}

// note returns a note about the separator and the header.
func (s style) note() string {
	separated := map[rune]string{',': "comma", '\t': "tab", ';': "semicolon", '|': "bar", ' ': "space"}[s.separator] + "-separated"
	if s.rewrite != nil {
		separated = "a pair in each line"
	}
	if !s.header {
		return fmt.Sprintf("%s, no header, %d columns", separated, len(s.names))
	}
	return message.Shorten(fmt.Sprintf("%s, header %s", separated, strings.Join(s.names, ", ")))
}

// tidy returns the fields of a record, tidied in two ways. If spaces separate the fields, it drops the empty
// fields between spaces that align columns. In a table of pairs, it replaces the attributes of an edge in
// braces, which NetworkX writes after the two ends, by the weight among them, 1 if there is none. If there
// are other attributes than the weight, lost is the text of all of them; else lost is "".
func (s *style) tidy(record []string) (fields []string, lost string) {
	if s.separator == ' ' {
		if slices.ContainsFunc(record, func(field string) bool { return strings.Contains(field, "\t") }) { // tabs separate too
			record = strings.Split(strings.Join(record, "\t"), "\t")
		}
		record = slices.DeleteFunc(record, func(field string) bool { return field == "" })
	}
	last := len(record) - 1
	if !s.Pairs || last < 2 {
		return record, ""
	}
	// The separator may be in the attributes too, which then are several fields.
	if !strings.HasPrefix(record[2], "{") || !strings.HasSuffix(record[last], "}") {
		return record, ""
	}
	weight, attributes := "1", strings.Join(record[2:], string(s.separator))
	if found := weightAttribute.FindStringSubmatch(attributes); found != nil {
		weight = found[1]
	}
	if strings.Trim(weightAttribute.ReplaceAllString(attributes, ""), "{}, ") != "" {
		lost = attributes
	}
	return append(record[:2], weight), lost
}

// NetworkX writes an edge and its attributes as in a b {'weight': 9.0, 'kind': 'friend'}.
var (
	attributesAfterSpace = regexp.MustCompile(`(?m)^[^#%,;|\t{]+ \{.*\}\r?$`)
	weightAttribute      = regexp.MustCompile(`['"]weight['"]: *([^,}]+)`)
)

// sniffed is how many bytes at the beginning of a file tell its style, and sniffedRows is how many records
// of these at most.
const (
	sniffed     = 1 << 18
	sniffedRows = 1000
)

// sniff reads the beginning of a file of a size in bytes from r, and returns how the file is written, as far
// as the options do not say so.
func sniff(r io.Reader, size int64, o Options) (s style, err error) {
	s.Options = o
	head, whole, err := s.decodedBeginning(r)
	if err != nil {
		return s, err
	}
	s.extent = extentOf(head, whole, size)
	s.findLineShape(head)
	records, fields, err := s.separate(head)
	if err != nil {
		return s, err
	}
	s.readBefore(records, fields)
	s.sample = slices.DeleteFunc(records[min(s.before, len(records)):], func(r []string) bool { return len(r) != len(s.names) })
	return s, nil
}

// setNames sets the names of the columns to the fields of a header.
func (s *style) setNames(header []string) {
	s.header = true
	s.names = make([]string, len(header))
	for k, name := range header {
		name = unguarded(name)
		if s.names[k] = name; !s.Verbatim {
			s.names[k] = strings.TrimSpace(name)
		}
	}
}

// decodedBeginning returns the first lines that r has, in UTF-8, and whether these are all. If they are not in UTF-8, they are taken
// for Windows-1252, and s.guessed is set to the first line that is no UTF-8, with its number. A NUL byte is
// an error.
func (s *style) decodedBeginning(r io.Reader) (head []byte, whole bool, err error) {
	head, whole, err = beginning(readfile.Text(r))
	if err != nil {
		return nil, false, err
	}
	if k := bytes.IndexByte(head, 0); k >= 0 {
		return nil, false, fmt.Errorf("line %d contains a NUL byte, as in UTF-16 text or a binary file: want UTF-8 text", 1+bytes.Count(head[:k], []byte("\n")))
	}
	if !whole { // the last line may be incomplete
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	if utf8.Valid(head) {
		return head, whole, nil
	}
	bad := slices.IndexFunc(bytes.Split(head, []byte("\n")), func(line []byte) bool { return !utf8.Valid(line) })
	head, _ = charmap.Windows1252.NewDecoder().Bytes(head) // which takes all bytes
	s.guessed = fmt.Sprintf("line %d, %s", 1+bad, message.Quote(bytes.Split(head, []byte("\n"))[bad]))
	return head, whole, nil
}

// separators returns the characters that may separate the columns of a file whose beginning is head, in the
// order in which they are tried. It is one alone if an option or the text says it.
func (s *style) separators(head []byte) []rune {
	stated := separatorLine(head)
	switch {
	case s.rewrite != nil: // which are rewritten so
		return []rune{','}
	case s.Separator != 0:
		return []rune{s.Separator}
	case stated != 0:
		return []rune{stated}
	case s.Pairs && attributesAfterSpace.Match(head):
		return []rune{' '}
	}
	return []rune{',', '\t', ';', '|', ' '}
}

// separate sets s.separator to the separator that makes a table with the most columns of head, the
// beginning of a file, and returns its first records, and how many fields most of them have. A space is tried only for pairs, and only if no other
// separator makes a table.
func (s *style) separate(head []byte) (records [][]string, fields int, err error) {
	separators := s.separators(head)
	line, _, _ := bytes.Cut(head, []byte("\n")) // the first one
	const perColumn = 500                       // about the bytes that a reader keeps for each column
	columns := 0                                // at most
	for _, separator := range separators {
		columns = max(columns, bytes.Count(line, []byte(string(separator))))
	}
	if err := system.CheckMemory("the columns of a table", float64(perColumn*columns)); err != nil {
		return nil, 0, err
	}
	allRows := false // the first record has as many fields as the others
	for _, separator := range separators {
		if separator == ' ' && (records != nil || !s.Pairs) {
			break
		}
		found, most := s.firstRecords(head, separator)
		if !s.isTable(found, most) {
			continue
		}
		// A separator that makes all lines rows is better than one that makes titles of some.
		if all := len(found[0]) == most; records == nil || all && !allRows || all == allRows && most > fields {
			records, s.separator, fields, allRows = found, separator, most, all
		}
	}
	if records != nil {
		return records, fields, nil
	}
	// The file has one column; or it is damaged, and the error of reading it will say how.
	s.separator = separators[0]
	if k := slices.IndexFunc(separators, func(r rune) bool { return bytes.ContainsRune(line, r) }); s.Pairs && k >= 0 {
		s.separator = separators[k]
	}
	if records, _ = s.firstRecords(head, s.separator); len(records) == 0 {
		return nil, 0, ErrNoLines
	}
	return records, len(records[0]), nil
}

// ErrNoLines is the error about a text without a row.
var ErrNoLines = errors.New("no lines: want a table")

// different returns an error if two columns have the same name, other than "".
func (s style) different() error {
	first := make(map[string]int, len(s.names))
	for k, name := range s.names {
		if j, twice := first[name]; twice && name != "" {
			return fmt.Errorf("columns %d and %d are both named %s: want different names", j+1, k+1, message.Quote(name))
		}
		first[name] = k
	}
	return nil
}

// beginning returns the beginning of f, the first 256 kB, and whether that is all of f. If the first two
// lines are longer, it returns more, up to the length of the longest line that is allowed; a first line
// that is longer still is an error.
func beginning(f io.Reader) (head []byte, whole bool, err error) {
	for size := int64(sniffed); ; size *= 4 {
		more, err := io.ReadAll(io.LimitReader(f, size-int64(len(head))))
		head = append(head, more...)
		if err != nil || int64(len(head)) < size {
			return head, true, err
		}
		switch lines := bytes.Count(head, []byte("\n")); {
		case lines == 0 && size >= readfile.LongestLine:
			return nil, false, fmt.Errorf("line 1 has more than %d bytes", readfile.LongestLine)
		case lines > 1 || size >= readfile.LongestLine:
			return head, false, nil
		}
	}
}

// firstRecords returns the first records in the beginning of a file, up to the first that cannot be
// parsed with the separator, without comments, and the number of fields that most records have. It takes that
// for the number of columns, by which comments are told from rows that begin with #.
func (s style) firstRecords(head []byte, separator rune) (records [][]string, most int) {
	s.separator = separator
	s.guessed = "" // the beginning is decoded
	r, _, _ := s.reader(bytes.NewReader(head))
	// How many records have a number of fields: those that begin with # apart, which may be comments.
	fields, hashed := map[int]int{}, map[int]int{}
	for len(records) < sniffedRows {
		record, err := r.Read()
		if err != nil {
			break
		}
		if record, _ = s.tidy(record); isEmpty(record) {
			continue
		}
		records = append(records, record)
		if strings.HasPrefix(record[0], "#") {
			hashed[len(record)]++
		} else {
			fields[len(record)]++
		}
	}
	if len(fields) == 0 { // all ids begin with #, and so does the name of their column
		fields = hashed
	}
	most = 1 // of those that are there equally often, the largest
	for count, times := range fields {
		if times > fields[most] || times == fields[most] && count > most {
			most = count
		}
	}
	s.names = make([]string, most)
	return slices.DeleteFunc(records, s.isComment), most
}

// isEmpty reports whether a record has several fields, or none, with nothing but spaces in them, as
// spreadsheets write rows that are not used. A single empty field is a missing value.
func isEmpty(record []string) bool {
	return len(record) != 1 && !slices.ContainsFunc(record, func(field string) bool { return strings.TrimSpace(field) != "" })
}

// isTable reports whether there are records, and all have the same number of fields, two or more, but perhaps
// a few at the beginning that are no rows (see [style.readBefore]).
func (s *style) isTable(records [][]string, fields int) bool {
	if len(records) == 0 || fields < 2 {
		return false
	}
	records = records[s.linesBefore(records, fields):]
	if s.isShortHeader(records, fields) {
		records = records[1:]
	}
	return len(records) > 0 && !slices.ContainsFunc(records, func(r []string) bool { return len(r) != fields })
}

// reader returns a reader c of the records in r, and the text that c reads from. It has already skipped a
// first line that says the separator, and comments at the beginning; skipped is how many lines these are.
func (s style) reader(r io.Reader) (c *csv.Reader, text *bufio.Reader, skipped int) {
	text = readfile.Text(r)
	if s.guessed != "" {
		text = bufio.NewReader(charmap.Windows1252.NewDecoder().Reader(text))
	}
	for !s.Verbatim {
		begin, _ := text.Peek(len(`"sep=;"` + "\n"))
		isComment := len(begin) > 1 && strings.IndexByte("#%", begin[0]) >= 0 && strings.IndexByte(" \t\r\n#%", begin[1]) >= 0
		if !isComment && (skipped > 0 || separatorLine(begin) == 0) {
			break
		}
		for more := true; more; { // also for lines that are longer than the buffer
			_, err := text.ReadSlice('\n')
			more = errors.Is(err, bufio.ErrBufferFull)
		}
		skipped++
	}
	if s.rewrite != nil {
		text = bufio.NewReader(newRewriter(text, s.rewrite()))
	}
	c = csv.NewReader(text) // which uses the buffer of text, and has none of its own
	c.Comma, c.FieldsPerRecord = s.separator, -1
	// Where tabs separate, quotation marks are mostly part of the text, as in biological databases.
	c.LazyQuotes = s.separator == '\t'
	return c, text, skipped
}

// separatorLine returns the separator that the first line of a text says, as in Excel's
// sep=; and 0 if it says none.
func separatorLine(text []byte) rune {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	stated, ok := strings.CutPrefix(strings.ToLower(strings.Trim(string(line), "\"\r")), "sep=")
	if separator, size := utf8.DecodeRuneInString(stated); ok && size == len(stated) && strings.ContainsRune(",;|\t", separator) {
		return separator
	}
	return 0
}
