// Package checksum says what bytes a file has: their number and SHA-256, of a file as a whole, of
// its beginning, or of what is written through a [Summed].
package checksum
