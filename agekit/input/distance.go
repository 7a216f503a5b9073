package input

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// farWords are words in the names of columns in which a large number means far apart:
// distances, costs, lengths and times, in English, German, French, Spanish, Italian and Portuguese. The first
// one is the beginning of a word in all of these.
var farWords = []string{
	"distan", "dist", "cost", "length", "len", "duration", "travel", "traveltime", "time", "minutes", "seconds", "hours", "delay", "latency", "hops", "meters", "metres", "miles", "km",
	"entfernung", "abstand", "kosten", "länge", "laenge", "dauer", "fahrzeit", "reisezeit", "zeit",
	"coût", "cout", "longueur", "durée", "duree", "temps", "costo", "coste", "longitud", "duración", "duracion", "tiempo", "lunghezza", "durata", "tempo", "custo", "comprimento", "duração", "duracao",
}

// meansFar reports whether the name of a column says that a large number in it means far apart.
func meansFar(name string) bool { return farRank(name) < len(farWords) }

// farRank returns the place among the far words of the first one in the name of a column, and how many there are if
// it has none.
func farRank(name string) int {
	var spaced strings.Builder // the name with a space before each capital after a small letter
	previous := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(previous) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		previous = r
	}
	rank := len(farWords)
	for _, word := range strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if k := slices.Index(farWords, word); k >= 0 {
			rank = min(rank, k)
		} else if strings.HasPrefix(word, farWords[0]) {
			rank = 0
		}
	}
	return rank
}

// hintOfWeights returns a warning that the edges in the file at path have no weights, while columns have
// positive numbers, which might be some.
func (e *edgeInfo) hintOfWeights(path string) table.Warning {
	var quoted []string
	for _, name := range e.positive {
		quoted = append(quoted, message.Quote(name))
	}
	columns := strings.Join(quoted, ", ")
	far := -1 // the column whose name says it most plainly
	for k, name := range e.positive {
		if meansFar(name) && (far < 0 || farRank(name) < farRank(e.positive[far])) {
			far = k
		}
	}
	if far < 0 || !meansFar(e.positive[0]) {
		m := message.Sprintf("%s: no weights: column %s has positive numbers", path, columns).Advise("%s uses them", edgeWeight, quoted[0])
		if far > 0 {
			m = m.Advise("%s, where a large number means far apart, uses their reciprocals", edgeWeight, message.Quote(reciprocalOf+e.positive[far]))
		}
		return m
	}
	m := message.Sprintf("%s: no weights: column %s has positive numbers, of which by the name a large one means far apart, while a large weight means close", path, columns)
	return m.Advise("%s uses their reciprocals", edgeWeight, message.Quote(reciprocalOf+e.positive[far]))
}
