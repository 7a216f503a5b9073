package baseline

import (
	"fmt"
	"strings"

	"github.com/agekit/age/agekit/community"
)

// methods lists all methods of this package by name, with their constructors,
// and says which have a published reading.
var methods = []struct {
	name      string
	make      func(Settings) Method
	published bool
}{
	{"K-means", func(s Settings) Method { return KMeans{s.Published} }, true},
	{"Spectral-F", func(Settings) Method { return SpectralF{} }, false},
	{"Spectral-G", newSpectralG, true},
	{"DeepWalk", newDeepWalk, false},
	{"TADW", newTADW, true},
	{"GAE", newGAE, false},
	{"VGAE", newVGAE, false},
	{"MGAE", newMGAE, true},
	{"ARGA", newARGA, true},
	{"ARVGA", newARVGA, true},
	{"AGC", newAGC, true},
	{"DAEGC", newDAEGC, true},
	{"GALA", newGALA, true},
	{"LS", newLS, false},
	{"LS+RA", newLSRA, false},
	{"LS+RX", newLSRX, false},
	{"GAE-64", newGAE64, false},
	{"LS+RA-64", newDisentangledGAE, false},
	{"Louvain", func(Settings) Method { return Louvain{} }, false},
	{"Leiden", func(Settings) Method { return Leiden{community.LeidenOptions{}.WithDefaults()} }, false},
	{"SSGC", newSSGC, true},
	{"MS2CAG", newMS2CAG, true},
	{"DGI", newDGI, true},
	{"NS4GC", newNS4GC, true},
}

// Names lists the names of all methods.
func Names() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// New returns the method with the given name, case-insensitive, with the given
// settings. The error for an unknown name lists the known ones.
func New(name string, s Settings) (Method, error) {
	for _, m := range methods {
		if strings.EqualFold(m.name, name) {
			return m.make(s), nil
		}
	}
	return nil, fmt.Errorf("unknown method %q: want one of %s", name, strings.Join(Names(), ", "))
}

// HasPublished reports whether a method has a published reading that differs from
// the fair one.
//
// The fair reading is the same race for all: the whole graph, the last epoch or a
// choice that needs no labels, and [SpectralClusters] of the embedding. The
// published reading follows the protocol of the method's own public code: its
// data, its clustering, its stop. Neither uses a label. Where a printed figure
// was chosen by labels, the method's documentation says so.
func HasPublished(name string) bool {
	for _, m := range methods {
		if strings.EqualFold(m.name, name) {
			return m.published
		}
	}
	return false
}
