package gomlx

import (
	"cmp"
	"os"
	"testing"

	"github.com/agekit/age/agekit/backend"
	. "github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/affine"
	. "github.com/agekit/age/internal/modeltest"
)

// choices returns every GoMLX backend available in this program on this machine.
// XLA needs its plugin: if AGEKIT_REQUIRE_XLA is set, a missing plugin is a
// failure. AGEKIT_TEST_XLA names an XLA backend to test instead of the CPU's.
func choices(t testing.TB) []backend.Choice {
	t.Helper()
	var all []backend.Choice
	for _, name := range []string{backend.Go, cmp.Or(os.Getenv("AGEKIT_TEST_XLA"), backend.XLACPU)} {
		c, err := backend.Resolve(name)
		if err == nil {
			for name, value := range c.Environment() {
				t.Setenv(name, value)
			}
			all = append(all, c)
			continue
		}
		if os.Getenv("AGEKIT_REQUIRE_XLA") != "" {
			t.Fatal(err)
		}
		t.Logf("NOT TESTED on %s: %v", name, err)
	}
	return all
}

// ways returns all ways to encode on GoMLX backends. The first is the native
// backend's, with which the others are compared. GoMLX always gets the smoothed
// features.
func ways(t *testing.T) []Way {
	all := AllNodes(affine.Native)[:1]
	for _, choice := range choices(t) {
		on, slow := On(choice), choice.Name == backend.Go
		whole := AllNodes(on)[1]
		whole.Slow = slow
		gathered := Way{Name: on.Name() + "/gathered", Smoothed: true, Slow: slow}
		gathered.Make = func(in *affine.Input, start *affine.State, loss Loss, learningRate float64, maxPairs int) (affine.Model, error) {
			if 2*maxPairs >= in.Smoothed.Rows { // a batch can have all nodes of the graph
				return nil, nil
			}
			return on.NewModel(in, start, loss, learningRate, maxPairs)
		}
		all = append(all, whole, gathered)
	}
	return all
}

func TestStepGolden(t *testing.T)     { StepGolden(t, ways(t)) }
func TestWaysAgree(t *testing.T)      { WaysAgree(t, ways(t)) }
func TestEmbedRows(t *testing.T)      { EmbedRows(t, ways(t)) }
func TestConstantRows(t *testing.T)   { ConstantRows(t, ways(t)) }
func TestStateRoundTrip(t *testing.T) { StateRoundTrip(t, ways(t)) }

func TestResume(t *testing.T) {
	for _, choice := range choices(t) {
		t.Run(choice.Name, func(t *testing.T) { Resume(t, On(choice)) })
	}
}

func TestUnknownBackendIsAnError(t *testing.T) {
	c := backend.Choice{Name: "xla:cpu", Config: "xla:/no/such/plugin.so", Plugin: "/no/such/plugin.so"}
	if _, err := Train(t.Context(), SmallGraph(t), Small(), Options{Backend: On(c)}); err == nil {
		t.Error("no error for a missing plugin")
	}
}

func BenchmarkStep(b *testing.B) {
	for _, choice := range choices(b) {
		BenchStep(b, On(choice))
	}
}

func BenchmarkEmbed(b *testing.B) {
	for _, choice := range choices(b) {
		BenchEmbed(b, On(choice))
	}
}
