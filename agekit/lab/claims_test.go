package lab

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestClaims tries each way to state a claim, with values that fit the words and others that do
// not. The error of a wrong claim has its words and what was computed, or that it has no test.
func TestClaims(t *testing.T) {
	for _, test := range []struct {
		check func(*Claims)
		wrong string // the text of the error, "" if all claims are right
	}{
		{func(c *Claims) { c.Say("from 0.61 to 0.27", 0.6149, 0.2651) }, ""},
		{func(c *Claims) { c.Say("from 0.61 to 0.27", 0.6149, 0.2751) }, "the text: \"from 0.61 to 0.27\"\n\tsays 0.27, computed: 0.2751"},
		{func(c *Claims) {
			c.Say("2,708 of 7,333 pairs, 16.9 %, .73 and −0.1", 2708, 7333, 16.86, 0.7349, -0.12)
		}, ""},
		{func(c *Claims) { c.Within(0.02).Say("from 0.61 to 0.27", 0.6299, 0.26) }, ""},
		{func(c *Claims) { c.Within(0.02).Say("0.61", 0.61); c.Say("0.27", 0.28) }, "the text: \"0.27\"\n\tsays 0.27, computed: 0.28"},
		{func(c *Claims) { c.Say("2,708 pairs", 2709) }, "the text: \"2,708 pairs\"\n\tsays 2,708, computed: 2709"},
		{func(c *Claims) { c.Say("$k = 2/3$, `g.N()+1` and $$1\n+ 1$$ leave NS4GC 4 %", 4.4) }, ""},
		{func(c *Claims) { c.Say("3 of 4", 3) }, "the text: \"3 of 4\"\n\thas the numbers [\"3\" \"4\"], computed: [3]"},
		{func(c *Claims) { c.Say("all fall") }, "the text: \"all fall\"\n\thas no test"},
		{func(c *Claims) { c.Say("all fall").True(true, ""); c.Say("all rise") }, "the text: \"all rise\"\n\thas no test"},
		{func(c *Claims) {
			c.Say("a half").Near("the share", 0.51, 0.5, 0.02).Below("it", 0.5, 0.52).True(true, "")
		}, ""},
		{func(c *Claims) { c.Say("a half").Near("the share", 0.53, 0.5, 0.02) }, "the text: \"a half\"\n\tthe share, computed: 0.53, by the text 0.5 ± 0.02"},
		{func(c *Claims) { c.Say("lower").Below("it", 0.5, 0.5) }, "the text: \"lower\"\n\tit, computed: 0.5, by the text less than 0.5"},
		{func(c *Claims) { c.Say("two").True(false, "3").True(false, "4") }, "the text: \"two\"\n\t3\n\t4"},
		{func(c *Claims) { c.Say("two").True(false, "%d of them", 3); c.Say("1 m", 2) }, "the text: \"two\"\n\t3 of them\nthe text: \"1 m\"\n\tsays 1, computed: 2"},
	} {
		c := &Claims{}
		test.check(c)
		if err := c.err(); fmt.Sprint(err) != cmp.Or(test.wrong, "<nil>") {
			t.Errorf("%v, want %q", err, test.wrong)
		}
	}
}

// quoted returns the words of the claims in the check cells of a notebook. It also tests that
// the claims have the form Say("…"), end with Done, and stand in cells that readers do not see.
func quoted(t *testing.T, number string) (words []string) {
	t.Helper()
	say := regexp.MustCompile(`\.Say\(("(?:[^"\\]|\\.)*")`)
	for _, c := range cells(t, number) {
		if !slices.Contains(c.Metadata.Tags, "check") {
			continue
		}
		text := strings.Join(c.Source, "")
		found := say.FindAllStringSubmatch(text, -1)
		if len(found) != strings.Count(text, ".Say(") || !strings.Contains(text, "claims.Done()") {
			t.Errorf("notebook %s: claims in another form, or not done:\n%s", number, text)
		}
		for _, call := range found {
			words = append(words, testutil.Value(strconv.Unquote(call[1])).OrFatal(t))
		}
		if !c.Metadata.Jupyter.SourceHidden || c.Type != "code" || len(c.Outputs) > 0 || c.Metadata.Slideshow.Type != "skip" {
			t.Errorf("notebook %s: a reader sees a check cell", number)
		}
	}
	return words
}

var (
	// noticed matches a paragraph that begins with "What to notice."; claimed matches what
	// such a paragraph must not say unless a check cell says it: a number or a data set.
	noticed = regexp.MustCompile(`\*\*What to notice\.\*\*[^\n]*`)
	claimed = regexp.MustCompile(`[0-9½]|Cora|Citeseer|Wiki|Pubmed|Debian|gostd`)
)

// TestClaimsAreChecked: in each notebook, the words of every check cell stand in the text
// once, and every number and data set in a paragraph "What to notice." stands in the words of
// a check cell. (Where numbers depend on the data set, the text must name it, since the
// notebooks run on any.)
func TestClaimsAreChecked(t *testing.T) {
	texts := markdown(t)
	for _, notebook := range slices.Sorted(maps.Keys(texts)) {
		words := quoted(t, notebook)
		for _, w := range words {
			if count := strings.Count(texts[notebook], w); count != 1 {
				t.Errorf("notebook %s says %d times what a check cell does: %q", notebook, count, w)
			}
		}
		found := noticed.FindAllString(texts[notebook], -1)
		if len(found) == 0 {
			t.Errorf("notebook %s has no \"what to notice\"", notebook)
		}
		for _, text := range found {
			unchecked := text
			for _, w := range words {
				unchecked = strings.ReplaceAll(unchecked, w, "…")
			}
			if claim := claimed.FindString(formulas.ReplaceAllString(unchecked, "")); claim != "" {
				t.Errorf("notebook %s speaks of %q, which no check cell says: %s", notebook, claim, unchecked)
			}
		}
	}
}
