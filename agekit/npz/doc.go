// Package npz reads and writes NumPy's arrays: single ones (.npy) and archives of
// named ones (.npz). Package input reads graphs from such archives, and package
// encoder stores its weights in them.
package npz
