package encoder_test

import (
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	. "github.com/agekit/age/internal/modeltest"
)

// ways returns all ways to encode on the native backend.
func ways() []Way {
	return append(AllNodes(Native), Way{Name: "native/gathered", Smoothed: true, Make: NewGathered})
}

func TestStepGolden(t *testing.T)     { StepGolden(t, ways()) }
func TestWaysAgree(t *testing.T)      { WaysAgree(t, ways()) }
func TestEmbedRows(t *testing.T)      { EmbedRows(t, ways()) }
func TestConstantRows(t *testing.T)   { ConstantRows(t, ways()) }
func TestStateRoundTrip(t *testing.T) { StateRoundTrip(t, ways()) }
