package files_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/limit"
)

func read(t *testing.T, r io.Reader) ([]string, error) {
	t.Helper()
	var all []string
	l := files.NewLineReader(t.Context(), r, "file")
	for l.Next() {
		all = append(all, string(l.Text()))
	}
	return all, l.Err()
}

// TestLines reads texts at once, byte by byte, and with the end together with
// the last bytes.
func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            nil,
		"\n\n":                        nil,
		"a\nb":                        {"a", "b"},
		"\ufeffa\n\ufeff":             {"a", "\ufeff"},
		"\ufeff":                      nil,
		"\ufeff\n x\t\r\n# no\n\nü y": {"x", "ü y"},
		"\ufeff# no\nyes":             {"yes"},
		"\ufffd":                      {"\ufffd"},
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			got, err := read(t, r)
			if len(want) > 0 && want[len(want)-1] == "\ufeff" {
				if err == nil || !strings.Contains(err.Error(), "file:2: a byte-order mark within the text") {
					t.Errorf("%q: error %v", text, err)
				}
			} else if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q: %q (%v), want %q", text, got, err, want)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\x00\n\x00c\x00\n\x00":             "file:2: byte 2 of the line is NUL, as in UTF-16 text or a binary file: want UTF-8 text",
		strings.Repeat("\x00", 1e5):             "file:1: byte 1 of the line is NUL",
		"a\nMalm\xf6\n":                         "file:2: byte 0xf6 at byte 5 of the text: want UTF-8",
		"\ufffd\xff":                            "file:1: byte 0xff at byte 4 of the text: want UTF-8",
		"a\rb\nc":                               `file:1: control character 0x0d at byte 2 of the text: want lines that end with \n or \r\n`,
		"a\x1b[2Jb":                             "file:1: control character 0x1b at byte 2",
		"a\nb\ufeffc":                           "file:2: a byte-order mark within the text",
		strings.Repeat("x", 65<<20):             "file:1: a line of more than 67108864 bytes",
		"a\n" + strings.Repeat("x", limit.Line): "file:2: a line of more than 67108864 bytes",
	} {
		if _, err := read(t, strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
	if _, err := read(t, iotest.ErrReader(errors.New("disk"))); err == nil || err.Error() != "file:1: disk" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l := files.NewLineReader(ctx, strings.NewReader("a"), "file"); l.Next() || !errors.Is(l.Err(), context.Canceled) {
		t.Errorf("error %v, want context.Canceled", l.Err())
	}
}

// TestNewText: marks and line ends of other programs go; what is no text stays.
func TestNewText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"a\r\nb":                                 "a\r\nb",
		"\ufeffa\nb":                             "a\nb",
		"\xff\xfea\x00\n\x00\xe9\x00":            "a\n\u00e9",
		"\xfe\xff\x00a\x00\n\x00\xe9":            "a\n\u00e9",
		"a\rb\rc":                                "a\nb\nc",
		"\xff\xfea\x00\r\x00b\x00":               "a\nb",
		"a\rb\n":                                 "a\rb\n",
		"\xffa":                                  "\xffa",
		strings.Repeat("line\r", 100_000):        strings.Repeat("line\n", 100_000),
		strings.Repeat("x", 1<<17) + "\r" + "\n": strings.Repeat("x", 1<<17) + "\r\n",
	} {
		got, err := io.ReadAll(files.NewText(iotest.HalfReader(strings.NewReader(text))))
		if err != nil || string(got) != want {
			t.Errorf("%.20q: %.40q (%v), want %.40q", text, got, err, want)
		}
	}
}

func TestBlank(t *testing.T) {
	l := files.NewLineReader(t.Context(), strings.NewReader("a\n# no\nb\n\n \n# no\nc\n\n"), "file")
	var errs []string
	for l.Next() {
		if err := l.Blank(); err != nil {
			errs = append(errs, err.Error())
		}
	}
	if want := []string{"file:5: blank line: want one line for each node"}; !slices.Equal(errs, want) {
		t.Errorf("%q, want %q", errs, want)
	}
	if got := l.Skipped(); got != " (without 2 that start with #, which are comments)" {
		t.Errorf("%q", got)
	}
}

// TestParseFloat: decimal numbers only, and messages that stay short.
func TestParseFloat(t *testing.T) {
	for text, want := range map[string]float32{"0": 0, "-0": 0, "-2.5": -2.5, "+1.5": 1.5, ".5": 0.5, "1.": 1, "2e-3": 0.002, "3.4028235e38": 3.4028235e38, "1e-60": 0} {
		if got, err := files.ParseFloat([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %v (%v), want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                       `"", want a number`,
		"x":                      `"x", want a number`,
		"0x1p-2":                 `"0x1p-2", want a number`,
		"1_000":                  `"1_000", want a number`,
		"1,5":                    `"1,5", want a number`,
		`"1"`:                    `"\"1\"", want a number`,
		"1e60":                   `"1e60", want at most 3.4028235e+38`,
		"NaN":                    `NaN, want a finite number`,
		"Infinity":               `+Inf, want a finite number`,
		"-Inf":                   `-Inf, want a finite number`,
		strings.Repeat("9", 1e6): `"` + strings.Repeat("9", 60) + `"… (1000000 bytes), want at most 3.4028235e+38`,
	} {
		if _, err := files.ParseFloat([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.20s: error %v, want %s", text, err, want)
		}
	}
}
