package cluster

// Count returns the number of different clusters in labels, the cluster of each row.
func Count(labels []int) int {
	found := map[int]bool{}
	for _, c := range labels {
		found[c] = true
	}
	return len(found)
}
