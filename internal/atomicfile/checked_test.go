package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestChecked: the content of a checked file, and what it is about, come back. A file of which any bit
// was flipped is an error or is about something else, and one that was cut at any length is an error.
func TestChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	content := []byte("some content")
	if err := Checked(path, map[string]int{"task": 7}, Bytes(content)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func(file []byte) (Footer, error) {
		f, err := ReadFooter(bytes.NewReader(file), int64(len(file)))
		if err == nil {
			err = f.Check(t.Context(), bytes.NewReader(file))
		}
		return f, err
	}
	f, err := read(whole)
	if err != nil || string(f.About) != `{"task":7}` || !bytes.Equal(whole[:f.Bytes], content) {
		t.Errorf("%d bytes about %s (%v)", f.Bytes, f.About, err)
	}
	for bit := range 8 * len(whole) {
		bad := bytes.Clone(whole)
		bad[bit/8] ^= 1 << (bit % 8)
		if f, err := read(bad); err == nil && string(f.About) == `{"task":7}` {
			t.Errorf("bit %d flipped: no error", bit)
		}
	}
	for length := range whole {
		if _, err := read(whole[:length]); err == nil {
			t.Errorf("cut to %d bytes: no error", length)
		}
	}
}
