package input_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agekit/age/agekit/input"
)

// A table of people and one of their ties: the ids and the kinds of the columns are
// detected.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
		return path
	}
	d, err := input.Open(context.Background(), input.Source{
		Nodes: write("people.csv", "name,age,town,team\nann,30,Rome,red\nbob,41,Oslo,blue\neve,26,Rome,red\nkim,52,Oslo,blue\n"),
		Edges: write("ties.csv", "from,to\nann,bob\nbob,eve\n"),
		Label: "team",
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Graph.NodeNames, d.Graph.FeatureNames, d.Graph.ClassNames)
	fmt.Println(d.Graph.Edges(), "edges")
	// Output:
	// [ann bob eve kim] [age town = Oslo town = Rome] [blue red]
	// 2 edges
}
