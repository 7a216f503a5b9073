package agekit

// Show shows figures and tables in the cell's output, one after the other. If
// one of them holds an error, Show prints it and exits the cell.
func Show(parts ...interface{ Show() error }) {
	for _, p := range parts {
		Check(p.Show())
	}
}
