package run_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/run"
)

// Six animals in two clusters, and one that comes later.
func ExampleExplain() {
	adjacency, err := graph.Adjacency(6, []int32{0, 1, 3, 4, 2}, []int32{1, 2, 4, 5, 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := blas32.General{Rows: 6, Cols: 2, Stride: 2, Data: []float32{4, 1, 4, 0, 4, 0, 2, 1, 2, 1, 2, 0}}
	g := &graph.Graph{Adjacency: adjacency, Features: graph.Features{Dense: &x}, FeatureNames: []string{"legs", "tail"}}
	z := blas32.General{Rows: 6, Cols: 2, Stride: 2, Data: []float32{1, 0, 1, 0.1, 1, 0.4, 0.1, 1, 0, 1, 0, 1}}
	clusters := []int{0, 0, 0, 1, 1, 1}

	e, err := run.Explain(context.Background(), g, z, clusters)
	if err != nil {
		fmt.Println(err)
		return
	}
	for k, c := range e.Clusters {
		fmt.Printf("cluster %d: %d nodes, %s %.0f instead of %.0f, %.0f %% of the edges inside\n",
			k, c.Size, c.Features[0].Name, c.Features[0].Inside, c.Features[0].Outside, 100*c.Inside)
	}
	fmt.Printf("confidence of nodes 0 and 2: %.2f and %.2f\n", e.Confidence[0], e.Confidence[2])

	later := blas32.General{Rows: 1, Cols: 2, Stride: 2, Data: []float32{0.5, 0.6}}
	found, _, confidence := run.AssignClusters(later, run.ClusterCenters(z, clusters))
	fmt.Printf("the new node is in cluster %d with confidence %.2f\n", found[0], confidence[0])
	// Output:
	// cluster 0: 3 nodes, legs 4 instead of 2, 80 % of the edges inside
	// cluster 1: 3 nodes, legs 2 instead of 4, 80 % of the edges inside
	// confidence of nodes 0 and 2: 0.99 and 0.96
	// the new node is in cluster 1 with confidence 0.14
}
