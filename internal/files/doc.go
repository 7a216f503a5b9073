// Package files reads and writes the forms of file that this program has: files and folders
// that are replaced whole or not at all, mapped arrays, lines of text, NumPy's arrays, sorted
// runs, graph folders, manifests and the store of results. What is damaged is an error that names the
// file, and never used. It also says which files may be opened, how large they may be, and how
// much of them a message repeats. What the columns of a user's table mean is package input's.
package files
