package mapped

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestMappedScratch: the numbers of a scratch file are zero, keep what is written to them, and leave no
// file. A file larger than the disk is an error and leaves none, and so is one in a missing folder.
func TestMappedScratch(t *testing.T) {
	dir := t.TempDir()
	const count = 100_000
	s, err := NewScratch(dir, count)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Numbers) != count {
		t.Fatalf("%d numbers, want %d", len(s.Numbers), count)
	}
	for k, v := range s.Numbers {
		if v != 0 {
			t.Fatalf("number %d is %v, want 0", k, v)
		}
		s.Numbers[k] = float32(k)
	}
	for k, v := range s.Numbers {
		if v != float32(k) {
			t.Fatalf("number %d is %v", k, v)
		}
	}
	s.Close()
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%d files left (%v)", len(files), err)
	}
	if _, err := NewScratch(dir, 1<<50); err == nil { // numbers of 4 bytes
		t.Error("4 PB: no error")
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%d files left after an error (%v)", len(files), err)
	}
	if _, err := NewScratch(filepath.Join(dir, "none"), 4); err == nil {
		t.Error("missing folder: no error")
	}
}

// TestFloats: the numbers of a file, written with encoding/binary, are mapped from a byte on. One that is no
// multiple of four, at the end or behind it is an error.
func TestFloats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "numbers")
	const header = "head...."
	data := []byte(header)
	for _, v := range []float32{1.5, -2, 1e-30} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := Floats(path, len(header))
	if err != nil || len(got) != 3 || got[0] != 1.5 || got[1] != -2 || got[2] != 1e-30 {
		t.Errorf("%v (%v)", got, err)
	}
	for _, offset := range []int{6, len(data), len(data) + 4} {
		if _, err := Floats(path, offset); err == nil {
			t.Errorf("from byte %d of %d: no error", offset, len(data))
		}
	}
}
