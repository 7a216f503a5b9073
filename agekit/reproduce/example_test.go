package reproduce_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/reproduce"
)

// Execute one run of the paper's table 2 without a results file.
func ExampleExecute() {
	r := reproduce.Run{Task: reproduce.Clustering, Dataset: "cora", Method: "LS", Mode: reproduce.Paper, Seed: 1}
	err := reproduce.Execute(context.Background(), nil, []reproduce.Run{r}, reproduce.Options{Progress: func(e reproduce.Event) {
		if e.Record != nil {
			fmt.Printf("%v: ACC %.2f, NMI %.2f\n", r, e.Record.Scores["ACC"], e.Record.Scores["NMI"])
		}
	}})
	if err != nil {
		fmt.Println(err)
	}
	// Output: clustering, cora, LS, paper mode, seed 1: ACC 0.64, NMI 0.49
}

// List the runs that a table is made of.
func ExampleItemByName() {
	item, err := reproduce.ItemByName("table3")
	if err != nil {
		fmt.Println(err)
		return
	}
	runs := item.Runs(reproduce.Selection{Datasets: []string{"cora"}, Methods: []string{"AGE"}, Seeds: 2})
	fmt.Println(item.Title)
	for _, r := range runs {
		fmt.Println(r)
	}
	// Output:
	// Table 3: link prediction
	// links, cora, AGE, paper mode, seed 1
	// links, cora, AGE, paper mode, seed 2
}
