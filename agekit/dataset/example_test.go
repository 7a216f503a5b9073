package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

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

func ExampleLoadFiles() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files := dataset.Files{
		Edges:    filepath.Join(dir, "friends.tsv"),
		Features: filepath.Join(dir, "likes.csv"),
		Labels:   filepath.Join(dir, "towns.txt"),
	}
	os.WriteFile(files.Edges, []byte("0\t1\n1\t2\n"), 0o644)
	os.WriteFile(files.Features, []byte("tea,coffee\n1,0\n1,1\n0,1\n"), 0o644)
	os.WriteFile(files.Labels, []byte("Oslo\nOslo\nBergen\n"), 0o644)

	g, err := dataset.LoadFiles(context.Background(), files)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Name, g.N(), g.Edges(), g.ClassNames, g.Labels)
	// Output: friends 3 2 [Bergen Oslo] [1 1 0]
}
