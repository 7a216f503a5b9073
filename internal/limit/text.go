package limit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Message is the largest number of characters of a message.
const Message = 500

// quoted is the number of bytes of a file that a message repeats.
const quoted = 60

// Quote returns text for a message: quoted like %q and, if it is long, only its
// beginning and its length.
func Quote[T ~string | ~[]byte](text T) string {
	if len(text) <= quoted {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q… (%d bytes)", text[:quoted], len(text))
}

// Shorten returns a message of at most [Message] characters. It leaves out the
// middle of a longer one, because the beginning says where and the end says what
// was expected.
func Shorten(message string) string {
	if utf8.RuneCountInString(message) <= Message {
		return message
	}
	runes := []rune(strings.ToValidUTF8(message, "�"))
	if len(runes) <= Message {
		return string(runes)
	}
	const gap = " … "
	half := (Message - len([]rune(gap))) / 2
	return string(runes[:half]) + gap + string(runes[len(runes)-half:])
}
