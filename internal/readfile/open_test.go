package readfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agekit/age/internal/message"
)

// TestOpenRegular: Open returns the size of a regular file, and All its content unless it is too long. A folder,
// a device and a missing file are errors that say so.
func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "five")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, size, err := Open(path)
	if err != nil || size != 5 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	f.Close()
	if data, err := All(path, 5); string(data) != "12345" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := All(path, 4); err == nil || !strings.Contains(err.Error(), "five: 5 bytes, want at most 4") {
		t.Errorf("too long a file: %v", err)
	}
	if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is a folder: want a regular file") {
		t.Errorf("folder: %v", err)
	}
	if _, _, err := Open(os.DevNull); err == nil || !strings.Contains(err.Error(), "is a device: want") {
		t.Errorf("device: %v", err)
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}
}

// TestQuote: message.Quote quotes a text of up to 60 bytes as %q does, and of a longer one the first 60, with
// their number in all.
func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb":                  `"a\tb"`,
		strings.Repeat("x", 61): `"` + strings.Repeat("x", 60) + `"… (61 bytes)`,
	} {
		if got := message.Quote(text); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
