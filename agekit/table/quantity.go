package table

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SplitUnit splits a field that is a number with a unit, such as 30 kg, €30, -$1,200.50, ($5), 30% or 2.5 m/s², into
// the number, in whatever notation it is, and the unit, which may stand before the number if it is a
// currency. The unit of a field that is a number alone is "". It returns false if the field is something else,
// such as a code (A4), a rank (5th) or a range (5-10 kg).
func SplitUnit(field string) (number, unit string, ok bool) {
	field = strings.TrimSpace(noBreak.Replace(field))
	negative := strings.HasPrefix(field, "(") && strings.HasSuffix(field, ")") // as accountants write it
	if negative {
		field = field[1 : len(field)-1]
	}
	start := strings.IndexFunc(field, isDigit)
	if start < 0 {
		return "", "", false
	}
	if start > 0 && field[start-1] == '.' {
		start--
	}
	end := endOfNumber(field, start)
	before, after := strings.TrimSpace(field[:start]), strings.TrimSpace(field[end:])
	number = field[start:end]
	for _, sign := range []string{"-", "−", "+"} {
		trimmed := strings.TrimSpace(strings.Trim(before, sign))
		if trimmed == before {
			continue
		}
		if negative { // a sign and parentheses
			return "", "", false
		}
		before, negative = trimmed, sign != "+"
		break
	}
	if negative {
		number = "-" + number
	}
	isUnit := (before == "" || isCurrency(before)) && (after == "" || isUnitAfter(after, field[end:] == after))
	return number, strings.TrimSpace(before + " " + after), isUnit
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// endOfNumber returns where the number ends that begins at a place in a text: a mark belongs to the number
// if a digit follows, and so does an exponent.
func endOfNumber(text string, start int) int {
	digitAt := func(k int) bool { return k < len(text) && isDigit(rune(text[k])) }
	k := start
	for k < len(text) {
		switch c := text[k]; {
		case isDigit(rune(c)):
			k++
		case strings.IndexByte(".,' ", c) >= 0 && digitAt(k+1):
			k++
		case (c == 'e' || c == 'E') && digitAt(k+1):
			k++
		case (c == 'e' || c == 'E') && k+1 < len(text) && strings.IndexByte("+-", text[k+1]) >= 0 && digitAt(k+2):
			k += 2
		default:
			return k
		}
	}
	return k
}

// isCurrency reports whether a text is a currency: a sign, perhaps after letters, as in US$; a code of ISO
// 4217; or Rs.
func isCurrency(text string) bool {
	sign, size := utf8.DecodeLastRuneInString(text)
	if unicode.Is(unicode.Sc, sign) {
		const mostLetters = 3
		letters := text[:len(text)-size]
		return len(letters) <= mostLetters && strings.IndexFunc(letters, func(r rune) bool { return !unicode.IsUpper(r) }) < 0
	}
	if strings.TrimSuffix(text, ".") == "Rs" {
		return true
	}
	const lengthOfCode = 3
	if len(text) != lengthOfCode || text != strings.ToUpper(text) {
		return false
	}
	return strings.Contains(currencies, " "+text+" ")
}

// currencies has the codes of ISO 4217 that are in use. The tables of golang.org/x/text/currency, which have the
// old ones and the signs too, would add a quarter of a megabyte to the first page of the site.
const currencies = " AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG "

// isUnitAfter reports whether a text may be the unit of the number before it, from which no space separates
// it if it is joined: letters or a sign such as % come first, and it has a few words at most.
func isUnitAfter(text string, joined bool) bool {
	const mostWords, longest = 4, 32
	first, _ := utf8.DecodeRuneInString(text)
	isSign := strings.ContainsRune("%‰°′″/\"", first) || unicode.Is(unicode.Sc, first)
	isRank := false
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		isRank = isRank || joined && strings.HasPrefix(text, ending) && !startsWithLetter(text[len(ending):])
	}
	return (isSign || unicode.IsLetter(first)) && !isRank && len(text) <= longest && len(strings.Fields(text)) <= mostWords
}

func startsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first)
}

// Quantities are the distinct words of a column as numbers with units.
type Quantities struct {
	Values   []float64 // Values[k] is the number in the column's Values[k]; NaN if that is none
	Units    []string  // the unit of each, "" without one
	Others   []string  // the words that are no numbers
	Notation           // how the numbers are written
}

// ParseQuantities returns the numbers with units ([SplitUnit]) that the words of a column are.
func (c *Column) ParseQuantities() (q Quantities) {
	var n numerals
	numbers := make([]string, len(c.Values))
	q.Units = make([]string, len(c.Values))
	for k, word := range c.Values {
		if number, unit, ok := SplitUnit(word); ok && !IsMissing(word) {
			numbers[k], q.Units[k] = number, unit
			n.add(number)
		}
	}
	q.Notation = n.best()
	for k, word := range c.Values {
		v, ok := q.Number(numbers[k])
		if !ok {
			v, q.Units[k] = math.NaN(), ""
			q.Others = append(q.Others, word)
		}
		q.Values = append(q.Values, v)
	}
	return q
}

// Quantity returns the number of a field in the notation w, and its unit; false if the field is no number
// with or without a unit.
func (w Notation) Quantity(field string) (v float64, unit string, ok bool) {
	number, unit, ok := SplitUnit(field)
	if ok {
		v, ok = w.Number(number)
	}
	return v, unit, ok
}
