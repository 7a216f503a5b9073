package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/limit"
)

// Errors that callers can distinguish with [errors.Is]. The error that wraps
// them names the data set and its files and says what to do.
var (
	// ErrUnknown means that no data set has that name.
	ErrUnknown = errors.New("unknown data set")
	// ErrMissing means that a file was not found in any of the places searched
	// and was not downloaded.
	ErrMissing = errors.New("missing")
	// ErrDamaged means that a file was found, but no copy has the pinned size
	// and hash.
	ErrDamaged = errors.New("damaged")
)

// Options determines where [Load], [Fetch] and [Status] look for a data set's
// files.
//
// They search Dir, the folder named by $AGEKIT_DATA, and agekit/data under
// [os.UserCacheDir], in that order. In each they try NAME/FILE
// (wiki/graph.txt, cora/ind.cora.x) and FILE. The first copy that matches its
// pinned size and hash is used.
type Options struct {
	// Dir is searched first. If it is empty, only the two standard places are
	// searched.
	Dir string
	// Offline forbids downloads. Default: missing files are downloaded into
	// the user's cache directory.
	Offline bool
	// Progress is told of downloads as their bytes arrive, and of each damaged file
	// that was skipped. Default: nobody is told.
	Progress func(Progress)

	baseURL  string // replaces the public sources in tests
	aptLists string // replaces apt's folder in tests
}

// Progress is an event of a search for files: a note, or the state of a download.
type Progress struct {
	// Note is a line for the user; "" for a download.
	Note string
	// File is the name of the file that is downloaded, and Have the number of its
	// bytes that are there. Size is how many it has, −1 if that is not known.
	File       string
	Have, Size int64
}

