// Package auto chooses the settings of AGE for a graph without looking at labels: the
// number of clusters, the filter's layers, the thresholds of the training pairs, and
// whether training helps at all. docs/choosing-settings.md has the rule and the
// measurements behind it.
package auto
