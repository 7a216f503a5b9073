package method_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
	"github.com/agekit/age/agekit/method"
	"github.com/agekit/age/agekit/metric"
)

// Cluster Cora with LS, the smoothed features without training. Table 2 of the
// paper has ACC .638.
func ExampleNew() {
	ctx := context.Background()
	g, err := dataset.Load(ctx, "cora", dataset.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	settings, _ := encoder.PaperOptions("cora")
	ls, err := method.New("LS", method.Settings{Filter: settings.Filter})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := ls.Fit(ctx, g, method.Options{Clusters: g.Classes, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ACC %.2f\n", metric.Accuracy(g.Labels, out.Clusters))
	// Output: ACC 0.64
}
