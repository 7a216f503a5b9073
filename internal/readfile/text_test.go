package readfile_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agekit/age/internal/readfile"
)

// TestText: byte-order marks are left out, UTF-16 becomes UTF-8, and \r becomes \n where no \n is in the first
// 64 KB. Other texts, and bytes that are no UTF-8, stay as they are.
func TestText(t *testing.T) {
	for text, want := range map[string]string{ // é in UTF-16 is 0x00e9
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
		got, err := io.ReadAll(readfile.Text(iotest.HalfReader(strings.NewReader(text))))
		if err != nil || string(got) != want {
			t.Errorf("%.20q: %.40q (%v), want %.40q", text, got, err, want)
		}
	}
}

// TestParseFloat: decimal numbers in all their forms are parsed. Other texts, and numbers that are not finite as
// float32, are errors, which show only the beginning of a long text.
func TestParseFloat(t *testing.T) {
	for text, want := range map[string]float32{"0": 0, "-0": 0, "-2.5": -2.5, "+1.5": 1.5, ".5": 0.5, "1.": 1, "2e-3": 0.002, "3.4028235e38": 3.4028235e38, "1e-60": 0} {
		if got, err := readfile.ParseFloat([]byte(text)); err != nil || got != want {
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
		if _, err := readfile.ParseFloat([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.20s: error %v, want %s", text, err, want)
		}
	}
}
