package lab

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/internal/cell"
)

// Claims compares what the text of a notebook says with what its cells compute. It is used in
// cells with the tag check, which `agekit walkthrough` runs and readers do not see:
//
//	claims := lab.NewClaims()
//	claims.Say("takes the quotient of the noise from 0.61 to 0.27", before, after)
//	claims.Say("The class starts lower").Below("the class", class, before)
//	claims.Done()
type Claims struct {
	words     string   // the words of the claim that was begun last; "" if it has ended
	tests     int      // the number of tests of this claim
	failed    bool     // one of these tests has failed
	tolerance float64  // of the next claim, set by Within
	wrong     []string // lines: the words of a wrong claim, and below them what is wrong
}

// NewClaims returns Claims without a claim. For the rest of the cell, it silences the lines
// that cells print about the store and about time.
func NewClaims() *Claims {
	cell.Silent.Store(true)
	return &Claims{}
}

var (
	// formulas matches formulas, code, and names with a digit, such as NS4GC: their numbers are
	// no claims.
	formulas = regexp.MustCompile("(?s)\\$\\$.*?\\$\\$|\\$[^$]*\\$|`[^`]*`|\\pL\\w*\\d\\w*")
	// numerals matches the numbers of a text, with commas in thousands and a minus sign.
	numerals = regexp.MustCompile(`−?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)`)
)

// Within allows the values of the next claim, and of no other, to differ from the numbers of
// its words by a tolerance, which may be more than rounding: the values of a training or a
// map are not the same on every processor. It returns c.
func (c *Claims) Within(tolerance float64) *Claims {
	c.tolerance = tolerance
	return c
}

// Say ends the claim before, if any, and begins a claim with some words of the text: a part of
// a sentence or several sentences. With values, the claim is that the words contain as many
// numbers, and that each value, rounded to the digits of its number, is that number. Numbers
// in formulas, in code and in names such as NS4GC do not count. Without values, tests of the
// claim must follow: [Claims.Near], [Claims.Below] or [Claims.True]. It returns c.
func (c *Claims) Say(words string, values ...float64) *Claims {
	c.end()
	tolerance := c.tolerance
	c.words, c.tests, c.failed, c.tolerance = words, len(values), false, 0
	if len(values) == 0 {
		return c
	}
	numbers := numerals.FindAllString(formulas.ReplaceAllString(words, " "), -1)
	if len(numbers) != len(values) {
		c.fail("has the numbers %q, computed: %v", numbers, values)
		return c
	}
	for i, number := range numbers {
		stated, err := strconv.ParseFloat(strings.NewReplacer(",", "", "−", "-").Replace(number), 64)
		_, fraction, _ := strings.Cut(number, ".")
		rounding := 0.5 * math.Pow10(-len(fraction))
		isNear := math.Abs(values[i]-stated) <= max(rounding, tolerance)+1e-9 // false for NaN
		if err != nil || !isNear {
			c.fail("says %s, computed: %.6g", number, values[i])
		}
	}
	return c
}

// Near tests that a computed value is within the tolerance of want, the value by the text.
// what names the value in the message.
func (c *Claims) Near(what string, computed, want, tolerance float64) *Claims {
	return c.True(math.Abs(computed-want) <= tolerance, "%s, computed: %.6g, by the text %.6g ± %.3g", what, computed, want, tolerance)
}

// Below tests that a computed value is less than limit. what names the value in the message.
func (c *Claims) Below(what string, computed, limit float64) *Claims {
	return c.True(computed < limit, "%s, computed: %.6g, by the text less than %.6g", what, computed, limit)
}

// True tests any other condition. The message, formatted as by [fmt.Sprintf], says what was
// computed and what the text says.
func (c *Claims) True(holds bool, format string, args ...any) *Claims {
	c.tests++
	if !holds {
		c.fail(format, args...)
	}
	return c
}

// Done ends the last claim. It exits the cell with a message if any claim is wrong or has no
// test.
func (c *Claims) Done() { agekit.Check(c.err()) }

// err ends the last claim and returns an error with all that is wrong, or nil.
func (c *Claims) err() error {
	c.end()
	if c.wrong == nil {
		return nil
	}
	return errors.New(strings.Join(c.wrong, "\n"))
}

// end ends the last claim: a claim without a test fails.
func (c *Claims) end() {
	if c.words != "" && c.tests == 0 {
		c.fail("has no test")
	}
	c.words = ""
}

// fail notes what is wrong with the last claim, below the claim's words.
func (c *Claims) fail(format string, args ...any) {
	if !c.failed {
		c.wrong = append(c.wrong, fmt.Sprintf("the text: %q", c.words))
	}
	c.failed = true
	c.wrong = append(c.wrong, "\t"+fmt.Sprintf(format, args...))
}
