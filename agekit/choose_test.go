package agekit

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/auto"
	"github.com/agekit/age/agekit/metric"
)

// TestChoose: it finds what auto.Fit finds, the second time in the store, and the
// table marks the result.
func TestChoose(t *testing.T) {
	g := load(t, small)
	choose := func() (c *Chosen, text string) {
		t.Helper()
		text = printed(t, func() {
			var err error
			if c, err = Choose(g, 0); err != nil {
				t.Fatal(err)
			}
		})
		return c, text
	}
	first, text := choose()
	if !regexp.MustCompile(`(?m)^3 clusters: of 2 to 20, .*\n(.*\n)*chosen settings: computed in [\d.]+ s, saved for the next cell\n\z`).MatchString(text) {
		t.Errorf("the first time it printed %q", text)
	}
	second, text := choose()
	if !regexp.MustCompile(`^chosen settings: from the store, in \d+ ms\n$`).MatchString(text) {
		t.Errorf("the second time it printed %q", text)
	}
	want, err := auto.Fit(t.Context(), g, auto.Options{Clusters: 2, Most: 20})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Chosen{"first": first, "second": second} {
		if err := sameRows(r.Embedding, want.Embedding); err != nil || !slices.Equal(r.Labels, want.Labels) || r.Tried.Chosen != want.Tried.Chosen || !reflect.DeepEqual(r.Numbers, want.Numbers) {
			t.Errorf("%s: chosen %d of %d trials, want %d of %d (%v)", name, r.Tried.Chosen, len(r.Trials), want.Tried.Chosen, len(want.Trials), err)
		}
	}
	if acc := metric.Accuracy(g.Labels, first.Labels); acc < 0.9 {
		t.Errorf("ACC %.3f", acc)
	}
	shown := printed(t, func() { Show(second.Table()) })
	if name := second.Trials[second.Tried.Chosen].Name() + " ← chosen"; strings.Count(shown, "← chosen") != 1 || !strings.Contains(shown, name) {
		t.Errorf("the table does not mark %q: %.300s", name, shown)
	}
}
