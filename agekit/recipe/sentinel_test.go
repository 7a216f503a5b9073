package recipe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

// TestSentinels: a number that stands for a missing value has the same features as a gap, also in new rows, with
// a warning that names it; --number keeps it. A number that may be one of the others stays.
func TestSentinels(t *testing.T) {
	const n = 120
	random := rand.New(rand.NewPCG(7, 8))
	values := func(sentinel string, share int, value func() float64) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint(value()))
			if i%share == 3 {
				all[i] = sentinel
			}
		}
		return all
	}
	score := func() float64 { return math.Round(100*random.NormFloat64()*3) / 100 }
	height := func() float64 { return float64(150 + random.IntN(50)) }
	likert := func() float64 { return float64(1 + random.IntN(5)) }
	for _, c := range []struct {
		sentinel string
		value    func() float64
	}{{"-999", score}, {"9999", score}, {"-99.9", score}, {"1e+20", score}, {"-2147483648", height}, {"-1", height}, {"99", likert}, {"998", likert}, {"-9", likert}} {
		with := values(c.sentinel, 10, c.value)
		gaps := slices.Clone(with)
		for i, v := range gaps {
			if v == c.sentinel {
				gaps[i] = ""
			}
		}
		kinds, r, found := kindsOf(t, quotedTable(with), Columns{})
		_, want, _ := kindsOf(t, quotedTable(gaps), Columns{})
		x, warnings, err := r.Features(readNodes(t, quotedTable(with)))
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: warnings %q, error %v", c.sentinel, warnings, err)
		}
		wantX, _, err := want.Features(readNodes(t, quotedTable(gaps)))
		if err != nil || fmt.Sprint(x.ToDense()) != fmt.Sprint(wantX.ToDense()) || !slices.Equal(kinds, []string{"v number", "z number"}) {
			t.Errorf("%s: not the features of gaps, columns %q, error %v", c.sentinel, kinds, err)
		}
		says := fmt.Sprintf(`column "v": far from all others, and so taken as gaps: %q in 12 of 120 rows; Source.Columns.Number "v" keeps all numbers`, c.sentinel)
		if len(found.Warnings) != 1 || found.Warnings[0].String() != says {
			t.Errorf("%s: warnings %q, want %q", c.sentinel, found.Warnings, says)
		}
		if _, kept, found := kindsOf(t, quotedTable(with), Columns{Number: []string{"v"}}); len(kept.Columns[0].Sentinels) > 0 || kept.Columns[0].Gaps || len(found.Warnings) > 0 {
			t.Errorf("%s named a number: %+v", c.sentinel, kept.Columns[0])
		}
	}
	income := func() float64 { return math.Exp(10 + random.NormFloat64()) }
	for name, all := range map[string][]string{
		"no outlier":   values("99", 10, func() float64 { return float64(random.IntN(95)) }),
		"heavy tail":   values("0", 10, income),
		"one row":      values("9999", n, score),
		"half":         values("0", 2, func() float64 { return float64(500 + random.IntN(20)) }),
		"0 and others": values("0", 10, func() float64 { return float64(random.IntN(50)) }),
		"codes":        values("50", 3, likert),
	} {
		if _, r, found := kindsOf(t, quotedTable(all), Columns{}); len(r.Columns[0].Sentinels) > 0 || len(found.Warnings) > 0 {
			t.Errorf("%s: sentinels %v, warnings %q", name, r.Columns[0].Sentinels, found.Warnings)
		}
	}
	// Two of them, at one end and at both ends.
	for _, pair := range [][]string{{"998", "999"}, {"-999", "9999"}} {
		all := values(pair[0], 10, score)
		for i := range all {
			if i%10 == 5 {
				all[i] = pair[1]
			}
		}
		if _, r, _ := kindsOf(t, quotedTable(all), Columns{}); len(r.Columns[0].Sentinels) != 2 {
			t.Errorf("%q: %v", pair, r.Columns[0].Sentinels)
		}
	}
}

// TestDateGaps: words without digits, zeros, and a first or last day far from the others are gaps among dates.
func TestDateGaps(t *testing.T) {
	dates := func(gap string) []string {
		var all []string
		for i := range 60 {
			all = append(all, fmt.Sprintf("20%d-%02d-1%d", 15+i%6, 1+i%12, i%10))
			if i%10 == 4 {
				all[i] = gap
			}
		}
		return all
	}
	_, want, _ := kindsOf(t, quotedTable(dates("")), Columns{})
	wantX, _, err := want.Features(readNodes(t, quotedTable(dates(""))))
	if err != nil {
		t.Fatal(err)
	}
	for _, gap := range []string{"NaT", "unknown", "0000-00-00", "-", "1900-01-01", "9999-12-31", "1970-01-01"} {
		text := quotedTable(dates(gap))
		kinds, r, found := kindsOf(t, text, Columns{})
		if !slices.Equal(kinds, []string{"v date", "z number"}) {
			t.Errorf("%s: %q, want dates", gap, kinds)
			continue
		}
		x, warnings, err := r.Features(readNodes(t, text))
		if err != nil || len(warnings) > 0 || fmt.Sprint(x.ToDense()) != fmt.Sprint(wantX.ToDense()) {
			t.Errorf("%s: not the features of gaps; warnings %q, error %v", gap, warnings, err)
		}
		if said := inputtest.Texts(found.Warnings); len(said) != 1 || !strings.Contains(said[0], "taken as gaps: ") || !strings.Contains(said[0], gap) {
			t.Errorf("%s: warnings %q", gap, said)
		}
	}
}
