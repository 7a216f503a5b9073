package metric_test

import (
	"fmt"

	"github.com/agekit/age/agekit/metric"
)

func Example() {
	classes := []int{0, 0, 0, 1, 1, 1, 2, 2}
	clusters := []int{5, 5, 9, 9, 9, 9, 7, 7}
	fmt.Printf("ACC %.3f NMI %.3f ARI %.3f\n",
		metric.Accuracy(classes, clusters), metric.NMI(classes, clusters), metric.ARI(classes, clusters))
	m := metric.NewConfusion(classes, clusters)
	fmt.Println("clusters", m.Clusters, "counts", m.Counts)
	// Output:
	// ACC 0.875 NMI 0.755 ARI 0.545
	// clusters [5 9 7] counts [[2 1 0] [0 3 0] [0 0 2]]
}
