package readfile

import (
	"strings"
	"unicode/utf8"
)

// Names of files are bytes, and those of old disks may be no UTF-8: M\xfcller and M\xf6ller of Latin-1.
// JSON would make both the same text.

// byteRunes + b is the rune that stands for a byte b of 0x80 and more that is no UTF-8: the last runes of
// Unicode's last plane for private use, which hardly a name has.
const byteRunes = 0x10ff00

// isByteRune reports whether a rune stands for a byte.
func isByteRune(r rune) bool { return r >= byteRunes+utf8.RuneSelf }

// PathText returns a text in UTF-8 from which [TextPath] makes the path again, whatever bytes it has. A path
// in UTF-8 is its own text, unless it has one of the runes that stand for bytes: it is taken for bytes.
func PathText(path string) string {
	isPlain := utf8.ValidString(path) && !strings.ContainsFunc(path, isByteRune)
	if isPlain {
		return path
	}
	var b strings.Builder
	for path != "" {
		r, size := utf8.DecodeRuneInString(path)
		if r == utf8.RuneError && size == 1 || isByteRune(r) {
			for _, c := range []byte(path[:size]) { // each of 0x80 or more
				b.WriteRune(byteRunes + rune(c))
			}
		} else {
			b.WriteString(path[:size])
		}
		path = path[size:]
	}
	return b.String()
}

// TextPath returns the path of a text of [PathText].
func TextPath(text string) string {
	if !strings.ContainsFunc(text, isByteRune) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isByteRune(r) {
			b.WriteByte(byte(r - byteRunes))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
