package format_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/agekit/age/agekit/format"
	"github.com/agekit/age/agekit/graph"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "triangle.npz")

	adjacency, err := graph.Adjacency(3, []int32{0, 1, 2}, []int32{1, 2, 0}, nil)
	if err != nil {
		log.Fatal(err)
	}
	x := blas32.General{Rows: 3, Cols: 2, Stride: 2, Data: []float32{1, 0, 1, 1, 0, 1}}
	if err := format.Write(path, &graph.Graph{Adjacency: adjacency, Features: graph.Features{Dense: &x}}); err != nil {
		log.Fatal(err)
	}

	g, err := format.Read(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Name, g.N(), g.Edges())
	// Output: triangle 3 3
}

func ExampleReadFiles() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files := format.Files{
		Edges:    filepath.Join(dir, "friends.tsv"),
		Features: filepath.Join(dir, "likes.csv"),
		Labels:   filepath.Join(dir, "towns.txt"),
	}
	os.WriteFile(files.Edges, []byte("0\t1\n1\t2\n"), 0o644)
	os.WriteFile(files.Features, []byte("tea,coffee\n1,0\n1,1\n0,1\n"), 0o644)
	os.WriteFile(files.Labels, []byte("Oslo\nOslo\nBergen\n"), 0o644)

	g, err := format.ReadFiles(context.Background(), files)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Name, g.N(), g.Edges(), g.ClassNames, g.Labels)
	// Output: friends 3 2 [Bergen Oslo] [1 1 0]
}
