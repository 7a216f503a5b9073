package input

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agekit/age/agekit/table"
	"github.com/agekit/age/internal/message"
)

// farWords are words, or their beginnings, in the names of columns in which a large number means far apart:
// distances, costs, lengths and times, in English, German, French, Spanish, Italian and Portuguese.
var farWords = []string{
	"distan", "dist", "cost", "length", "len", "duration", "travel", "traveltime", "time", "minutes", "seconds", "hours", "delay", "latency", "hops", "meters", "metres", "miles", "km",
	"entfernung", "abstand", "kosten", "länge", "laenge", "dauer", "fahrzeit", "reisezeit", "zeit",
	"coût", "cout", "longueur", "durée", "duree", "temps", "costo", "coste", "longitud", "duración", "duracion", "tiempo", "lunghezza", "durata", "tempo", "custo", "comprimento", "duração", "duracao",
}

// meansFar reports whether the name of a column says that a large number in it means far apart.
func meansFar(name string) bool {
	var spaced strings.Builder // the name with a space before each capital after a small letter
	previous := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(previous) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(r)
		previous = r
	}
	words := strings.FieldsFunc(strings.ToLower(spaced.String()), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.Contains(farWords, word) || strings.HasPrefix(word, "distan")
	})
}

// hintOfWeights returns a warning that the edges in the file at path have no weights, while columns have
// positive numbers, which might be some.
func (e *edgeInfo) hintOfWeights(path string) table.Warning {
	var quoted []string
	for _, name := range e.positive {
		quoted = append(quoted, message.Quote(name))
	}
	columns := strings.Join(quoted, ", ")
	far := slices.IndexFunc(e.positive, meansFar)
	if far != 0 {
		m := message.Sprintf("%s: no weights: column %s has positive numbers", path, columns).Advise("%s uses them", edgeWeight, quoted[0])
		if far > 0 {
			m = m.Advise("%s, where a large number means far apart, uses their reciprocals", edgeWeight, message.Quote(reciprocalOf+e.positive[far]))
		}
		return m
	}
	m := message.Sprintf("%s: no weights: column %s has positive numbers, of which by the name a large one means far apart, while a large weight means close", path, columns)
	return m.Advise("%s uses their reciprocals", edgeWeight, message.Quote(reciprocalOf+e.positive[0]))
}
