// Package mapped keeps large arrays of numbers in memory-mapped files, little endian. The
// system loads and drops their pages as needed, so they may be larger than the machine's memory.
package mapped
