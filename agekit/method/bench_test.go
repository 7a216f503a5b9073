package method

import (
	"fmt"
	"testing"

	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/internal/testutil"
)

// BenchmarkTenEpochs times ten epochs of GAE, its disentangled form, LS+RA and LS+RX with their default widths
// on Cora and Citeseer, including the fixed costs of a run.
func BenchmarkTenEpochs(b *testing.B) {
	for _, name := range []string{"cora", "citeseer"} {
		settings, _ := encoder.PaperOptions(name)
		for _, m := range []Method{asMethod(gae{Epochs: 10}), asMethod(gae{Epochs: 10, disentangled: true}), asMethod(lsra{Filter: settings.Filter, Epochs: 10}), asMethod(lsrx{Filter: settings.Filter, Epochs: 10})} {
			b.Run(fmt.Sprintf("%s/%T", name, m), func(b *testing.B) {
				g := testutil.LoadGraph(b, name)
				for b.Loop() {
					testutil.Value(m.Fit(b.Context(), g, Options{Seed: 1})).OrFatal(b)
				}
			})
		}
	}
}

// BenchmarkStep times a step of GAE on each GoMLX backend, with the weights on the host and on
// the device: [isResident] chooses.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"cora", "pubmed"} {
		for _, choice := range choices(b) {
			for place, resident := range map[string]bool{"host": false, "device": true} {
				testutil.BenchOne(b, name, choice.Name+"/"+place, func(b *testing.B) func() error {
					g, m := testutil.LoadGraph(b, name), filled(gae{})
					tr := trainerOn(b, asMethod(m), g, choice, resident)
					update := gaeSteps(b, tr, g, m)[0].kind
					step := func() error {
						_, err := update.take(b.Context())
						return err
					}
					testutil.NoError(b, step()) // compiles
					return step
				})
			}
		}
	}
}
