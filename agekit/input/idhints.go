package input

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/agekit/age/internal/message"
)

// idForms are ways to write an id, which two files may not share. Each function returns the id in the form
// that the others have, too.
var idForms = []struct {
	name string
	form func(id string) string
}{
	{"without leading zeros", withoutZeros},
	{"without .0", func(id string) string { return strings.TrimSuffix(id, ".0") }},
	{"in lower case", strings.ToLower},
	{"without spaces", withoutSpaces},
	{"without accents in two ways", norm.NFC.String},
	{"without what is before the number", withoutPrefix},
	{"in lower case, without spaces, leading zeros and .0", func(id string) string {
		return withoutZeros(strings.TrimSuffix(strings.ToLower(withoutSpaces(id)), ".0"))
	}},
}

// withoutZeros returns an id without the zeros before its first other digit.
func withoutZeros(id string) string {
	if short := strings.TrimLeft(id, "0"); short != "" && short != id && short[0] >= '0' && short[0] <= '9' {
		return short
	}
	return id
}

// withoutSpaces returns an id without spaces of any kind, also those that have no width.
func withoutSpaces(id string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' {
			return -1
		}
		return r
	}, id)
}

// withoutPrefix returns the number at the end of an id, or the id if it has none.
func withoutPrefix(id string) string {
	short := strings.TrimRight(id, "0123456789")
	if len(short) == len(id) {
		return id
	}
	return id[len(short):]
}

// fitting says in which form most of the ids that no node has would be those of nodes, "" if there is none, and
// how many would.
func fitting(unknown []string, nodes *idTable) (best string, most int) {
	for _, f := range idForms {
		known := make(map[string]string, nodes.len()) // the id of a node in each form
		for id := range nodes.all() {
			known[f.form(id)] = id
		}
		fits, example := 0, ""
		for _, id := range unknown {
			node, ok := known[f.form(id)]
			if !ok {
				continue
			}
			if fits++; fits == 1 {
				example = fmt.Sprintf("a node has %s, where the edges have %s", message.Quote(node), message.Quote(id))
			}
		}
		if fits > most {
			best, most = fmt.Sprintf("%d of these %d would be nodes' ids %s: %s", fits, len(unknown), f.name, example), fits
		}
	}
	return best, most
}

// rounded is the form in which spreadsheets write numbers of more than eleven digits: they keep six.
var rounded = regexp.MustCompile(`^[+-]?\d([.,]\d+)?[eE]\+\d+$`)

// checkRounded returns an error if half of the ids in a column of a sample, or more, are numbers in scientific
// notation.
func checkRounded(sample [][]string, column int) error {
	count, example := 0, ""
	for _, row := range sample {
		if id := strings.TrimSpace(row[column]); rounded.MatchString(id) {
			count, example = count+1, id
		}
	}
	if count == 0 || 2*count < len(sample) {
		return nil
	}
	return fmt.Errorf("%s: %w", message.Quote(example), errRounded)
}

// errRounded is the error about ids in scientific notation.
var errRounded = errors.New("ids in this form were rounded, as spreadsheets do with long numbers, so that different ones became the same: want them from before, in a column that the spreadsheet takes for text")
