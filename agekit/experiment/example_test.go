package experiment_test

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/experiment"
)

// Execute one run of the paper's table 2 without a results file.
func ExampleExecute() {
	r := experiment.Run{Task: experiment.Clustering, Dataset: "cora", Method: "LS", Mode: experiment.Paper, Seed: 1}
	err := experiment.Execute(context.Background(), nil, []experiment.Run{r}, experiment.Options{Progress: func(e experiment.Event) {
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
	item, err := experiment.ItemByName("table3")
	if err != nil {
		fmt.Println(err)
		return
	}
	runs := item.Runs(experiment.Selection{Datasets: []string{"cora"}, Methods: []string{"AGE"}, Seeds: 2})
	fmt.Println(item.Title)
	for _, r := range runs {
		fmt.Println(r)
	}
	// Output:
	// Table 3: link prediction
	// links, cora, AGE, paper mode, seed 1
	// links, cora, AGE, paper mode, seed 2
}
