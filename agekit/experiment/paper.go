package experiment

import "github.com/agekit/age/agekit/paper"

// Printed returns the score that the paper prints for a run's method on its data
// set (tables 3 and 4), or false if it prints none.
func Printed(r Run, score string) (float64, bool) {
	table := 3
	if r.Task == Links {
		table = 4
	}
	return paper.Printed(table, r.Method, r.Dataset, score)
}

var (
	paperDatasets    = paper.Datasets()
	clusteringScores = []string{"ACC", "NMI", "ARI"}
	linkScores       = []string{"AUC", "AP"}
)
