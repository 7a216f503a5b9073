package encoder

import "fmt"

// Mode says which pairs a selection ranks.
type Mode int

const (
	// Auto is Exact for graphs of up to SampledAbove nodes and Sampled for
	// larger ones.
	Auto Mode = iota
	// Exact ranks all n² ordered pairs, as the paper does, and every epoch
	// trains on every positive pair. Time grows as n², with millions of
	// positive pairs at 30,000 nodes.
	Exact
	// Sampled ranks the pairs of Config.Anchors random nodes with all n
	// nodes, new ones at each selection, and an epoch trains on at most
	// Config.EpochPairs random positives among them. Time and memory grow
	// as n.
	Sampled
)

// SampledAbove is the number of nodes above which Auto means Sampled. With
// the paper's thresholds an epoch on all positives has about a thousand steps
// there.
const SampledAbove = 30000

var modeNames = []string{"auto", "exact", "sampled"}

func (m Mode) String() string {
	if m < 0 || int(m) >= len(modeNames) {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return modeNames[m]
}

// ParseMode is the inverse of String. An empty name means Auto.
func ParseMode(name string) (Mode, error) {
	if name == "" {
		return Auto, nil
	}
	for m, known := range modeNames {
		if name == known {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("mode %q: want auto, exact or sampled", name)
}

// MarshalText and UnmarshalText let a mode stand in JSON by its name.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a mode's name.
func (m *Mode) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMode(string(text))
	return err
}

// For returns the mode for a graph of n nodes: Exact or Sampled.
func (m Mode) For(n int) Mode {
	switch {
	case m != Auto:
		return m
	case n > SampledAbove:
		return Sampled
	}
	return Exact
}
