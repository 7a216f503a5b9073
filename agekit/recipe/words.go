package recipe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// eachWord calls do with each word of a text, in lower case: runs of letters, digits, marks and underscores,
// with the ++ or # after them, as in C++ and C#; and emojis, each with what changes it. A digit alone is no
// word, nor are the English a and I, nor a letter after an apostrophe, as in don't.
func eachWord(text string, do func(word string)) {
	rest := strings.ToLower(text)
	apostrophe := false // one comes before the rest
	for rest != "" {
		first, size := utf8.DecodeRuneInString(rest)
		switch {
		case inWord(first):
			end := strings.IndexFunc(rest, func(r rune) bool { return !inWord(r) })
			if end < 0 {
				end = len(rest)
			}
			size = end + signsOf(rest[end:])
			word := rest[:size]
			letter, width := utf8.DecodeRuneInString(word)
			isOne := width == len(word) // character
			if !isOne || unicode.IsLetter(letter) && !apostrophe && word != "a" && word != "i" {
				do(word)
			}
		case isEmoji(first):
			size = endOfEmoji(rest)
			do(strings.ReplaceAll(rest[:size], variation, ""))
		}
		apostrophe = first == '\'' || first == '’'
		rest = rest[size:]
	}
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// signsOf returns the length of the signs ++ or # with which the text after a word begins, if they belong to
// the word and not to a next one.
func signsOf(text string) int {
	for _, signs := range []string{"++", "#"} {
		if after, ok := strings.CutPrefix(text, signs); ok {
			if next, _ := utf8.DecodeRuneInString(after); !inWord(next) {
				return len(signs)
			}
		}
	}
	return 0
}

const (
	joiner    = "\u200d" // which makes one emoji of two
	variation = "\ufe0f" // which says that a character is shown as an emoji
)

// isEmoji reports whether a character is a pictogram.
func isEmoji(r rune) bool { return r >= 0x2600 && unicode.Is(unicode.So, r) }

// isFlagLetter reports whether a character is one of the letters of which two are a flag.
func isFlagLetter(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// endOfEmoji returns the length of the emoji with which a text begins: a pictogram with the color of a skin, tags
// and others that are joined to it, or a flag.
func endOfEmoji(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	if second, width := utf8.DecodeRuneInString(text[size:]); isFlagLetter(first) && isFlagLetter(second) {
		return size + width
	}
	for {
		next, width := utf8.DecodeRuneInString(text[size:])
		isSkin := next >= 0x1f3fb && next <= 0x1f3ff
		isTag := next >= 0xe0020 && next <= 0xe007f
		switch after, joins := strings.CutPrefix(text[size:], joiner); {
		case joins:
			joined, more := utf8.DecodeRuneInString(after)
			if !isEmoji(joined) && !strings.ContainsRune("♀♂", joined) {
				return size
			}
			size += len(joiner) + more
		case isSkin, isTag, strings.HasPrefix(text[size:], variation):
			size += width
		default:
			return size
		}
	}
}
