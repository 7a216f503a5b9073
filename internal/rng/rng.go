// Package rng makes every random source from a seed: a source is a seed and a [Stream], and
// streams.go lists who draws from which. A part of a computation that draws from a stream of its
// own draws the same numbers whatever the other parts draw, so that a resumed run needs no
// generator's state. Nothing else makes a source: a test of scripts looks for it.
package rng

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// New returns the source of a stream of a seed: PCG-DXSM with the state (seed, stream), as
// [rand.NewPCG] has it.
func New(seed uint64, s Stream) *rand.Rand { return rand.New(Generator(seed, s)) }

// Generator returns the generator of [New], for those who keep many of them.
func Generator(seed uint64, s Stream) *rand.PCG { return rand.NewPCG(seed, uint64(s)) }

// Hashed returns the source that a name of words and numbers has: ChaCha8, whose key is the SHA-256
// of the name, with a space between two words. Sources with different names are unrelated.
func Hashed(name ...any) *rand.Rand { return rand.New(rand.NewChaCha8(checksum(name))) }

// HashedSeed returns the seed that a name of words and numbers has: the first eight bytes, little
// endian, of the SHA-256 that is the key in [Hashed].
func HashedSeed(name ...any) uint64 {
	sum := checksum(name)
	return binary.LittleEndian.Uint64(sum[:])
}

// checksum returns the SHA-256 of the words and numbers with a space between two.
func checksum(name []any) [sha256.Size]byte {
	return sha256.Sum256(bytes.TrimSuffix(fmt.Appendln(nil, name...), []byte("\n")))
}
