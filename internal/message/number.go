package message

import (
	"math"
	"strconv"
	"strings"
)

// ThreeDigits writes a number with three digits, or more if it is large.
func ThreeDigits(v float64) string {
	digits := 2
	if size := math.Abs(v); size >= 1 {
		digits = max(0, 2-int(math.Log10(size)))
	}
	return Decimals(v, digits)
}

// Decimals writes a number with some decimals, and what rounds to 0 without a sign.
func Decimals(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}
