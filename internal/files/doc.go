// Package files reads and writes the forms of file that this program has: files and folders
// that are replaced whole or not at all, mapped arrays, lines of text, NumPy's arrays, sorted
// runs, graph folders and the store of results. What is damaged is an error that names the
// file, and never used. Which files may be opened, and how large they may be, is package
// limit's; what the columns of a user's table mean is package input's.
package files
