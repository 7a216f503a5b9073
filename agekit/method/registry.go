package method

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

// methods lists all methods: AGE and the steps of its ablation, and the others in the order of the
// tables. GAE-64 and LS+RA-64 have the settings of figure 3 of the AGE paper (§5.3): widths 64 and 16.
var methods = []entry{
	declare(Info{Name: AGE, Features: true, Edges: true, Embedding: true, Clusters: true, Links: true, Trained: true, AGE: true}, newAGE),
	declare(Info{Name: "+Encoder", Features: true, Edges: true, Embedding: true, Clusters: true, Links: true, Trained: true, AGE: true}, newFixed),
	declare(Info{Name: "+Adaptive", Features: true, Edges: true, Embedding: true, Clusters: true, Links: true, Trained: true, AGE: true}, newConstant),
	declare(Info{Name: "K-means", Features: true, Embedding: true, Clusters: true, Published: true}, func(s Settings) kMeans { return kMeans{s.Published} }, "table2"),
	declare(Info{Name: "Spectral-F", Features: true, Embedding: true, Clusters: true}, func(Settings) spectralF { return spectralF{} }, "table2", "table4"),
	declare(Info{Name: "Spectral-G", Edges: true, Clusters: true, Published: true}, newSpectralG, "table2"),
	declare(Info{Name: "DeepWalk", Edges: true, Embedding: true, Links: true, Trained: true}, newDeepWalk, "table2"),
	declare(Info{Name: "TADW", Features: true, Edges: true, Embedding: true, Published: true}, newTADW, "table2"),
	declare(Info{Name: "GAE", Features: true, Edges: true, Embedding: true, Links: true, Trained: true}, newGAE, "table2", "table3"),
	declare(Info{Name: "VGAE", Features: true, Edges: true, Embedding: true, Links: true, Trained: true}, newVGAE, "table2", "table3"),
	declare(Info{Name: "MGAE", Features: true, Edges: true, Embedding: true, Published: true}, newMGAE, "table2"),
	declare(Info{Name: "ARGA", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Published: true}, func(s Settings) arga { return newARGA(s, false) }, "table2", "table3"),
	declare(Info{Name: "ARVGA", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Published: true}, func(s Settings) arga { return newARGA(s, true) }, "table2", "table3"),
	declare(Info{Name: "AGC", Features: true, Edges: true, Embedding: true, Published: true}, newAGC, "table2"),
	declare(Info{Name: "DAEGC", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Published: true}, newDAEGC, "table2"),
	declare(Info{Name: "GALA", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Published: true}, newGALA, "table2", "table3"),
	declare(Info{Name: "LS", Features: true, Edges: true, Embedding: true, Clusters: true, Variant: true}, func(s Settings) ls { return ls{s.Filter} }, "table2", "table4"),
	declare(Info{Name: "LS+RA", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Variant: true}, newLSRA, "table2"),
	declare(Info{Name: "LS+RX", Features: true, Edges: true, Embedding: true, Trained: true, Variant: true}, newLSRX, "table2"),
	declare(Info{Name: "GAE-64", Features: true, Edges: true, Embedding: true, Links: true, Trained: true}, func(s Settings) gae { return gae64(s, false) }, "fig3"),
	declare(Info{Name: "LS+RA-64", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Variant: true}, func(s Settings) gae { return gae64(s, true) }, "fig3"),
	declare(Info{Name: "Louvain", Edges: true, Clusters: true, Number: true}, func(Settings) louvain { return louvain{} }, "field"),
	declare(Info{Name: "Leiden", Edges: true, Clusters: true, Number: true}, newLeiden, "field"),
	declare(Info{Name: "SSGC", Features: true, Edges: true, Embedding: true, Published: true}, newSSGC, "field"),
	declare(Info{Name: "MS2CAG", Features: true, Edges: true, Embedding: true, Published: true}, newMS2CAG, "field"),
	declare(Info{Name: "SAGSC", Features: true, Edges: true, Embedding: true, Published: true}, newSAGSC, "field"),
	declare(Info{Name: "DGI", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Published: true}, newDGI, "field"),
	declare(Info{Name: "NS4GC", Features: true, Edges: true, Embedding: true, Links: true, Trained: true, Published: true}, newNS4GC, "field"),
	declare(Info{Name: "CoCo", Features: true, Edges: true, Embedding: true, Trained: true, Published: true}, newCoCo, "peeking"),
}

