package views

import (
	"fmt"
	"strconv"
	"strings"
)

// Range is the numbers of clusters from Least to Most. The zero value means that no number is given.
type Range struct{ Least, Most int }

// mostUseful is the largest number of clusters in the range "auto": nobody looks at more.
const mostUseful = 50

// Any returns the range that "auto" means, 2 to 50.
func Any() Range { return Range{Least: 2, Most: mostUseful} }

// Exactly returns the range that has only k.
func Exactly(k int) Range { return Range{Least: k, Most: k} }

// UnmarshalText parses a number such as "7", a range such as "4..20", or "auto". Numbers below 2 and
// ranges without a number are errors.
func (r *Range) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*r = Any()
		return nil
	}
	low, high, isRange := strings.Cut(string(text), "..")
	if !isRange {
		high = low
	}
	var errs [2]error
	r.Least, errs[0] = strconv.Atoi(low)
	r.Most, errs[1] = strconv.Atoi(high)
	if errs[0] != nil || errs[1] != nil || r.Least < 2 || r.Most < r.Least {
		return fmt.Errorf("%s: want a number, 2 or more, a range such as 4..20, or auto", text)
	}
	return nil
}

// String returns the form that UnmarshalText parses.
func (r Range) String() string {
	if r.Most > r.Least {
		return fmt.Sprintf("%d..%d", r.Least, r.Most)
	}
	return strconv.Itoa(r.Least)
}
