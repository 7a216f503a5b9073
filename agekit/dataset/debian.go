package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/pierrec/lz4/v4"

	"github.com/agekit/age/agekit/graph"
	"github.com/agekit/age/internal/message"
	"github.com/agekit/age/internal/readfile"
)

const debianURL = "https://snapshot.debian.org/archive/debian/20260712T000000Z/dists/bookworm/main/binary-amd64/" // Debian 12.15

func init() {
	register(&source{
		Info: Info{
			Name: "debian", Title: "Debian", Description: "63,000 packages of a Debian release, their dependencies and the words of their descriptions; class = section",
			Source: "the lists that apt has on a Debian machine, or " + debianURL + "Packages.gz", Citation: "The Debian Project, https://www.debian.org",
		},
		url: debianURL, load: loadDebian,
		substitute: func(o Options, name string) (FileStatus, bool) {
			path, size := o.aptList()
			return FileStatus{File: name, State: OK, Path: path, Bytes: size}, path != ""
		},
		files: []file{
			{"debian/Packages.gz", 12084798, "6777ea16514725f9427f48c240d92e0a6b8496138e37a1491d8597e66774e309"},
		},
	})
}

const (
	debianMinPackages = 20  // words in fewer packages are dropped
	debianMinClass    = 100 // sections with fewer packages form the class "other"
	// debianMostBytes is how much of an unpacked list is read: more than any release has, so
	// that a damaged file cannot fill the memory.
	debianMostBytes = 1 << 30
	// debianLongestLine is the longest line of a list, in bytes: some dependencies are long.
	debianLongestLine = 16 << 20
)

// aptLists is where apt keeps the lists of packages on a Debian machine.
const aptLists = "/var/lib/apt/lists"

// loadDebian builds a graph of the packages of a Debian release: from the pinned
// Packages.gz if it is there, or else from the largest list of main that apt has on this
// machine, or else from the pinned file, which it downloads. An edge joins a package and
// one that it depends on or recommends. The binary features are the words of the short
// description, without stop words and words in fewer than 20 packages. The class is the
// section; sections with fewer than 100 packages form the class "other".
//
// It is the load function of debian (see source.load), which has no parameters.
func loadDebian(ctx context.Context, s *source, _ string, opts Options) (*graph.Graph, error) {
	data, _ := opts.locate(s, s.files[0])
	if data == nil {
		if path, _ := opts.aptList(); path != "" {
			opts.Progress.Linef("packages of %s", path)
			f, _, err := readfile.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return readDebian(ctx, path, f)
		}
		contents, _, err := s.contents(ctx, opts)
		if err != nil {
			return nil, fmt.Errorf("%w; on a Debian machine, apt-get update fetches the list too", err)
		}
		data = contents[0]
	}
	return readDebian(ctx, s.files[0].name, bytes.NewReader(data))
}

// aptList returns the path of the largest list of packages of main that apt has, and its size in
// bytes; "" and 0 if there is none. The largest is that of a release, the others those of updates.
func (o Options) aptList() (path string, size int64) {
	lists, _ := filepath.Glob(filepath.Join(cmp.Or(o.aptLists, aptLists), "*_main_binary-*_Packages*")) // the pattern is valid
	for _, list := range lists {
		_, packing, _ := strings.Cut(filepath.Base(list), "_Packages")
		if !slices.Contains([]string{"", ".gz", ".lz4"}, packing) {
			continue
		}
		info, err := os.Stat(list)
		if err == nil && info.Mode().IsRegular() && info.Size() > size {
			path, size = list, info.Size()
		}
	}
	return path, size
}

// The bytes with which a file packed by gzip or by lz4 begins.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	lz4Magic  = []byte{0x04, 0x22, 0x4d, 0x18}
)

// unpacked returns a reader of what r has, unpacked if r is packed by gzip or lz4.
func unpacked(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	start, _ := b.Peek(len(lz4Magic)) // a text that is shorter is not packed
	switch {
	case bytes.HasPrefix(start, gzipMagic):
		return gzip.NewReader(b)
	case bytes.Equal(start, lz4Magic):
		return lz4.NewReader(b), nil
	}
	return b, nil
}

// readDebian makes the graph of the list of packages that r has, packed or not. The name of the
// list is for errors.
func readDebian(ctx context.Context, name string, r io.Reader) (*graph.Graph, error) {
	text, err := unpacked(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.ShortPath(name), err)
	}
	packages, err := scanDebian(ctx, io.LimitReader(text, debianMostBytes))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.ShortPath(name), err)
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s: no packages: want a list such as dists/bookworm/main/binary-amd64/Packages", message.ShortPath(name))
	}
	g, err := documentGraph(packages, debianMinPackages, debianMinClass)
	if err == nil && len(g.FeatureNames) == 0 {
		return nil, fmt.Errorf("no word occurs in %d packages: want the list of a whole release", debianMinPackages)
	}
	return g, err
}

// scanDebian returns the packages of an unpacked list, in its order. Of packages with the same
// name it keeps the first. A package is some lines FIELD: VALUE, and an empty line ends it.
func scanDebian(ctx context.Context, r io.Reader) ([]document, error) {
	var all []document
	seen := map[string]bool{} // the names in all
	var p document            // the package that is being read
	add := func() {           // p to all, and begins the next package
		if p.name != "" && !seen[p.name] {
			seen[p.name] = true
			all = append(all, p)
		}
		p = document{}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, debianLongestLine)
	for line := 1; lines.Scan(); line++ {
		if line%contextEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text := lines.Text()
		switch {
		case text == "":
			add()
			continue
		case text[0] == ' ' || text[0] == '\t': // the rest of a long description or of tags
			continue
		}
		field, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("line %d is %s: want FIELD: VALUE", line, message.Quote(text))
		}
		value = strings.TrimSpace(value)
		switch field {
		case "Package":
			p.name = strings.Clone(value)
		case "Section":
			_, section, ok := strings.Cut(value, "/") // contrib/games
			if !ok {
				section = value
			}
			p.class = strings.Clone(section)
		case "Depends", "Pre-Depends", "Recommends":
			for dependency := range strings.SplitSeq(value, ",") {
				// The first of several alternatives is the one that apt prefers.
				name, _, _ := strings.Cut(dependency, "|")
				name, _, _ = strings.Cut(name, "(") // a version
				name, _, _ = strings.Cut(name, ":") // an architecture
				p.links = append(p.links, strings.Clone(strings.TrimSpace(name)))
			}
		case "Description":
			p.words = descriptionWords(value)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	add()
	return all, nil
}

// descriptionWords returns the different words of a text that can be features (isWord), in lower
// case and in increasing order.
func descriptionWords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(w string) bool { return !isWord(w) })
	slices.Sort(words)
	words = slices.Compact(words)
	for i, w := range words { // copies, which do not keep the whole text in memory
		words[i] = strings.Clone(w)
	}
	return words
}