// AGE is the name of the paper's method.
const AGE = "AGE"

// Info describes a method. Tables, figures and help are made from it.
type Info struct {
	// Name is the method's name in tables and results.
	Name string
	// Features and Edges say which parts of a graph the method sees.
	Features, Edges bool
	// Embedding says that Fit returns one vector per node, and Clusters that it finds
	// clusters itself, as every method does in published mode; otherwise [Cluster] clusters
	// the embedding.
	Embedding, Clusters bool
	// Links says that inner products of the embedding score pairs of nodes.
	Links bool
	// Number says that the method finds the number of clusters itself and does not use
	// Options.Clusters.
	Number bool
	// Trained says that the method trains weights by gradient descent.
	Trained bool
	// Published says that the method has a published mode (see [Settings]).
	Published bool
	// Variant says that the method is one of the AGE paper's own variants, which
	// run in AGE's modes.
	Variant bool
	// AGE says that the method is the paper's, or a step of its ablation that trains (§5.4): its
	// settings are the Filter and the Config, and it runs in AGE's modes.
	AGE bool
	// Tables are the tables and figures that have the method, by the names of
	// package reproduce: "table2", "field".
	Tables []string
}

// entry is a method in the registry.
type entry struct {
	Info
	// make returns the method's own settings, given the common ones. It fails if Settings.Fields
	// does not fit.
	make func(Settings) (fitter, error)
}

// fitter holds all settings of a method. A result records its exported fields as JSON.
type fitter interface {
	// fit checks the settings and runs the method on a graph: see [Method].
	fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error)
}

// declare returns the entry of a method that the given tables have (see [Info].Tables). make returns
// the method's settings, given the common ones. Settings.Fields then replace fields of these settings
// by their names in JSON; an unknown name is an error.
func declare[T fitter](info Info, make func(Settings) T, tables ...string) entry {
	info.Tables = tables
	return entry{info, func(s Settings) (fitter, error) {
		settings := make(s)
		fields, err := json.Marshal(s.Fields)
		if err == nil {
			d := json.NewDecoder(bytes.NewReader(fields))
			d.DisallowUnknownFields()
			err = d.Decode(&settings) // replaces only the fields that are there
		}
		return settings, err
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

// Find returns the description of the method with the given name, case-insensitive; false if there
// is none.
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
	info := m.Info
	runsPublished := s.Published && m.Published // which always finds clusters
	info.Clusters = info.Clusters || runsPublished
	return method{info: info, settings: settings}, nil
}

// find returns the entry with the given name, case-insensitive; false if there is none.
func find(name string) (entry, bool) {
	for _, m := range methods {
		if strings.EqualFold(m.Name, name) {
			return m, true
		}
	}
	return entry{}, false
}

// method implements [Method].
type method struct {
	info     Info
	settings fitter
}

// Name implements [Method].
func (m method) Name() string { return m.info.Name }

// Info implements [Method].
func (m method) Info() Info { return m.info }

// MarshalJSON returns the settings alone, without the name.
func (m method) MarshalJSON() ([]byte, error) { return json.Marshal(m.settings) }

var errNoFeatures = errors.New("the graph has no features: want some that are not 0")

// checkFeatures returns an error if the graph has no features and the method needs some.
func checkFeatures(m Method, g *graph.Graph) error {
	if _, f := g.Features.Dims(); f == 0 && m.Info().Features {
		return named(m, errNoFeatures)
	}
	return nil
}

// Fit implements [Method]. Its errors begin with the method's name, but for AGE's.
func (m method) Fit(ctx context.Context, g *graph.Graph, o Options) (*Output, error) {
	if err := checkFeatures(m, g); err != nil {
		return nil, err
	}
	o.method = m
	out, err := m.settings.fit(ctx, g, o)
	if err != nil {
		return nil, named(m, err)
	}
	out.Backend = cmp.Or(out.Backend, backend.Native)
	return out, nil
}

// named returns err with the method's name before it, or as it is for AGE.
func named(m Method, err error) error {
	if m.Name() == AGE {
		return err
	}
	return fmt.Errorf("%s: %w", m.Name(), err)
}
