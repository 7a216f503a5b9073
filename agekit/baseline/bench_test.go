package baseline

import (
	"fmt"
	"testing"

	"github.com/agekit/age/internal/testgraph"
)

// BenchmarkTenEpochs times ten epochs of each method with its default widths,
// with what a run costs besides.
func BenchmarkTenEpochs(b *testing.B) {
	for _, name := range []string{"cora", "citeseer"} {
		for _, m := range []Method{GAE{Epochs: 10}, LSRAPerceptron{Epochs: 10}, LSRA{Epochs: 10}, LSRX{Epochs: 10}} {
			b.Run(fmt.Sprintf("%s/%T", name, m), func(b *testing.B) {
				g := testgraph.Load(b, name)
				for b.Loop() {
					if _, err := m.Embed(b.Context(), g, 1, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
