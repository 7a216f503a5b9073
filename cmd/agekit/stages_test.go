//go:build linux

package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/testctx"
)

// TestBenchStages: the command prints a line for each stage, with the counts
// that the sizes give. (300·301/2·500 pairs' multiply-adds are 22.6 million.)
func TestBenchStages(t *testing.T) {
	t.Setenv("AGEKIT_TEST_COMMAND", "1")
	code, out, errs := age(t, "bench", "stages", "--datasets", "planted-300", "--seconds", "0")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	line := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([0-9.]+) \| ([0-9.]+) \| ([0-9.]+) \| (bytes|operations) \| ([0-9.]+) \| ([0-9.]+) \|$`)
	operations := map[string]float64{}
	for _, m := range line.FindAllStringSubmatch(out, -1) {
		operations[m[1]], _ = strconv.ParseFloat(m[2], 64)
		if took, _ := strconv.ParseFloat(m[6], 64); took < 0 {
			t.Errorf("line %s", m[0])
		}
	}
	if len(operations) != 8 || operations["select"] != 22.6 || operations["choose"] != 90 {
		t.Errorf("operations %v in\n%s", operations, out)
	}
	if !strings.Contains(out, "n = 300, m = 2,100, f = 128, t = 8, exact ranking") {
		t.Errorf("sizes are not in\n%s", out)
	}
}

// TestBenchStagesLevels: a second table has every level's time of each stage,
// with one that is the best, and a level that no processor has is refused.
func TestBenchStagesLevels(t *testing.T) {
	t.Setenv("AGEKIT_TEST_COMMAND", "1")
	levels := simd.Levels()
	if len(levels) == 1 {
		t.Skip("this processor has one level only: nothing to compare")
	}
	if !testctx.IsLong() {
		levels = []string{levels[0], levels[len(levels)-1]}
	}
	code, out, errs := age(t, "bench", "stages", "--datasets", "planted-300", "--seconds", "0", "--levels", strings.Join(levels, ","))
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	line := regexp.MustCompile(`(?m)^\| [^|]+` + strings.Repeat(` \| [0-9.]+ \| ([0-9.]+)`, len(levels)) + ` \|$`)
	found := line.FindAllStringSubmatch(out, -1)
	for _, cells := range found {
		if !slices.Contains(cells[1:], "1.0") {
			t.Errorf("no level is the best in %s", cells[0])
		}
	}
	if len(found) != 8 {
		t.Errorf("%d stages, want 8 in\n%s", len(found), out)
	}
	if code, _, errs := age(t, "bench", "stages", "--levels", "avx9"); code != 2 || !strings.Contains(errs, `"avx9"`) {
		t.Errorf("--levels avx9: exit %d: %s", code, errs)
	}
}
