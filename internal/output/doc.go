// Package output is the one place for what is written to disk, so that nothing
// is lost, mixed or half written, however the program ends:
//
//   - [File] replaces one file.
//   - [Folder] replaces several files of a folder together, and keeps others
//     from writing there at the same time.
//   - [Tree] adds a whole folder.
//
// Each writes to a temporary name beside the target, syncs and renames once. What killed
// processes left is removed by the next that writes there: a live one holds a lock on it.
package output
