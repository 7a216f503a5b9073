// Package atomicfile is the one place for what is written to disk, so that nothing is lost,
// mixed or half written, however the program ends:
//
//   - [Write] replaces one file, and [Checked] one that carries its own checksum.
//   - [Folder] replaces several files of a folder together, and keeps others from writing
//     there at the same time.
//   - [WriteTree] adds a whole folder.
//
// Each writes to a temporary name beside the target, syncs and renames once. What killed
// processes left is removed by the next that writes there: a live one holds a lock on it.
package atomicfile
