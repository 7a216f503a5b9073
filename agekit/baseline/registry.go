package baseline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/graph"
)

// methods lists all methods in the order of the tables. GAE-64 and LS+RA-64 have the
// settings of figure 3 of the AGE paper (§5.3): widths 64 and 16.
var methods = []entry{
	declare(Info{Name: "K-means", Sees: Features, Gives: Embedding | Clusters, Published: true}, func(s Settings) kMeans { return kMeans{s.Published} }, "table2"),
	declare(Info{Name: "Spectral-F", Sees: Features, Gives: Embedding | Clusters}, func(Settings) spectralF { return spectralF{} }, "table2", "table4"),
	declare(Info{Name: "Spectral-G", Sees: Edges, Gives: Clusters, Published: true}, newSpectralG, "table2"),
	declare(Info{Name: "DeepWalk", Sees: Edges, Gives: Embedding | Links, Trained: true}, newDeepWalk, "table2"),
	declare(Info{Name: "TADW", Sees: Features | Edges, Gives: Embedding, Published: true}, newTADW, "table2"),
	declare(Info{Name: "GAE", Sees: Features | Edges, Gives: Embedding | Links, Trained: true}, newGAE, "table2", "table3"),
	declare(Info{Name: "VGAE", Sees: Features | Edges, Gives: Embedding | Links, Trained: true}, newVGAE, "table2", "table3"),
	declare(Info{Name: "MGAE", Sees: Features | Edges, Gives: Embedding, Published: true}, newMGAE, "table2"),
	declare(Info{Name: "ARGA", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true}, func(s Settings) arga { return newARGA(s, false) }, "table2", "table3"),
	declare(Info{Name: "ARVGA", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true}, func(s Settings) arga { return newARGA(s, true) }, "table2", "table3"),
	declare(Info{Name: "AGC", Sees: Features | Edges, Gives: Embedding, Published: true}, newAGC, "table2"),
	declare(Info{Name: "DAEGC", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true}, newDAEGC, "table2"),
	declare(Info{Name: "GALA", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true}, newGALA, "table2", "table3"),
	declare(Info{Name: "LS", Sees: Features | Edges, Gives: Embedding | Clusters, Variant: true}, func(s Settings) ls { return ls{s.Filter} }, "table2", "table4"),
	declare(Info{Name: "LS+RA", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Variant: true}, newLSRA, "table2"),
	declare(Info{Name: "LS+RX", Sees: Features | Edges, Gives: Embedding, Trained: true, Variant: true}, newLSRX, "table2"),
	declare(Info{Name: "GAE-64", Sees: Features | Edges, Gives: Embedding | Links, Trained: true}, func(s Settings) gae { return gae64(s, false) }, "fig3"),
	declare(Info{Name: "LS+RA-64", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Variant: true}, func(s Settings) gae { return gae64(s, true) }, "fig3"),
	declare(Info{Name: "Louvain", Sees: Edges, Gives: Clusters | Number}, func(Settings) louvain { return louvain{} }, "field"),
	declare(Info{Name: "Leiden", Sees: Edges, Gives: Clusters | Number}, newLeiden, "field"),
	declare(Info{Name: "SSGC", Sees: Features | Edges, Gives: Embedding, Published: true}, newSSGC, "field"),
	declare(Info{Name: "MS2CAG", Sees: Features | Edges, Gives: Embedding, Published: true}, newMS2CAG, "field"),
	declare(Info{Name: "DGI", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true}, newDGI, "field"),
	declare(Info{Name: "NS4GC", Sees: Features | Edges, Gives: Embedding | Links, Trained: true, Published: true}, newNS4GC, "field"),
}

// Info describes a method. Tables, figures and help are made from it.
type Info struct {
	// Name is the method's name in tables and results.
	Name string
	// Sees says which parts of a graph the method uses.
	Sees Set
	// Gives says what the method returns in fair mode. In published mode it also
	// gives Clusters.
	Gives Set
	// Trained says that the method trains weights by gradient descent.
	Trained bool
	// Published says that the method has a published mode (see [Settings]).
	Published bool
	// Variant says that the method is one of the AGE paper's own variants, which
	// run in AGE's modes.
	Variant bool
	// Tables are the tables and figures that have the method, by the names of
	// package experiment: "table2", "field".
	Tables []string
}

// entry is a method in the registry.
type entry struct {
	Info
	make func(Settings) (fitter, error)
}

// fitter holds all settings of a method. A result records its exported fields as JSON.
type fitter interface {
	fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error)
}

// declare describes a method that is made from the common settings.
func declare[T fitter](info Info, make func(Settings) T, tables ...string) entry {
	info.Tables = tables
	return entry{info, func(s Settings) (fitter, error) {
		m := make(s)
		data, err := json.Marshal(s.Fields)
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(data))
			d.DisallowUnknownFields()
			err = d.Decode(&m)
		}
		return m, err
	}}
}

// Names lists the names of all methods, in the order of the tables.
func Names() []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.Name)
	}
	return names
}

// Find describes the method with the given name, case-insensitive, if there is one.
func Find(name string) (Info, bool) {
	m, ok := find(name)
	return m.Info, ok
}

// New returns the method with the given name, case-insensitive, with the given
// settings. The error for an unknown name lists the known ones.
func New(name string, s Settings) (Method, error) {
	m, ok := find(name)
	if !ok {
		return nil, fmt.Errorf("unknown method %q: want one of %s", name, strings.Join(Names(), ", "))
	}
	settings, err := m.make(s)
	if err != nil {
		return nil, fmt.Errorf("%s: settings: %w", m.Name, err)
	}
	return method{m.Info, settings, s.Published && m.Published}, nil
}

func find(name string) (entry, bool) {
	for _, m := range methods {
		if strings.EqualFold(m.Name, name) {
			return m, true
		}
	}
	return entry{}, false
}

// method is a method with its settings.
type method struct {
	info      Info
	settings  fitter
	published bool
}

func (m method) Name() string { return m.info.Name }

func (m method) Gives() Set {
	if m.published {
		return m.info.Gives | Clusters
	}
	return m.info.Gives
}

// MarshalJSON returns the settings.
func (m method) MarshalJSON() ([]byte, error) { return json.Marshal(m.settings) }

var errNoFeatures = errors.New("the graph has no features: want some that are not 0")

func (m method) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if _, f := g.Features.Dims(); f == 0 && m.info.Sees&Features != 0 {
		return nil, named(m, errNoFeatures)
	}
	o.method = m
	out, err := m.settings.fit(ctx, g, o)
	if err != nil {
		return nil, named(m, err)
	}
	out.Backend = cmp.Or(out.Backend, backend.Native)
	return out, nil
}

// named says which method an error is of.
func named(m Method, err error) error { return fmt.Errorf("%s: %w", m.Name(), err) }
