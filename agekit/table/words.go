package table

import "strings"

// Words collects the words of a column, each of which it keeps once.
type Words struct {
	codes  []int32
	values []string
	index  map[string]int32
}

// Add appends a word, without the white space around it, or a missing value if the
// word stands for one ([IsMissing]).
func (w *Words) Add(word string) {
	word = strings.TrimSpace(word)
	if IsMissing(word) {
		w.codes = append(w.codes, -1)
		return
	}
	code, ok := w.index[word]
	if !ok {
		if w.index == nil {
			w.index = map[string]int32{}
		}
		word = strings.Clone(word) // it may be a part of a long line
		code = int32(len(w.values))
		w.index[word], w.values = code, append(w.values, word)
	}
	w.codes = append(w.codes, code)
}

// set sets the word of a row, the last one; the rows that were left out since the
// word before are missing.
func (w *Words) set(row int, word string) {
	w.pad(row)
	w.codes = w.codes[:row]
	w.Add(word)
}

// pad appends missing values up to a number of rows.
func (w *Words) pad(rows int) {
	for len(w.codes) < rows {
		w.codes = append(w.codes, -1)
	}
}

// Column returns the column, in which words remain words even if all are numbers.
func (w *Words) Column(name string) Column {
	return Column{Name: name, Codes: w.codes, Values: w.values}
}
