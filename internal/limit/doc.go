// Package limit is the one place for what input may demand of this program:
// which files are opened, how large their parts may be, how much memory they
// may ask for, and how much of them a message repeats. All readers use it.
package limit

// The limits on the parts of a file, which can still ask for too much memory: see [Memory].
const (
	// Line is the longest line of a text file, in bytes: a row of features is long.
	Line = 64 << 20
	// Columns is the largest number of features.
	Columns = 1 << 24
	// Header is the longest header of a .npy array, in bytes. NumPy's take hundreds.
	Header = 64 << 10
	// Members is the largest number of arrays in an archive.
	Members = 1 << 10
	// Records is the largest file of results or measurements, in bytes.
	Records = 1 << 28
)

// Unpacked returns how many bytes an archive of the given size may unpack to: far more than
// real graphs need, and too few for a crafted archive to keep the program busy for minutes.
func Unpacked(size int64) uint64 { return max(1<<30, 100*uint64(max(0, size))) }
