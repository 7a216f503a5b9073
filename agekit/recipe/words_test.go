package recipe

import (
	"slices"
	"strings"
	"testing"
)

// TestEachWord cuts texts into words, among them names of one letter and with signs, and emojis.
func TestEachWord(t *testing.T) {
	for text, want := range map[string]string{
		"C, C++ and C# (not C+ or a+b)":      "c|c++|and|c#|not|c|or|b",
		"I don't know what R's like: a 5":    "don|know|what|r|like",
		"issue#5 #tag F#":                    "issue|tag|f#",
		"\u2764\ufe0f\u2764 👍🏽👍👩\u200d💻🇩🇪🇫🇷": "\u2764|\u2764|👍🏽|👍|👩\u200d💻|🇩🇪|🇫🇷",
		"30° © x²  snake_case 12":            "30|x|snake_case|12",
		"ÜBER 我 e\u0301":                     "über|我|e\u0301",
		"":                                   "",
	} {
		var words []string
		eachWord(text, func(word string) { words = append(words, word) })
		if !slices.Equal(words, strings.FieldsFunc(want, func(r rune) bool { return r == '|' })) {
			t.Errorf("%q: %q, want %q", text, words, want)
		}
	}
}
