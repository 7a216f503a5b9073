package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

// texts bounds the texts of a file. Rows that share a text have it once in the file, in a dictionary, and
// many times as text: a file of 2 kB could ask for hundreds of gigabytes.
type texts struct {
	size  int64 // of the file, in bytes
	most  int64 // how many bytes all texts may have, those that rows share counted for each row
	bytes int64 // how many they have so far
}

// newTexts returns the bound for a file of a size in bytes: what an archive of that size may unpack to.
func newTexts(size int64) *texts { return &texts{size: size, most: int64(mostTexts(size))} }

// mostTexts, and the length of the longest text in bytes, that of a line of text, are variables for tests.
var (
	mostTexts         = readfile.Unpacked
	longestText int64 = readfile.LongestLine
)

// add counts the texts among the values of a row in a column. It looks at no text, and returns an error if there
// are too many bytes.
func (t *texts) add(values []parquet.Value) error {
	for _, v := range values {
		if kind := v.Kind(); v.IsNull() || kind != parquet.ByteArray && kind != parquet.FixedLenByteArray {
			continue
		}
		n := int64(len(v.ByteArray()))
		if n > longestText {
			return fmt.Errorf("a text of %d bytes: want at most %d", n, longestText)
		}
		if t.bytes += n; t.bytes > t.most {
			return fmt.Errorf("rows share texts: all texts have more than %d bytes, in a file of %d: want at most so many", t.most, t.size)
		}
	}
	return nil
}

// count counts the texts of a row in the columns of the builders, and names the column in an error.
func (t *texts) count(columns []*builder, row [][]parquet.Value) error {
	for k, c := range columns {
		if err := t.add(row[k]); err != nil {
			return fmt.Errorf("column %s: %w", message.Quote(c.name), err)
		}
	}
	return nil
}

// shared holds the long texts of a batch of rows by where they lie in memory. Rows that share a text have it
// at the same place, as long as they are in one batch.
type shared map[place]*sharedText

// place is where a text lies in memory.
type place struct {
	first *byte
	bytes int
}

// sharedText is a text that was read before.
type sharedText struct {
	word    string
	code    int32 // of the word in its column
	hasCode bool
}

// long is the length in bytes from which texts are shared: others are read as fast as they are looked up.
const long = 256

// text returns the text of a value that is a long one, which it reads by word if no row of the batch had it;
// nil for other values.
func (s shared) text(v parquet.Value, word func(parquet.Value) string) *sharedText {
	if kind := v.Kind(); kind != parquet.ByteArray && kind != parquet.FixedLenByteArray {
		return nil
	}
	b := v.ByteArray()
	if len(b) < long {
		return nil
	}
	key := place{&b[0], len(b)}
	if s[key] == nil {
		s[key] = &sharedText{word: word(v)}
	}
	return s[key]
}

// addWord appends a value to the words of the column. The code of a text that an earlier row of the batch has
// is not looked up again.
func (b *builder) addWord(v parquet.Value) {
	t := b.shared.text(v, b.word)
	switch {
	case t == nil:
		b.words.AddWord(b.word(v))
	case t.hasCode:
		b.words.Codes = append(b.words.Codes, t.code)
	default:
		b.words.AddWord(t.word)
		t.code, t.hasCode = b.words.Codes[len(b.words.Codes)-1], true
	}
}

// sharedWord returns the word of a value, whose memory the rows of a batch share.
func (b *builder) sharedWord(v parquet.Value) string {
	if t := b.shared.text(v, b.word); t != nil {
		return t.word
	}
	return b.word(v)
}

// checkRows returns an error if a footer claims more rows than an archive of the file's size in bytes may unpack
// to bytes: rows that are equal take next to none.
func checkRows(footer *format.FileMetaData, size int64) error {
	rows := float64(0) // claims may be too large for an integer
	for _, g := range footer.RowGroups {
		rows += max(0, float64(g.NumRows))
	}
	if most := mostTexts(size); max(rows, float64(footer.NumRows)) > float64(most) {
		return fmt.Errorf("%.0f rows in %d bytes: want at most %d", max(rows, float64(footer.NumRows)), size, most)
	}
	return nil
}
