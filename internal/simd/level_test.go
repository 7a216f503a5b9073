package simd

import (
	"slices"
	"strings"
	"testing"
)

// atEveryLevel runs a test at each level that this processor has.
func atEveryLevel(t *testing.T, test func(t *testing.T)) {
	chosen := Level()
	for _, name := range Levels() {
		if err := SetLevel(name); err != nil {
			t.Fatal(err)
		}
		t.Run(name, test)
	}
	if err := SetLevel(chosen); err != nil {
		t.Fatal(err)
	}
}

// TestStart: a name that is none of this processor's levels is an error, which
// lists those, and leaves the fastest in use.
func TestStart(t *testing.T) {
	chosen, levels := Level(), Levels()
	defer func() { _ = SetLevel(chosen) }()
	for _, name := range []string{"avx512", "avx2", "neon", "go", "AVX2", "sse"} {
		err := start(name)
		if slices.Contains(levels, name) {
			if err != nil || Level() != name {
				t.Errorf("%s=%s: level %s, %v", Variable, name, Level(), err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), strings.Join(levels, ", ")) || !strings.Contains(err.Error(), name) || Level() != levels[0] {
			t.Errorf("%s=%s: level %s, %v; want an error that names %q, and %s", Variable, name, Level(), err, levels, levels[0])
		}
	}
	if err := start(""); err != nil || Level() != levels[0] {
		t.Errorf("no %s: level %s, %v; want %s", Variable, Level(), err, levels[0])
	}
}
