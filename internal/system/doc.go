// Package system is what this program knows of itself and of the programs that it starts: its
// version, its memory and how much it may take, how a program is found, started and ended, and
// who else could have written what is about to run. It reads and writes no data of users: that
// is package files'.
package system
