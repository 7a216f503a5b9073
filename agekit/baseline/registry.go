package baseline

import (
	"fmt"
	"strings"
)

// methods lists all methods of this package by name, with their constructors.
var methods = []struct {
	name string
	make func(Settings) Method
}{
	{"K-means", func(Settings) Method { return KMeans{} }},
	{"Spectral-F", func(Settings) Method { return SpectralF{} }},
	{"Spectral-G", func(Settings) Method { return SpectralG{} }},
	{"VGAE", newVGAE},
	{"GAE-64", newGAE64},
	{"LS+RA-64", newDisentangledGAE},
	{"LS", newLS},
	{"LS+RA", newLSRA},
	{"LS+RX", newLSRX},
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
