// Package report writes what a run of agekit fit found as one HTML page that needs no
// network: a map of the nodes that can be pointed at, zoomed and searched, the clusters
// and what sets them apart, how the settings were chosen, the training, the spectrum
// and the settings.
package report
