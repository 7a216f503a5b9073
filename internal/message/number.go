package message

import (
	"math"
	"strconv"
	"strings"
)

// ThreeDigits returns a number as text with three digits, of which two are decimals if it is below 1, or
// with more digits if it is 1000 or more.
func ThreeDigits(v float64) string {
	decimals := 2
	if size := math.Abs(v); size >= 1 {
		decimals = max(0, 2-int(math.Log10(size)))
	}
	return Decimals(v, decimals)
}

// Decimals returns a number as text with that many decimals. What rounds to 0 has no sign, and other
// negative numbers have the sign −.
func Decimals(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return strings.Replace(text, "-", "−", 1)
}
