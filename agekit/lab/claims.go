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

// Claims compares what the text of a notebook says with what its cells compute. It stands
// in cells with the tag check, which `agekit walkthrough` runs and readers do not see:
//
//	claims := lab.NewClaims()
//	claims.Say("takes the quotient of the noise from 0.61 to 0.27", before, after)
//	claims.Say("The class starts lower").Below("the class", class, before)
//	claims.Done()
type Claims struct {
	words     string   // of the claim that was begun last
	tolerance float64  // of the next claim
	tests     int      // of the claim that was begun last
	failed    bool     // one of them did
	wrong     []string // lines: a claim's words, and below them what is wrong
}

// NewClaims returns no claims, and silences what cells print of the store and of time.
func NewClaims() *Claims {
	cell.Silent.Store(true)
	return &Claims{}
}

var (
	// and code, and names such as NS4GC
	formulas = regexp.MustCompile("(?s)\\$\\$.*?\\$\\$|\\$[^$]*\\$|`[^`]*`|\\pL\\w*\\d\\w*")
	numerals = regexp.MustCompile(`−?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)`)
)

// Within allows the values of the next claim to differ from its numbers by more than rounding:
// those of a training or a map are not the same on every processor.
func (c *Claims) Within(tolerance float64) *Claims {
	c.tolerance = tolerance
	return c
}

// Say begins the claim with some words of the text: a part of a sentence or several sentences.
// With values, each number in the words is what the value in its place rounds to, with as
// many digits as it has; those in formulas, code and names such as NS4GC do not count. Without
// values, tests of the claim follow: [Claims.Near], [Claims.Below] or [Claims.True].
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
		if err != nil || !(math.Abs(values[i]-stated) <= max(rounding, tolerance)+1e-9) {
			c.fail("says %s, computed: %.6g", number, values[i])
		}
	}
	return c
}

// Near tests that a computed value is within the tolerance of another.
func (c *Claims) Near(what string, computed, want, tolerance float64) *Claims {
	return c.True(math.Abs(computed-want) <= tolerance, "%s, computed: %.6g, by the text %.6g ± %.3g", what, computed, want, tolerance)
}

// Below tests that a computed value is less than another.
func (c *Claims) Below(what string, computed, limit float64) *Claims {
	return c.True(computed < limit, "%s, computed: %.6g, by the text less than %.6g", what, computed, limit)
}

// True tests what is neither; the message says what was computed and what the text says.
func (c *Claims) True(holds bool, format string, args ...any) *Claims {
	c.tests++
	if !holds {
		c.fail(format, args...)
	}
	return c
}

// Done exits the cell with a message if a claim is wrong, or has no test.
func (c *Claims) Done() { agekit.Check(c.err()) }

func (c *Claims) err() error {
	c.end()
	if c.wrong == nil {
		return nil
	}
	return errors.New(strings.Join(c.wrong, "\n"))
}

func (c *Claims) end() {
	if c.words != "" && c.tests == 0 {
		c.fail("has no test")
	}
	c.words = ""
}

func (c *Claims) fail(format string, args ...any) {
	if !c.failed {
		c.wrong = append(c.wrong, fmt.Sprintf("the text: %q", c.words))
	}
	c.failed = true
	c.wrong = append(c.wrong, "\t"+fmt.Sprintf(format, args...))
}
