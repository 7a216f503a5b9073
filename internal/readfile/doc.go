// Package readfile opens files that others wrote: regular files only, bounded in size, their
// text in UTF-8 with any end of line. It knows numbers in text, not what they mean: that is
// package input's.
package readfile