// Info describes a data set that [Load] knows by name.
type Info struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`   // where the files come from
	Citation    string `json:"citation"` // what to cite
}

// source is what the package knows about a named data set.
type source struct {
	Info
	url     string   // base URL of its files; empty if they are never downloaded
	files   []string // the files that load needs, in a fixed order
	classes []string // names of the classes, where known
	// params checks what follows a colon in the name; nil if the data set takes no
	// parameters.
	params func(params string) error
	load   func(ctx context.Context, s *source, params string, opts Options) (*graph.Graph, error)
}

const (
	planetoidURL  = "https://raw.githubusercontent.com/kimiyoung/planetoid/master/data/"
	wikiURL       = "https://raw.githubusercontent.com/thunlp/AGE/master/data/"
	debianURL     = "https://snapshot.debian.org/archive/debian/20260712T000000Z/dists/bookworm/main/binary-amd64/" // Debian 12.15
	planetoidCite = "Sen et al., Collective Classification in Network Data, AI Magazine 29(3), 2008; " +
		"split and features as in Yang et al., Revisiting Semi-Supervised Learning with Graph Embeddings, ICML 2016"
)

var sources = []*source{
	{
		Info: Info{"cora", "2,708 machine learning papers, their citations and words, 7 topics; embedded, no file needed",
			planetoidURL + "ind.cora.*", planetoidCite},
		url: planetoidURL, files: planetoidFiles("cora"), load: loadCora,
		classes: []string{"Theory", "Reinforcement Learning", "Genetic Algorithms", "Neural Networks",
			"Probabilistic Methods", "Case Based", "Rule Learning"},
	},
	{
		Info: Info{"citeseer", "3,327 computer science papers, their citations and words, 6 areas",
			planetoidURL + "ind.citeseer.*", planetoidCite},
		url: planetoidURL, files: planetoidFiles("citeseer"), load: loadPlanetoid,
		classes: []string{"AI", "ML", "IR", "DB", "Agents", "HCI"},
	},
	{
		Info: Info{"wiki", "2,405 Wikipedia pages, their links and tf-idf word weights, 17 categories",
			wikiURL + "{graph,group,tfidf}.txt", "Yang et al., Network Representation Learning with Rich Text Information, IJCAI 2015"},
		url: wikiURL, files: []string{"wiki/graph.txt", "wiki/group.txt", "wiki/tfidf.txt"}, load: loadWiki,
	},
	{
		Info: Info{"pubmed", "19,717 papers on diabetes, their citations and tf-idf word weights, 3 kinds of diabetes",
			planetoidURL + "ind.pubmed.*", planetoidCite},
		url: planetoidURL, files: planetoidFiles("pubmed"), load: loadPlanetoid,
		classes: []string{"Diabetes Mellitus, Experimental", "Diabetes Mellitus Type 1", "Diabetes Mellitus Type 2"},
	},
	{
		Info: Info{"pubmed-standin", "Pubmed's graph and labels with synthetic features of the same density, for tests of size and speed only: its scores are meaningless",
			"a file pubmed-standin.npz that you supply; it is not published", planetoidCite},
		files: []string{"pubmed-standin.npz"}, load: loadStandin,
	},
	{
		Info: Info{"gostd", "the packages of the installed Go standard library, their imports and the words of their documentation; class = top-level directory",
			"GOROOT/src of the installed Go", "The Go Authors, https://go.dev"},
		load: loadGoStd,
	},
	{
		Info: Info{"debian", "63,000 packages of a Debian release, their dependencies and the words of their descriptions; class = section",
			"the lists that apt has on a Debian machine, or " + debianURL + "Packages.gz", "The Debian Project, https://www.debian.org"},
		url: debianURL, files: []string{"debian/Packages.gz"}, load: loadDebian,
	},
	{
		Info: Info{"planted", "a generated graph with planted classes, by default of Cora's size; " +
			"planted:n=100000,classes=10,degree=7,homophily=0.81,exponent=2.5,f=128,words=18,topic=0.4,seed=3 sets any of these",
			"generated", "degree-corrected planted partition: Karrer and Newman, Phys. Rev. E 83, 016107, 2011"},
		load: loadPlanted, params: func(params string) error { _, err := parsePlanted(params); return err },
	},
	{
		Info: Info{"gomodule", "gomodule:DIR is the packages of the Go module in a folder, with their imports and words; no classes",
			"the folder DIR, which must have a go.mod", "the module's authors"},
		load: loadGoModule, params: func(dir string) error {
			if dir == "" {
				return errors.New("no folder: want gomodule:DIR")
			}
			return nil
		},
	},
}

// List describes the data sets that [Load] knows by name.
func List() []Info {
	infos := make([]Info, len(sources))
	for i, s := range sources {
		infos[i] = s.Info
	}
	return infos
}

// Open reads the graph that s names. Source.Graph may be the name of a data set, as in
// [Load]; anything else goes to [input.Open].
func Open(ctx context.Context, s input.Source, opts Options) (*input.Data, error) {
	if s.Graph == "" {
		return input.Open(ctx, s)
	}
	named, params, err := named(s.Graph)
	if err != nil {
		return nil, err
	}
	if named == nil {
		return input.Open(ctx, s)
	}
	if rest := (input.Source{Graph: s.Graph, Name: s.Name}); !reflect.DeepEqual(s, rest) {
		return nil, fmt.Errorf("data set %s: want Source.Graph and no other field of Source", limit.Quote(s.Graph))
	}
	g, err := named.read(ctx, s.Graph, params, opts)
	if err != nil {
		return nil, err
	}
	g.Name = cmp.Or(s.Name, g.Name)
	return &input.Data{Graph: g}, nil
}

// Load returns the data set of that name (see [List]). "planted" may be
// followed by a colon and parameters, as in "planted:n=1000000,seed=3", and "gomodule"
// must be by a folder, as in "gomodule:/src/age". A name with an extension, such as
// "graphs/x.npz" or "x.graphml", is that of a file, which [input.Open] reads.
//
// The error is [ErrUnknown] for a name that is not in the list. If files
// cannot be used, it is [ErrMissing], [ErrDamaged] or both, and names the first
// of them with the places searched and its download address. Cora never
// needs a file: it is read from Options.Dir if Cora's files are there, and
// otherwise from the copy embedded in the program.
func Load(ctx context.Context, name string, opts Options) (*graph.Graph, error) {
	d, err := Open(ctx, input.Source{Graph: name}, opts)
	if err != nil {
		return nil, err
	}
	return d.Graph, nil
}

// read returns the data set under a name, which may have parameters.
func (s *source) read(ctx context.Context, name, params string, opts Options) (*graph.Graph, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g, err := s.load(ctx, s, params, opts)
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", s.Name, err)
	}
	g.Name, g.Catalogue = cmp.Or(g.Name, name), s.Name
	if g.ClassNames == nil && len(s.classes) == g.Classes {
		g.ClassNames = slices.Clone(s.classes)
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return g, nil
}

// Check returns the error that [Load] would return before it reads or generates
// anything: for an unknown name, wrong parameters of "planted", or a file that
// cannot be opened.
func Check(name string) error {
	s, _, err := named(name)
	switch {
	case err != nil:
		return err
	case s == nil:
		f, _, err := limit.Open(name)
		if err != nil {
			return err
		}
		return f.Close()
	}
	return nil
}

// named returns the data set that a name stands for and its parameters, or no
// data set for the name of a file.
func named(name string) (s *source, params string, err error) {
	base, params, hasParams := strings.Cut(name, ":")
	s, err = find(base)
	switch {
	case err != nil && (filepath.Ext(base) != "" || filepath.IsAbs(name)):
		return nil, "", nil
	case err != nil:
	case hasParams && s.params == nil:
		err = fmt.Errorf("data set %s: %s takes no parameters", limit.Quote(name), base)
	case hasParams && params == "":
		err = fmt.Errorf("data set %s: no parameters after the colon", limit.Quote(name))
	case s.params != nil:
		if err = s.params(params); err != nil {
			err = fmt.Errorf("data set %s: %w", s.Name, err)
		}
	}
	return s, params, err
}

// loadStandin reads a graph archive.
func loadStandin(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	_, files, err := s.gather(ctx, opts)
	if err != nil {
		return nil, err
	}
	d, err := input.Open(ctx, input.Source{Graph: files[0].Path, Name: s.Name})
	if err != nil {
		return nil, err
	}
	return d.Graph, nil
}

func find(name string) (*source, error) {
	var names []string
	for _, s := range sources {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("%w %s: want one of %s, or a file such as graph.npz", ErrUnknown, limit.Quote(name), strings.Join(names, ", "))
}
