// Package bench measures whole jobs and single stages of the program, keeps the
// measurements in a file and writes tables and figures of them. One dense product of
// Cora's size is the unit in which machines are compared.
package bench
