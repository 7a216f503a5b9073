// Package palette has the colors and the shapes of clusters and classes, for figures, pages and
// files alike.
package palette
