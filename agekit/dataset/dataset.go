package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/agekit/input"
	"github.com/agekit/age/internal/limit"
)

// ErrMissing means that a file was not found in any of the places searched and was not
// downloaded. The error that wraps it names the data set and its files and says what to
// do.
var ErrMissing = errors.New("missing")

// Options determines where [Load], [Fetch] and [Status] look for a data set's files.
//
// They search Dir, the folder named by $AGEKIT_DATA, and agekit/data under
// [os.UserCacheDir], in that order. In each they try NAME/FILE
// (wiki/graph.txt, cora/ind.cora.x) and FILE. The first copy that matches its
// pinned size and hash is used.
type Options struct {
	// Dir is searched first. If it is empty, only the two standard places are searched.
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
	// Title is the name in tables and figures. Default: Name.
	Title string `json:"title,omitempty"`
	// Unpublished says that nobody can download the files.
	Unpublished bool `json:"unpublished,omitempty"`
}

// source is a data set of the catalog.
type source struct {
	Info
	url     string   // base URL of its files; empty if they are never downloaded
	files   []file   // the files that load needs, in a fixed order
	classes []string // names of the classes, where known
	// instead returns what replaces a missing file, if anything does: a copy in the
	// program, or another file of this machine. It is nil if nothing ever does.
	instead func(o Options, name string) (FileStatus, bool)
	// params checks what follows a colon in the name; nil if the data set takes no
	// parameters.
	params func(params string) error
	load   func(ctx context.Context, s *source, params string, opts Options) (*graph.Graph, error)
}

var catalog = map[string]*source{}

// register adds a data set to the catalog. Each data set's file calls it in an init
// function.
func register(s *source) { catalog[s.Name] = s }

// List describes the data sets that [Load] knows by name, in alphabetical order.
func List() []Info {
	var infos []Info
	for _, name := range slices.Sorted(maps.Keys(catalog)) {
		infos = append(infos, catalog[name].Info)
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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g, err := named.load(ctx, named, params, opts)
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", named.Name, err)
	}
	g.Name, g.Catalogue = cmp.Or(s.Name, g.Name, s.Graph), named.Name
	if g.ClassNames == nil && len(named.classes) == g.Classes {
		g.ClassNames = slices.Clone(named.classes)
	}
	return &input.Data{Graph: g}, g.Validate()
}

// Load returns the data set of that name (see [List]). "planted" may be
// followed by a colon and parameters, as in "planted:n=1000000,seed=3", and "gomodule"
// must be by a folder, as in "gomodule:/src/age". A name with an extension, such as
// "graphs/x.npz" or "x.graphml", is that of a file, which [input.Open] reads.
//
// If files cannot be used, the error names the first of them with the places searched
// and its download address. It is [ErrMissing] if any was not found. Cora never needs a
// file: it is read from Options.Dir if Cora's files are there, and otherwise from the
// copy embedded in the program.
func Load(ctx context.Context, name string, opts Options) (*graph.Graph, error) {
	d, err := Open(ctx, input.Source{Graph: name}, opts)
	if err != nil {
		return nil, err
	}
	return d.Graph, nil
}

// Check returns the error that [Load] would return before it reads or generates
// anything: for an unknown name, wrong parameters of "planted", or a file that
// cannot be opened.
func Check(name string) error {
	s, _, err := named(name)
	if err != nil || s != nil {
		return err
	}
	f, _, err := limit.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
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

func find(name string) (*source, error) {
	if s := catalog[name]; s != nil {
		return s, nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(catalog)), ", ")
	return nil, fmt.Errorf("unknown data set %s: want one of %s, or a file such as graph.npz", limit.Quote(name), names)
}
