// Package npy reads and writes NumPy's arrays (.npy) and archives of them (.npz), which hold
// graphs and weights. It reads an array block by block and converts each block to the type
// that the caller needs, so it takes no memory beyond the result, and it trusts no size that a
// header claims.
package npy
