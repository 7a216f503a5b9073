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

// style is how a file writes its table.
type style struct {
	Options
	separator rune
	header    bool
	names     []string   // of the columns; empty strings without a header
	headless  bool       // nothing but the lines says that there is no header
	guessed   string     // a line that is no UTF-8, and is read as Windows-1252
	sample    [][]string // the first rows after the header
}

// isComment reports whether a record is a comment ([Options].Verbatim).
func (s *style) isComment(record []string) bool {
	text, ok := strings.CutPrefix(record[0], "#")
	if s.Verbatim || !ok {
		return false
	}
	return text == "" || text[0] == ' ' || text[0] == '\t' || text[0] == '#' || len(record) != len(s.names)
}

func (s style) note() string {
	separated := map[rune]string{',': "comma", '\t': "tab", ';': "semicolon", '|': "bar", ' ': "space"}[s.separator] + "-separated"
	if !s.header {
		return fmt.Sprintf("%s, no header, %d columns", separated, len(s.names))
	}
	return message.Shorten(fmt.Sprintf("%s, header %s", separated, strings.Join(s.names, ", ")))
}

// tidy returns the fields of a record: without the empty ones between spaces that align
// columns, and, in a table of pairs, with the weight in place of the attributes of an edge
// that begin its third field, as NetworkX writes it. Lost are these attributes, "" if there is none but the weight.
func (s *style) tidy(record []string) (fields []string, lost string) {
	if s.separator == ' ' {
		if slices.ContainsFunc(record, func(field string) bool { return strings.Contains(field, "\t") }) { // it separates too
			record = strings.Split(strings.Join(record, "\t"), "\t")
		}
		record = slices.DeleteFunc(record, func(field string) bool { return field == "" })
	}
	last := len(record) - 1
	if !s.Pairs || last < 2 || !strings.HasPrefix(record[2], "{") || !strings.HasSuffix(record[last], "}") {
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

// sniffed and sniffedRows are the bytes and records of a file that tell its style.
const (
	sniffed     = 1 << 18
	sniffedRows = 1000
)

// sniff detects how a file is written.
func sniff(r io.Reader, o Options) (s style, err error) {
	s.Options = o
	head, err := s.decodedBeginning(r)
	if err != nil {
		return s, err
	}
	records, err := s.separate(head)
	if err != nil {
		return s, err
	}
	s.header = s.hasHeader(records, o)
	s.headless = !s.header && o.Header == nil
	s.names = make([]string, len(records[0]))
	if s.header {
		for k, name := range records[0] {
			name = unguarded(name)
			if s.names[k] = name; !o.Verbatim {
				s.names[k] = strings.TrimSpace(name)
			}
		}
		records = records[1:]
	}
	s.sample = slices.DeleteFunc(records, func(r []string) bool { return len(r) != len(s.names) })
	return s, nil
}

// decodedBeginning returns the first lines of a file in UTF-8. A text in another encoding is taken
// for Windows-1252, and s.guessed is set to the line that shows it.
func (s *style) decodedBeginning(r io.Reader) ([]byte, error) {
	head, whole, err := beginning(readfile.Text(r))
	if err != nil {
		return nil, err
	}
	if k := bytes.IndexByte(head, 0); k >= 0 {
		return nil, fmt.Errorf("line %d contains a NUL byte, as in UTF-16 text or a binary file: want UTF-8 text", 1+bytes.Count(head[:k], []byte("\n")))
	}
	if !whole { // the last line may be incomplete
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	if utf8.Valid(head) {
		return head, nil
	}
	bad := slices.IndexFunc(bytes.Split(head, []byte("\n")), func(line []byte) bool { return !utf8.Valid(line) })
	head, _ = charmap.Windows1252.NewDecoder().Bytes(head) // which takes all bytes
	s.guessed = fmt.Sprintf("line %d, %s", 1+bad, message.Quote(bytes.Split(head, []byte("\n"))[bad]))
	return head, nil
}

// separators returns the characters that may separate the columns of a file with that beginning, in
// the order in which they are tried.
func (s *style) separators(head []byte) []rune {
	stated := separatorLine(head)
	switch {
	case s.Separator != 0:
		return []rune{s.Separator}
	case stated != 0:
		return []rune{stated}
	case s.Pairs && attributesAfterSpace.Match(head):
		return []rune{' '}
	}
	return []rune{',', '\t', ';', '|', ' '}
}

// separate sets the separator to the one that makes a table with the most columns, and returns the
// first records. A space separates pairs alone, and only if no other character does.
func (s *style) separate(head []byte) (records [][]string, err error) {
	separators := s.separators(head)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	const perColumn = 500 // bytes
	columns := 0
	for _, separator := range separators {
		columns = max(columns, bytes.Count(line, []byte(string(separator))))
	}
	if err := system.CheckMemory("the columns of a table", float64(perColumn*columns)); err != nil {
		return nil, err
	}
	for _, separator := range separators {
		if separator == ' ' && (records != nil || !s.Pairs) {
			break
		}
		found := s.firstRecords(head, separator)
		if isTable(found) && (records == nil || len(found[0]) > len(records[0])) {
			records, s.separator = found, separator
		}
	}
	if records != nil {
		return records, nil
	}
	// It has one column, or is damaged, about which reading it will say more.
	s.separator = separators[0]
	if k := slices.IndexFunc(separators, func(r rune) bool { return bytes.ContainsRune(line, r) }); s.Pairs && k >= 0 {
		s.separator = separators[k]
	}
	if records = s.firstRecords(head, s.separator); len(records) == 0 {
		return nil, ErrNoLines
	}
	return records, nil
}

// ErrNoLines is the error about a text without a row.
var ErrNoLines = errors.New("no lines: want a table")

// different returns an error if two columns have the same name.
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

// beginning returns the first 256 kB of a file, or two lines, and whether that is all.
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

// firstRecords returns the records at the beginning of a file that can be parsed. Comments
// before the first row say nothing about the number of fields.
func (s style) firstRecords(head []byte, separator rune) (records [][]string) {
	s.separator = separator
	s.guessed = "" // the beginning is decoded
	r, _, _ := s.reader(bytes.NewReader(head))
	fields, hashed := map[int]int{}, map[int]int{} // records with so many; those that begin with #
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
	if len(fields) == 0 { // all ids begin so, and the name of their column
		fields = hashed
	}
	most := 1
	for count, times := range fields {
		if times > fields[most] || times == fields[most] && count > most {
			most = count
		}
	}
	s.names = make([]string, most)
	return slices.DeleteFunc(records, s.isComment)
}

// isEmpty reports whether a record of several fields has nothing in them, as spreadsheets
// write rows that are not used.
func isEmpty(record []string) bool {
	return len(record) != 1 && !slices.ContainsFunc(record, func(field string) bool { return strings.TrimSpace(field) != "" })
}

// isTable reports whether records have the same number of fields, two or more.
func isTable(records [][]string) bool {
	return len(records) > 0 && !slices.ContainsFunc(records, func(r []string) bool { return len(r) < 2 || len(r) != len(records[0]) })
}

// reader returns a reader of the records, and the text that it reads, after a line that says the
// separator and comments at the beginning, whose lines it counts.
func (s style) reader(r io.Reader) (c *csv.Reader, text *bufio.Reader, skipped int) {
	text = readfile.Text(r)
	if s.guessed != "" {
		text = bufio.NewReader(charmap.Windows1252.NewDecoder().Reader(text))
	}
	for !s.Verbatim {
		begin, _ := text.Peek(8)
		comment := len(begin) > 1 && strings.IndexByte("#%", begin[0]) >= 0 && strings.IndexByte(" \t\r\n#%", begin[1]) >= 0
		if !comment && (skipped > 0 || separatorLine(begin) == 0) {
			break
		}
		for more := true; more; { // also for lines that are longer than the buffer
			_, err := text.ReadSlice('\n')
			more = errors.Is(err, bufio.ErrBufferFull)
		}
		skipped++
	}
	c = csv.NewReader(text) // without a buffer of its own
	c.Comma, c.FieldsPerRecord = s.separator, -1
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
