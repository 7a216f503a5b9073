package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCut: what a cell prints on a stream is shown up to the limit, however it comes in pieces, and then one line
// that says how to see more. Each stream and each cell has a limit of its own. Progress that overwrites its line does
// not count, and half a letter is not shown.
func TestCut(t *testing.T) {
	const rest = "… The rest is not shown: a cell shows the first 10 B of what it prints. For more, write %env AGEKIT_OUTPUT=100B at the top of the cell.\n"
	t.Setenv(outputVariable, "10B")
	random := rand.New(rand.NewPCG(1, 2))
	for text, want := range map[string]string{
		"123456789\n":                "123456789\n",
		"123456789\na\nb\n":          "123456789\n" + rest,
		"12345678901":                "1234567890\n" + rest,
		"\n\n\n\n\n\n\n\n\n\n\n\n":   "\n\n\n\n\n\n\n\n\n\n" + rest,
		"\r10 %\r20 %\r30 %\r40 %\n": "\r10 %\r20 %\r30 %\r40 %\n",
	} {
		for _, pieces := range cuts(text, random) {
			var sent []message
			for _, piece := range pieces {
				sent = append(sent, stream("stdout", piece))
			}
			sent = append(sent, stderr("a line\n"), idle, stream("stdout", "next\n"), idle)
			shown := pass(t, sent...)
			if got := streamed(shown, "stdout"); got != want+"next\n" {
				t.Fatalf("%q in pieces %q: shows %q, want %q", text, pieces, got, want+"next\n")
			}
			if got := streamed(shown, "stderr"); got != "a line\n" {
				t.Fatalf("%q: standard error shows %q", text, got)
			}
		}
	}
	// Half a letter before the limit.
	t.Setenv(outputVariable, "3")
	if got := streamed(pass(t, stream("stdout", "aäää")), "stdout"); !strings.HasPrefix(got, "aä\n… ") {
		t.Errorf("shown %q", got)
	}
}

// TestOutputLimit: sizes are read as people write them, and anything else means the default.
func TestOutputLimit(t *testing.T) {
	for text, want := range map[string]int{
		"": shownAtFirst, "much": shownAtFirst, "-1": shownAtFirst, "MB": shownAtFirst,
		"5MB": 5_000_000, "5 mb": 5_000_000, "0.5kB": 500, "1GB": 1_000_000_000, "7B": 7, "7": 7, "0": 0,
	} {
		t.Setenv(outputVariable, text)
		if got := outputLimit(); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
	for size, want := range map[int]string{5_000_000: "5 MB", 200_000: "200 kB", 1_500: "1500 B", 0: "0 B"} {
		if got := inUnits(size); got != want {
			t.Errorf("%d: %q, want %q", size, got, want)
		}
	}
}
