// Package views has ways to see how the nodes of one graph group: by their features, by its
// edges, by both, and by what a training of AGE makes of both. None is right for all
// questions, and nothing in a graph says which one the labels of a user follow
// (docs/views.md), so all are shown and one is the default. Labels are never used.
package views
