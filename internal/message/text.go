package message

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest is the largest number of characters of a message.
const Longest = 500

// longestQuote is the number of bytes of a text that a message repeats.
const longestQuote = 60

// Quote returns a text as %q prints it; of more than 60 bytes, the first ones, and how many there are.
func Quote[T ~string | ~[]byte](text T) string {
	if len(text) <= longestQuote {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q… (%d bytes)", text[:longestQuote], len(text))
}

// Printable returns text with � in place of control characters but tabs and line ends, which a
// terminal would obey.
func Printable[T ~string | ~[]byte](text T) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, string(text))
}

// longestPath is the number of characters of a path that a message repeats.
const longestPath = 200

// ShortPath returns a path for a message, without its middle if it is long.
func ShortPath(path string) string { return shorten(path, longestPath) }

// Shorten returns a message of at most [Longest] characters. It leaves out the middle of a longer one: the
// beginning says where, and the end what was expected.
func Shorten(message string) string { return shorten(message, Longest) }

// shorten returns a text of at most `most` characters: the text itself or, if it is longer, its beginning
// and its end.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	runes := []rune(strings.ToValidUTF8(text, "�"))
	if len(runes) <= most {
		return string(runes)
	}
	const gap = " … "
	half := (most - len([]rune(gap))) / 2
	return string(runes[:half]) + gap + string(runes[len(runes)-half:])
}
