package simd

import (
	"slices"
	"strings"
	"testing"
)

// atEveryLevel runs a test at each level that this processor has, and then goes back to the level before.
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

// TestStart: start uses the level with the given name if this processor has it. With a level that this
// processor lacks, or a name that is no level (AVX2 in capitals, sse), start returns an error that has the
// name and this processor's levels, and uses the fastest level. Without a name, it uses the fastest level, too.
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
		if err == nil || !strings.Contains(err.Error(), strings.Join(levels, ", ")) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: error %v, want one that names %q", Variable, name, err, levels)
		}
		if Level() != levels[0] {
			t.Errorf("%s=%s: level %s, want %s", Variable, name, Level(), levels[0])
		}
	}
	if err := start(""); err != nil || Level() != levels[0] {
		t.Errorf("no %s: level %s, %v; want %s", Variable, Level(), err, levels[0])
	}
}
