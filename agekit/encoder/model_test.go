package encoder_test

import (
	"testing"

	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/affine"
	. "github.com/agekit/age/internal/modeltest"
)

// ways returns all ways to encode on the native backend.
func ways() []Way {
	gathered := func(in *affine.Input, start *affine.State, loss Loss, learningRate float64, maxPairs int) (affine.Model, error) {
		return affine.NewGathered(in.Smoothed, start, loss, learningRate, maxPairs), nil
	}
	return append(AllNodes(affine.Native), Way{Name: "native/gathered", Smoothed: true, Make: gathered})
}

func TestStepGolden(t *testing.T)     { StepGolden(t, ways()) }
func TestWaysAgree(t *testing.T)      { WaysAgree(t, ways()) }
func TestEmbedRows(t *testing.T)      { EmbedRows(t, ways()) }
func TestConstantRows(t *testing.T)   { ConstantRows(t, ways()) }
func TestStateRoundTrip(t *testing.T) { StateRoundTrip(t, ways()) }
