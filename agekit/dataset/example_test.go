package dataset_test

import (
	"context"
	"fmt"
	"log"

	"github.com/agekit/age/agekit/dataset"
)

func ExampleLoad() {
	g, err := dataset.Load(context.Background(), "cora", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	_, features := g.Features.Dims()
	fmt.Println(g.N(), "papers,", g.ListedEdges, "citations,", features, "words,", g.Classes, "topics")
	// Output: 2708 papers, 5429 citations, 1433 words, 7 topics
}

func ExampleLoad_planted() {
	g, err := dataset.Load(context.Background(), "planted:n=10000,classes=5,degree=6,seed=1", dataset.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.N(), "nodes,", g.Edges(), "edges,", g.Classes, "classes")
	// Output: 10000 nodes, 30000 edges, 5 classes
}
