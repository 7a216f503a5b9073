package message

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzShorten: Shorten leaves a message of at most 500 characters as it is. Of a longer one, it keeps the
// first and the last 100 characters at least, and has no more than 500.
func FuzzShorten(f *testing.F) {
	f.Add("short")
	f.Add(strings.Repeat("ä", 499) + "…")
	f.Add(strings.Repeat("b", 300) + "\xff" + strings.Repeat("c", 300))
	f.Add(strings.Repeat("0", 98) + strings.Repeat("\xa4", 500)) // which becomes one character
	f.Fuzz(func(t *testing.T, message string) {
		got := Shorten(message)
		n := utf8.RuneCountInString(got)
		if n > Longest {
			t.Fatalf("%d characters", n)
		}
		if utf8.RuneCountInString(message) <= Longest {
			if got != message {
				t.Errorf("%q changed to %q", message, got)
			}
			return
		}
		ends := min(n, 100)
		if valid := strings.ToValidUTF8(message, "�"); !strings.HasPrefix(valid, string([]rune(got)[:ends])) || !strings.HasSuffix(valid, string([]rune(got)[n-ends:])) {
			t.Errorf("%q became %q", message, got)
		}
	})
}
