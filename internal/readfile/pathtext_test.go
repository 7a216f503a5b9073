package readfile

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

// FuzzPathText: the text of a path is UTF-8, goes through JSON, and gives the path again. Paths in UTF-8 are
// their own texts.
func FuzzPathText(f *testing.F) {
	for _, path := range []string{"", "a/b.csv", "Müller", "M\xfcller", "M\xf6ller", "\xff\xfe", "a\xed\xb3\xbfb", "\U0010fffc", "\U0010ff80\xe9", "�", "\U0010fe00"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		text := PathText(path)
		written, err := json.Marshal(text)
		var read string
		if err == nil {
			err = json.Unmarshal(written, &read)
		}
		if err != nil || !utf8.ValidString(text) || TextPath(read) != path {
			t.Errorf("%q: text %q, read as %q (%v)", path, text, TextPath(read), err)
		}
	})
}

// TestPathText: two names of Latin-1 have two texts, and a name in UTF-8 is its own.
func TestPathText(t *testing.T) {
	if PathText("M\xfcller") == PathText("M\xf6ller") {
		t.Error("two names have one text")
	}
	for _, name := range []string{"Müller", "a\U0001f600", "�"} {
		if got := PathText(name); got != name {
			t.Errorf("%q: %q", name, got)
		}
	}
}
