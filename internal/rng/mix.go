package rng

// Mix is a hash that spreads every bit of x over all 64 (SplitMix64's output function;
// Steele, Lea and Flood, OOPSLA 2014).
func Mix(x uint64) uint64 {
	x += MixStep
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// MixStep is the distance of SplitMix64's states: 2⁶⁴ divided by the golden ratio.
const MixStep = 0x9e3779b97f4a7c15
